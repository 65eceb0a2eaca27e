import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { appendOne, migrateDatabase, until } from '../events/log.js';
import { withTestDatabase } from '../support/database.js';
import { type Hooks, logOf, passHours, refusalOf, registered, startHooks, startReceiver } from './scene.js';

const database = withTestDatabase(migrateDatabase);
const start = () => startHooks(database.connectionString);

describe('a receiver that is down', () => {
  test('[S-186] for three days loses nothing: all comes in order once it is back', async () => {
    const [hooks, receiver] = [await start(), await startReceiver()];
    const { owner, hook } = await registered(hooks, receiver);
    receiver.answer = (_, response) => response.writeHead(500).end();
    await hooks.append(5);
    const attempts = async () => (await owner.listWebhooks()).items[0]?.attempts;
    // No pause is longer than ten hours.
    for (let tries = 1; tries <= 7; tries += 1) {
      await until(async () => ((await attempts()) ?? 0) >= tries);
      await passHours(hooks.context.db, 10);
      await hooks.append(1);
    }
    await until(async () => ((await attempts()) ?? 0) >= 8);
    const {
      items: [failing],
    } = await owner.listWebhooks();
    expect(failing).toMatchObject({ status: 'failing', lastError: 'answers 500', ackedSeq: hook.ackedSeq });
    // Only the first event was tried: nothing comes before what is ahead of it.
    expect(new Set(receiver.arrived.slice(1).map(({ data }) => data.seq)).size).toBe(1);
    receiver.answer = undefined;
    await passHours(hooks.context.db, 10);
    await receiver.until(12);
    expect(receiver.seqs()).toEqual(await logOf(hooks.context.db, hook.ackedSeq));
    expect((await owner.listWebhooks()).items[0]).toMatchObject({ status: 'active', attempts: 0, lastError: null });
  });

  test('[S-186] for longer is sent nothing more, its owner sees why, and has all of it sent again', async () => {
    const [hooks, receiver] = [await start(), await startReceiver()];
    const { owner, hook } = await registered(hooks, receiver);
    receiver.answer = (_, response) => response.destroy();
    await hooks.append(3);
    await until(async () => (await owner.listWebhooks()).items[0]?.status === 'failing');
    await passHours(hooks.context.db, 73);
    await until(async () => (await owner.listWebhooks()).items[0]?.status === 'disabled');
    const {
      items: [told],
    } = await owner.listWebhooks();
    expect(told).toMatchObject({
      lastError: 'cannot be reached (ECONNRESET)',
      nextTryAt: null,
      disabledAt: expect.any(Date),
    });
    const tried = receiver.arrived.length;
    await hooks.append(2);
    await passHours(hooks.context.db, 100);
    receiver.answer = undefined;
    const back = await owner.redeliverWebhook({ webhookId: hook.id, since: hook.ackedSeq });
    expect(back).toMatchObject({ status: 'active', ackedSeq: hook.ackedSeq });
    await receiver.until(5);
    expect(receiver.seqs()).toEqual(await logOf(hooks.context.db, hook.ackedSeq));
    expect(receiver.arrived.slice(tried).map(({ type }) => type)[0]).toBe('WEBHOOK_CHALLENGE');
  });

  test('[S-186] and says 410 is sent nothing more at once', async () => {
    const [hooks, receiver] = [await start(), await startReceiver()];
    const { owner } = await registered(hooks, receiver);
    receiver.answer = (_, response) => response.writeHead(410).end();
    await hooks.append(1);
    await until(async () => (await owner.listWebhooks()).items[0]?.status === 'disabled');
    expect((await owner.listWebhooks()).items[0]).toMatchObject({ attempts: 1, lastError: 'answers 410' });
  });

  test('[S-187] slows nobody: others get theirs while it has not answered', async () => {
    const [hooks, silent, lively] = [await start(), await startReceiver(), await startReceiver()];
    const held: (() => void)[] = [];
    silent.answer = (posted, response) => {
      if (posted.type === 'WEBHOOK_CHALLENGE') silent.take(posted, response);
      else held.push(() => response.end());
    };
    const slow = await hooks.client('192.0.2.7');
    for (let index = 0; index < 20; index += 1) await slow.registerWebhook({ url: silent.url, secret: silent.secret });
    await registered(hooks, lively);
    await hooks.append(1);
    // Of one address eight are under way at a time; the others of it wait, and nobody else.
    await until(() => held.length === 8);
    await hooks.append(10);
    await lively.until(11);
    expect([held.length, silent.taken]).toEqual([8, []]);
    for (const answer of held) answer();
  });
});

describe('a redelivery', () => {
  test('[S-187] begins at any number, and the webhook goes on behind it', async () => {
    const [hooks, receiver] = [await start(), await startReceiver()];
    const { owner, hook } = await registered(hooks, receiver);
    await hooks.append(4);
    await receiver.until(4);
    const [, second = 0] = receiver.seqs();
    await owner.redeliverWebhook({ webhookId: hook.id, since: second });
    await receiver.until(6);
    await hooks.append(1);
    await receiver.until(7);
    const log = await logOf(hooks.context.db, hook.ackedSeq);
    expect(receiver.seqs()).toEqual([...log.slice(0, 4), ...log.slice(2)]);
    expect(receiver.taken.map(({ id }) => id)).toEqual(receiver.seqs().map((seq) => `evt_${seq}`));
    expect(await refusalOf(owner.redeliverWebhook({ webhookId: hook.id, since: 99_999_999 }))).toMatchObject({
      field: 'since',
    });
  });

  test('[S-183] from the beginning is what a registration can ask for', async () => {
    const [hooks, receiver] = [await start(), await startReceiver()];
    await hooks.append(2);
    await until(async () => (await logOf(hooks.context.db, 0)).length >= 2);
    await registered(hooks, receiver, { since: 0, filter: { topics: 'PACKAGE_FAILED' } });
    const log = await logOf(hooks.context.db, 0);
    await receiver.until(log.length);
    expect(receiver.seqs()).toEqual(log);
  });
});

describe('several replicas', () => {
  const replicaOf = ({ context }: Hooks) => startHooks(database.connectionString, {}, context.ledger.decisionKey);

  test('[S-187] share the work: each event is posted once, in order', async () => {
    const [hooks, receiver] = [await start(), await startReceiver()];
    const other = await replicaOf(hooks);
    const { hook } = await registered(hooks, receiver);
    for (let round = 0; round < 10; round += 1) await (round % 2 === 0 ? hooks : other).append(5);
    await receiver.until(50);
    expect(receiver.seqs()).toEqual(await logOf(hooks.context.db, hook.ackedSeq));
  });

  test('[S-187] one goes on where another died: what was under way comes again, nothing is missing', async () => {
    const [hooks, receiver] = [await start(), await startReceiver()];
    const { hook } = await registered(hooks, receiver);
    const other = await replicaOf(hooks);
    const held: (() => void)[] = [];
    receiver.answer = (posted, response) => held.push(() => receiver.take(posted, response));
    await hooks.append(3);
    await until(() => held.length === 1);
    // As if the one that waits had died: its lease ends, and what it has yet to write is void.
    receiver.answer = undefined;
    await hooks.context.db
      .updateTable('webhooks')
      .set({ leased_until: new Date(0) })
      .execute();
    await receiver.until(3);
    held[0]?.();
    await other.append(1);
    await receiver.until(5);
    const log = await logOf(hooks.context.db, hook.ackedSeq);
    expect(receiver.seqs().filter((seq, index, all) => all.indexOf(seq) === index)).toEqual(log);
    expect(receiver.seqs().toSorted((a, b) => a - b)).toEqual([log[0], ...log].toSorted((a = 0, b = 0) => a - b));
  });

  test('[S-187] a service that stops gives its webhooks back, and the next one goes on', async () => {
    const [hooks, receiver] = [await start(), await startReceiver()];
    const { hook } = await registered(hooks, receiver);
    await hooks.append(20);
    await receiver.until(1);
    await hooks.stop();
    const next = await replicaOf(hooks);
    await next.append(1);
    await receiver.until(21);
    expect(receiver.seqs()).toEqual(await logOf(next.context.db, hook.ackedSeq));
  });
});

describe('a service that always has something to post', () => {
  test('[S-186] tries a receiver again when its time has come, however much is sent to others meanwhile', async () => {
    const [hooks, receiver, lively] = [await start(), await startReceiver(), await startReceiver()];
    const { owner } = await registered(hooks, receiver, { filter: { topics: 'PACKAGE_DELIVERED' } });
    await registered(hooks, lively, { filter: { topics: 'PACKAGE_FAILED' } });
    receiver.answer = (_, response) => response.writeHead(500).end();
    await appendOne(hooks.context.db, 'PACKAGE_DELIVERED');
    await until(async () => ((await owner.listWebhooks()).items[0]?.attempts ?? 0) >= 1);
    receiver.answer = undefined;
    await passHours(hooks.context.db, 10);
    await until(async () => {
      // Others are never left without an event for as long as a look around waits.
      await hooks.append(1);
      await sleep(100);
      // Twice, where its lease was over while it was sent.
      return receiver.taken.length >= 1;
    });
    expect(lively.taken).not.toEqual([]);
  });
});
