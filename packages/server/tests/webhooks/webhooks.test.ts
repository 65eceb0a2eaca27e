import { describe, expect, test } from 'vitest';
import { migrateDatabase } from '../events/log.js';
import { withTestDatabase } from '../support/database.js';
import { type Posted, type Receiver, verifiesV1a } from './receiver.js';
import { logOf, refusalOf, registered, startHooks, startReceiver } from './scene.js';

const database = withTestDatabase(migrateDatabase);
const start = (departures: Parameters<typeof startHooks>[1] = {}) => startHooks(database.connectionString, departures);

describe('a webhook', () => {
  test('[S-185] posts each event once, in order, with both signatures of Standard Webhooks', async () => {
    const [hooks, receiver] = [await start(), await startReceiver()];
    const { hook } = await registered(hooks, receiver);
    expect(hook).toMatchObject({ status: 'active', url: receiver.url, secret: receiver.secret, filter: {} });
    const ids = await hooks.append(30);
    await receiver.until(30);
    expect(receiver.taken.map(({ data }) => data.packageId)).toEqual(ids);
    expect(receiver.seqs()).toEqual(await logOf(hooks.context.db, hook.ackedSeq));
    expect(receiver.forged).toBe(0);
    for (const posted of receiver.arrived) expect(verifiesV1a(hook.publicKey, posted)).toBe(true);
    const [first] = receiver.taken as [Posted];
    expect(JSON.parse(first.body)).toEqual({
      type: 'PACKAGE_FAILED',
      timestamp: expect.any(String),
      data: {
        type: 'PACKAGE_FAILED',
        seq: first.data.seq,
        occurredAt: first.timestamp,
        packageId: ids[0],
        failureReason: 'cancelled',
      },
    });
    expect(first.id).toBe(`evt_${first.data.seq}`);
  });

  test('[S-185] has a key of its own: what one receiver got proves nothing to another', async () => {
    const [hooks, receiver] = [await start(), await startReceiver()];
    const [one, other] = [await registered(hooks, receiver), await registered(hooks, receiver)];
    const [posted] = receiver.arrived as [Posted];
    expect([one, other].map(({ hook }) => verifiesV1a(hook.publicKey, posted))).toEqual([true, false]);
  });

  test('[S-180] tells what its filter keeps, with the grammar of /ws', async () => {
    const [hooks, receiver] = [await start(), await startReceiver()];
    const { owner, hook } = await registered(hooks, receiver, {
      filter: { topics: 'PACKAGE_DELIVERED', near: '1,1', radiusKm: 5 },
    });
    expect(hook.filter).toEqual({ topics: 'PACKAGE_DELIVERED', near: '1,1', radiusKm: 5 });
    const one = await owner.registerWebhook({
      url: receiver.url,
      secret: receiver.secret,
      filter: { topics: 'PACKAGE_FAILED' },
    });
    const ids = await hooks.append(3);
    await receiver.until(3);
    expect(receiver.taken.map(({ data }) => data.packageId)).toEqual(ids);
    expect((await owner.listWebhooks()).items.map(({ id }) => id)).toEqual([hook.id, one.id]);
    const wrong = await refusalOf(owner.registerWebhook({ url: receiver.url, filter: { radiusKm: 5 } }));
    expect(wrong).toMatchObject({ code: 'invalid_input', field: 'filter.radiusKm' });
  });

  test.each([
    ['does not answer the challenge', (_: Posted, response) => response.end('{}'), /did not answer the challenge/],
    ['sends back what it gets', ({ body }, response) => response.end(body), /did not answer the challenge/],
    ['refuses', (_, response) => response.writeHead(500).end(), /answers 500/],
    [
      'redirects',
      (_, response) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
      /redirects \(307\)/,
    ],
  ] satisfies [string, NonNullable<Receiver['answer']>, RegExp][])(
    '[S-183] is not taken where the receiver %s',
    async (_, answer, says) => {
      const [hooks, receiver] = [await start(), await startReceiver()];
      receiver.answer = answer;
      const owner = await hooks.client();
      const refused = await refusalOf(owner.registerWebhook({ url: receiver.url, secret: receiver.secret }));
      expect(refused).toMatchObject({ code: 'webhook_refused', field: 'url' });
      expect(refused.message).toMatch(says);
      expect((await owner.listWebhooks()).items).toEqual([]);
      expect(receiver.arrived).toHaveLength(1);
    },
  );

  test.each([
    ['whsec_c2hvcnQ=', 'secret'],
    [`whsec_${Buffer.alloc(65, 1).toString('base64')}`, 'secret'],
    ['MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'secret'],
  ])('[S-183] is not taken with the secret %s', async (secret, field) => {
    const hooks = await start();
    const owner = await hooks.client();
    expect(await refusalOf(owner.registerWebhook({ url: 'https://agent.example/', secret }))).toMatchObject({
      code: 'invalid_input',
      field,
    });
  });

  test('[S-188] is one of few: those beyond are refused by name, and their receivers are not asked', async () => {
    const [hooks, receiver] = [
      await start({ webhooks: { targets: 'any', perKey: 3, perAddress: 5 } }),
      await startReceiver(),
    ];
    const [one, other] = [await hooks.client(), await hooks.client()];
    const register = (owner: typeof one) => owner.registerWebhook({ url: receiver.url, secret: receiver.secret });
    const raced = await Promise.allSettled(Array.from({ length: 6 }, () => register(one)));
    expect(raced.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    const before = receiver.arrived.length;
    for (let attempt = 0; attempt < 10; attempt += 1) {
      expect(await refusalOf(register(one))).toMatchObject({
        code: 'too_many_webhooks',
        message: expect.stringContaining('3'),
      });
    }
    expect(receiver.arrived).toHaveLength(before);
    await register(other);
    await register(other);
    expect(await refusalOf(register(other))).toMatchObject({ message: expect.stringContaining('from one address') });
    const {
      items: [first],
    } = await one.listWebhooks();
    await one.deleteWebhook({ webhookId: first?.id ?? '' });
    await register(other);
  });

  test("[S-188] is its owner's alone", async () => {
    const [hooks, receiver] = [await start(), await startReceiver()];
    const { hook } = await registered(hooks, receiver);
    const stranger = await hooks.client();
    const webhookId = hook.id;
    for (const call of [
      () => stranger.testWebhook({ webhookId }),
      () => stranger.rotateWebhookSecret({ webhookId }),
      () => stranger.redeliverWebhook({ webhookId, since: 0 }),
      () => stranger.deleteWebhook({ webhookId }),
    ])
      expect(await refusalOf(call())).toMatchObject({ code: 'not_found', field: 'webhookId' });
    expect((await stranger.listWebhooks()).items).toEqual([]);
  });

  test('[S-185] that is given another secret signs with both for a day', async () => {
    const [hooks, receiver] = [await start(), await startReceiver()];
    const { owner, hook } = await registered(hooks, receiver);
    const { secret, formerUntil } = await owner.rotateWebhookSecret({ webhookId: hook.id });
    expect(secret).not.toBe(receiver.secret);
    expect(formerUntil.getTime()).toBeGreaterThan(Date.now());
    await hooks.append(1);
    await receiver.until(1);
    Object.assign(receiver, { secret });
    await hooks.append(1);
    await receiver.until(2);
    expect(receiver.forged).toBe(0);
    const clock = hooks.context.clock;
    hooks.context.clock = () => new Date(clock().getTime() + 25 * 3_600_000);
    const signatures = (posted: Posted | undefined) =>
      String(posted?.headers['webhook-signature'])
        .split(' ')
        .map((one) => one.split(',')[0]);
    expect(signatures(receiver.taken[1])).toEqual(['v1', 'v1', 'v1a']);
    hooks.context.clock = clock;
  });

  test('says when it is tried what became of that', async () => {
    const [hooks, receiver] = [await start(), await startReceiver()];
    const { owner, hook } = await registered(hooks, receiver);
    expect(await owner.testWebhook({ webhookId: hook.id })).toEqual({ delivered: true, status: 204, error: null });
    receiver.answer = (_, response) => response.writeHead(503).end();
    expect(await owner.testWebhook({ webhookId: hook.id })).toEqual({
      delivered: false,
      status: 503,
      error: 'answers 503',
    });
    expect((await owner.listWebhooks()).items[0]).toMatchObject({ status: 'active' });
  });
});
