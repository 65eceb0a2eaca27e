import { createECDH, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { createLegworkClient, type LegworkClient } from '@legwork/sdk';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { startEvents } from '../../src/events/fanout.js';
import { buildHttp, drainHttp } from '../../src/http/httpServer.js';
import { runs } from '../../src/operations/index.js';
import { startWebhooks } from '../../src/webhooks/deliver.js';
import { encryptPush } from '../../src/webhooks/push.js';
import { openTargets } from '../../src/webhooks/targets.js';
import { until } from '../events/log.js';
import { claim, postedTask } from '../operations/digitalTasks/scene.js';
import { carryTo, type Cast, courier, listedWithTerms, move, moveWithText } from '../operations/turns/scene.js';
import { bidInput, untilPackage } from '../support/market.js';
import { type Party, withService } from '../support/service.js';
import { decryptPush, type Browser, PushService } from './pushService.js';
import { refusalOf } from './scene.js';

const CHOSEN = 'You were chosen for a leg';
const MOVE = 'It is your move';
const SOON = 'A clock of yours ends soon';

/** It sends nothing itself: the replica below does, which trusts the push service of the test. */
const service = withService({ settings: () => ({ WEBHOOK_TARGETS: 'none' }) });
let push: PushService;
let url: string;
const ends: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  push = await PushService.start(mkdtempSync(join(inject('scratch'), 'push-')));
  const made = await service.current.context();
  const config = { ...made.config, webhooks: { targets: 'any' as const, perKey: 3, perAddress: 0 }, trustProxy: [] };
  const { publicUrl } = made;
  const context = { ...made, config, targets: openTargets({ ...config, publicUrl }, { ca: push.ca }) };
  const app = await buildHttp(context, runs);
  const events = await startEvents(context);
  const loop = startWebhooks(context, events.fanout);
  url = await app.listen({ host: '127.0.0.1', port: 0 });
  push.sender = (await createLegworkClient({ url }).getConfig()).pushPublicKey ?? '';
  ends.push(async () => {
    await Promise.all([drainHttp(app), events.stop(), loop.stop()]);
    await context.db.destroy();
    push.stop();
  });
});
afterAll(() => Promise.all(ends.map((end) => end())));

const clientOf = ({ signer }: Party): LegworkClient => createLegworkClient({ url, signer });

/** Subscribes a new browser of somebody's. */
async function subscribed(party: Party): Promise<Browser & { id: string }> {
  const browser = push.subscribe();
  const { id } = await clientOf(party).subscribePush(browser.subscription);
  return { ...browser, id };
}

/** A package with terms in transit, with one courier; what is done before the bid is given. */
async function formed(before: (cast: Cast) => Promise<unknown>): Promise<Cast> {
  const listed = await listedWithTerms(service.current);
  const one = await courier(service.current);
  const cast = { ...listed, couriers: [one] };
  await before(cast);
  await one.client.submitBid(bidInput(one, listed.parcel.id, 'zoo', 'ostkreuz', 0.1));
  const parcel = await untilPackage(service.current, listed.parcel.id, ({ status }) => status === 'in_transit');
  return { ...cast, parcel };
}

const first = ({ couriers: [one] }: Cast): Party => {
  if (one === undefined) throw new Error('there is a courier');
  return one;
};

/** Lets every subscription be looked at now, and its next try be due. */
async function lookNow(): Promise<void> {
  await sql`update webhooks set look_at = now(), available_at = now() where told is not null`.execute(
    service.current.db,
  );
}

const rowOf = (id: string) =>
  service.current.db.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirst();
/** It has been looked at since, and nothing is under way. */
async function untilTold(id: string): Promise<void> {
  await lookNow();
  await until(async () => {
    const row = await rowOf(id);
    return (
      row === undefined ||
      (row.lease_token === null && row.look_at !== null && row.look_at > new Date(Date.now() + 500))
    );
  });
}

describe('[S-235] what is sent', () => {
  test('is encrypted as the example of RFC 8291', () => {
    const [key, mine] = [createECDH('prime256v1'), createECDH('prime256v1')];
    key.setPrivateKey('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw', 'base64url');
    mine.setPrivateKey('q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94', 'base64url');
    const auth = Buffer.from('BTBZMqHH6r4Tts7J_aSIgg', 'base64url');
    const keys = { p256dh: mine.getPublicKey('base64url'), auth: auth.toString('base64url') };
    const salt = Buffer.from('DGv6ra1nlYgDCS1FRnbzlw', 'base64url');
    const text = 'When I grow up, I want to be a watermelon';
    const sent = encryptPush(keys, Buffer.from(`${text}\u0002`), { key, salt });
    expect(sent.toString('base64url')).toBe(
      'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
    );
    expect(decryptPush(sent, mine, auth)).toBe(text);
  });
});

test('[S-234] a courier is told once that it is chosen, and once each time that it is its move; a shipper when it is its', async () => {
  const browsers: Record<string, Browser & { id: string }> = {};
  const cast = await formed(async ({ shipper, couriers: [one] }) => {
    browsers['shipper'] = await subscribed(shipper);
    if (one) Object.assign(browsers, { phone: await subscribed(one), desk: await subscribed(one) });
  });
  const { phone, desk, shipper } = browsers;
  if (!phone || !desk || !shipper) throw new Error('all have subscribed');
  const titles = async (count: number) => {
    await until(() => push.titles(phone).length >= count);
    await untilTold(phone.id);
    return push.titles(phone);
  };
  expect(await titles(1)).toEqual([CHOSEN]);
  await move(service.current, cast, 0, first(cast), 'accept');
  expect(await titles(2)).toEqual([CHOSEN, MOVE]);
  await move(service.current, cast, 0, first(cast), 'take');
  expect(await titles(3)).toEqual([CHOSEN, MOVE, MOVE]);
  expect(push.titles(shipper)).toEqual([]);
  await moveWithText(service.current, cast, 0, first(cast), 'claim', 'It is at the door.');
  await until(() => push.titles(shipper).length > 0);
  await until(() => push.titles(desk).length === 3);
  await move(service.current, cast, 0, cast.shipper, 'confirm');
  await untilPackage(service.current, cast.parcel.id, ({ status }) => status === 'delivered');
  expect(await titles(3)).toEqual([CHOSEN, MOVE, MOVE]);
  expect(push.titles(shipper)).toEqual([MOVE]);

  // The shown text names nothing of its subject, and looks the same to a mere carrier.
  const all = push.shown.filter(({ path }) =>
    [phone, shipper].some(({ subscription }) => subscription.endpoint.endsWith(path)),
  );
  const { pubkey } = first(cast);
  const secrets = [
    cast.parcel.id,
    pubkey,
    cast.shipper.pubkey,
    cast.parcel.description ?? 'a package',
    '52.5',
    '0.1',
    'SOL',
  ];
  for (const { title, body, url: leadsTo, tag, headers } of all) {
    expect(secrets.filter((secret) => JSON.stringify({ title, body, leadsTo, tag, headers }).includes(secret))).toEqual(
      [],
    );
    expect([leadsTo, headers['ttl'], headers.topic]).toEqual(['me', '86400', tag]);
  }
  expect(new Set(all.map(({ bytes }) => bytes)).size).toBe(1);
});

test('[S-234] who is assigned a leg of a task without terms is told', async () => {
  const { task } = await postedTask(service.current);
  const agent = await service.current.party(0);
  const browser = await subscribed(agent);
  await claim(agent, task, 0);
  await until(() => push.titles(browser).length > 0);
  await untilTold(browser.id);
  expect(push.titles(browser)).toEqual([CHOSEN]);
  expect(push.shown.find(({ title }) => title === CHOSEN)?.body).toMatch(/waits for you/);
});

test('[S-234] a clock that ends soon is told of once, urgently, and not before', async () => {
  const cast = await formed(() => Promise.resolve());
  const browser = await subscribed(first(cast));
  await until(() => push.titles(browser).length > 0);
  // Chosen before it subscribed: what it is told is that something waits.
  expect(push.titles(browser)).toEqual([MOVE]);
  const { items } = await first(cast).client.listTurns({ pubkey: first(cast).pubkey });
  const [end, now] = [items[0]?.until?.getTime() ?? 0, Date.now()];
  expect(end).toBeGreaterThan(now);
  await untilTold(browser.id);
  expect(push.titles(browser)).toEqual([MOVE]);
  const handoffSec = cast.parcel.terms?.handoffSec ?? 0;
  await service.current.advanceTime(Math.floor(handoffSec * 0.85));
  await lookNow();
  await until(() => push.titles(browser).length > 1);
  await untilTold(browser.id);
  expect(push.titles(browser)).toEqual([MOVE, SOON]);
  expect(push.shown.at(-1)?.headers['urgency']).toBe('high');
});

describe('[S-235] a push service', () => {
  test.each([404, 410, 400, 403])(
    'that answers %i is sent nothing more, and the subscription is gone',
    async (status) => {
      const cast = await formed(() => Promise.resolve());
      push.status = status;
      const before = push.asked;
      const browser = await subscribed(first(cast));
      await until(async () => (await rowOf(browser.id)) === undefined);
      push.status = undefined;
      expect(push.asked).toBe(before + 1);
    },
  );

  test('that fails is tried again with what is so by then, and after three days no more', async () => {
    const cast = await formed(() => Promise.resolve());
    push.status = 503;
    const browser = await subscribed(first(cast));
    await until(async () => (await rowOf(browser.id))?.attempts === 1);
    await carryTo(service.current, cast, 0);
    push.status = undefined;
    await lookNow();
    await until(() => push.titles(browser).length > 0);
    await untilTold(browser.id);
    // To accept and to take are no news any more.
    expect(push.titles(browser)).toEqual([MOVE]);
    expect(await rowOf(browser.id)).toMatchObject({ attempts: 0, failing_since: null });

    push.status = 503;
    await moveWithText(service.current, cast, 0, first(cast), 'claim', 'It is here.');
    const { id } = await subscribed(cast.shipper);
    await until(async () => (await rowOf(id))?.attempts === 1);
    const passed = sql`update webhooks set failing_since = failing_since - interval '73 hours' where id = ${id}`;
    await passed.execute(service.current.db);
    await lookNow();
    await until(async () => (await rowOf(id)) === undefined);
    push.status = undefined;
  });
});

describe('[S-233] a subscription', () => {
  test('is one for each endpoint of a key, is ended by its key alone, and is no webhook', async () => {
    const [one, other] = [await service.current.party(0), await service.current.party(0)];
    const browser = push.subscribe();
    const { id } = await clientOf(one).subscribePush(browser.subscription);
    const keys = { ...browser.subscription.keys, auth: push.subscribe().subscription.keys.auth };
    expect(await clientOf(one).subscribePush({ ...browser.subscription, keys, expirationTime: null })).toMatchObject({
      id,
    });
    const theirs = await clientOf(other).subscribePush(browser.subscription);
    expect(theirs.id).not.toBe(id);
    expect((await clientOf(one).listWebhooks()).items).toEqual([]);
    expect(await refusalOf(clientOf(one).deleteWebhook({ webhookId: id }))).toMatchObject({ code: 'not_found' });
    await clientOf(other).unsubscribePush({ subscriptionId: id });
    expect(await rowOf(id)).toBeDefined();
    await clientOf(one).unsubscribePush({ subscriptionId: id });
    expect(await rowOf(id)).toBeUndefined();
    await clientOf(one).unsubscribePush({ subscriptionId: id });
    expect(await rowOf(theirs.id)).toBeDefined();
  });

  test('keeps endpoint and keys so that a copy of the database tells none', async () => {
    const browser = await subscribed(await service.current.party(0));
    const row = await rowOf(browser.id);
    const text = JSON.stringify({ ...row, acked_seq: null, sealed: row?.sealed.toString('latin1') });
    const { endpoint, keys } = browser.subscription;
    for (const secret of [endpoint.slice(-16), keys.auth, keys.p256dh]) expect(text).not.toContain(secret);
  });

  test('is one of few of a key, however many ask at once', async () => {
    const client = clientOf(await service.current.party(0));
    const asked = await Promise.allSettled(
      Array.from({ length: 8 }, () => client.subscribePush(push.subscribe().subscription)),
    );
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect(await refusalOf(client.subscribePush(push.subscribe().subscription))).toMatchObject({
      code: 'too_many_webhooks',
      field: 'endpoint',
    });
  });

  const { keys } = {
    keys: { p256dh: createECDH('prime256v1').generateKeys('base64url'), auth: 'BTBZMqHH6r4Tts7J_aSIgg' },
  };
  const offCurve = `B${generateKeyPairSync('ed25519').publicKey.export({ format: 'der', type: 'spki' }).toString('base64url').padEnd(86, 'A').slice(0, 86)}`;
  test.each([
    ['plain http', { endpoint: 'http://push.example/1', keys }, 'endpoint'],
    ['another scheme', { endpoint: 'file:///etc/passwd', keys }, 'endpoint'],
    ['a user name', { endpoint: 'https://me@push.example/1', keys }, 'endpoint'],
    ['an endless address', { endpoint: `https://push.example/${'x'.repeat(2000)}`, keys }, 'endpoint'],
    [
      'a point beside the curve',
      { endpoint: 'https://push.example/1', keys: { ...keys, p256dh: offCurve } },
      'keys.p256dh',
    ],
    ['a short key', { endpoint: 'https://push.example/1', keys: { ...keys, p256dh: 'BAAA' } }, 'keys.p256dh'],
    ['a short secret', { endpoint: 'https://push.example/1', keys: { ...keys, auth: 'AAAA' } }, 'keys.auth'],
  ])('is refused with %s', async (_what, given, field) => {
    const client = clientOf(await service.current.party(0));
    expect(await refusalOf(client.subscribePush(given))).toMatchObject({ code: 'invalid_input', field });
  });

  test('is for endpoints where webhooks may lead', async () => {
    const { signer } = await service.current.party(0);
    const closed = createLegworkClient({ url: service.current.server.url, signer });
    expect((await closed.getConfig()).pushPublicKey).toBeNull();
    expect(await refusalOf(closed.subscribePush(push.subscribe().subscription))).toMatchObject({
      code: 'invalid_input',
      field: 'endpoint',
    });
    const publicly = openTargets({
      webhooks: { targets: 'public', perKey: 0, perAddress: 0 },
      publicUrl: 'https://a.example',
      mcpPublicUrl: undefined,
    });
    for (const target of [
      'https://127.0.0.1/x',
      'https://10.0.0.1/x',
      'https://[::1]/x',
      'https://169.254.169.254/x',
      'https://push.example:8443/x',
      'https://a.example/x',
    ])
      expect(publicly.refusal(target)).toBeDefined();
  });

  test('needs a signature', async () => {
    const client = createLegworkClient({ url });
    expect(await refusalOf(client.subscribePush(push.subscribe().subscription)).catch(String)).toMatch(/sign/i);
  });
});
