import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createUuid } from '@legwork/protocol/contract';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { AppContext } from '../../src/context.js';
import { createWakers } from '../../src/createContext.js';
import { type LoggedEvent, readEvents, sealedPayload } from '../../src/db/events.js';
import { startFanout } from '../../src/events/fanout.js';
import { EVENTS_CHANNEL, startSequencer } from '../../src/events/sequencer.js';
import { withTestDatabase } from '../support/database.js';
import { appendOne, eventsContext, migrateDatabase, until } from './log.js';

const database = withTestDatabase(migrateDatabase);
let context: ReturnType<typeof eventsContext>;

beforeAll(() => {
  context = eventsContext(database.connectionString, 30);
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => context.db.destroy());

const LONGER_THAN_ANY_TEST_MS = 600_000;

const unnumbered = async (): Promise<number> => {
  const rows = await context.db.selectFrom('events').select('id').where('seq', 'is', null).execute();
  return rows.length;
};
const everything = () => readEvents(context.db, { after: 0n, limit: 100_000 });
const packageIds = (events: readonly LoggedEvent[]) => events.map(({ payload }) => String(payload['packageId']));

/** A transaction that takes its ids early or late, and commits when it likes, or never. */
const transaction = fc.record({
  start: fc.nat(40),
  pauses: fc.array(fc.nat(25), { minLength: 1, maxLength: 3 }),
  commits: fc.boolean(),
});
type Transaction = { start: number; pauses: number[]; commits: boolean };

class RolledBack extends Error {}

/** Appends one event a pause. @returns what it committed, in its own order */
async function run({ start, pauses, commits }: Transaction): Promise<string[]> {
  await sleep(start);
  const ids = pauses.map(() => createUuid());
  try {
    await context.db.transaction().execute(async (trx) => {
      for (const [index, packageId] of ids.entries()) {
        const payload = sealedPayload({ packageId, failureReason: 'reclaimed' });
        await trx
          .insertInto('events')
          .values({ type: 'PACKAGE_FAILED', subject: 'x', ...payload })
          .execute();
        await sleep(pauses[index]);
      }
      if (!commits) throw new RolledBack();
    });
  } catch (error) {
    if (error instanceof RolledBack) return [];
    throw error;
  }
  return ids;
}

/** Follows the log the way a client does: ask for what is after the last number seen. */
async function follow(from: bigint, limit: number, stop: () => boolean): Promise<string[]> {
  const seen: string[] = [];
  let after = from;
  for (;;) {
    const last = stop();
    const events = await readEvents(context.db, { after, limit });
    for (const { seq, payload } of events) {
      expect(seq > after).toBe(true);
      after = seq;
      seen.push(String(payload['packageId']));
    }
    if (last && events.length === 0) return seen;
    await sleep(1);
  }
}

/** A replica that numbers events, with a client that follows them live. */
async function startReplica() {
  const own = { ...context, wakers: createWakers(), numbered: new EventEmitter() as AppContext['numbered'] };
  const heard: string[] = [];
  const config = context.config as AppContext['config'];
  const fanout = await startFanout({ ...own, config });
  fanout.join({ accept: ({ payload }) => heard.push(String(payload['packageId'])) });
  const sequencer = startSequencer(own);
  return {
    heard,
    head: () => fanout.head(),
    wake: () => own.wakers.sequencer.wake(),
    stop: () => Promise.all([sequencer.stop(), fanout.stop()]),
  };
}

describe('the sequencer', () => {
  test('[S-30] readers miss nothing, get nothing twice and agree on the order, whatever commits when', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(transaction, { minLength: 10, maxLength: 25 }), async (transactions) => {
        const before = await everything();
        const from = before.at(-1)?.seq ?? 0n;
        const replicas = await Promise.all([startReplica(), startReplica()]);
        let finished = false;
        const readers = [1, 3, 100].map((limit) => follow(from, limit, () => finished));
        const committed = await Promise.all(
          transactions.map(async (given, index) => {
            const ids = await run(given);
            replicas[index % 2]?.wake();
            return ids;
          }),
        );
        await until(async () => (await unnumbered()) === 0);
        finished = true;
        const all = await everything();
        const log = packageIds(all.slice(before.length));
        for (const seen of await Promise.all(readers)) expect(seen).toEqual(log);
        await until(async () => replicas.every(({ head }) => head() === all.at(-1)?.seq));
        for (const { heard } of replicas) expect(heard).toEqual(log);
        expect(new Set(log)).toEqual(new Set(committed.flat()));
        expect(log).toHaveLength(committed.flat().length);
        for (const ids of committed) expect(log.filter((id) => ids.includes(id))).toEqual(ids);
        await Promise.all(replicas.map((replica) => replica.stop()));
      }),
      { numRuns: 8 },
    );
  });

  test('[S-30] whatever anybody with the database says on the channel, followers get what is numbered', async () => {
    const replica = await startReplica();
    const listening = sql`select from pg_stat_activity
      where datname = current_database() and query = ${`listen ${EVENTS_CHANNEL}`} and state = 'idle'`;
    await until(async () => (await listening.execute(context.db)).rows.length > 0);
    for (const said of ['x', '', '-1', '9'.repeat(19), '9'.repeat(400), '1e9']) {
      await sql`select pg_notify(${EVENTS_CHANNEL}, ${said})`.execute(context.db);
    }
    const id = await appendOne(context.db);
    replica.wake();
    await until(() => replica.heard.includes(id));
    expect(replica.heard.filter((heard) => heard === id)).toHaveLength(1);
    await replica.stop();
  });

  test('[S-30] an event that follows another one has the larger number', async () => {
    const sequencer = startSequencer(context);
    const ids: string[] = [];
    for (let index = 0; index < 20; index += 1) {
      ids.push(await appendOne(context.db));
      if (index % 3 === 0) context.wakers.sequencer.wake();
    }
    context.wakers.sequencer.wake();
    await until(async () => (await unnumbered()) === 0);
    expect(packageIds(await everything()).slice(-20)).toEqual(ids);
    await sequencer.stop();
  });

  test('[S-30] more events than one pass takes are numbered in order of their ids', async () => {
    const before = (await everything()).length;
    const rows = Array.from({ length: 2500 }, (_, index) => ({
      type: 'PACKAGE_FAILED',
      subject: 'x',
      payload: JSON.stringify({ packageId: String(index) }),
    }));
    await context.db.insertInto('events').values(rows).execute();
    const sequencer = startSequencer(context);
    await until(async () => (await unnumbered()) === 0);
    const numbered = await everything();
    expect(packageIds(numbered.slice(before))).toEqual(rows.map((_, index) => String(index)));
    await sequencer.stop();
  });

  test('[S-30] numbers what nobody announced', async () => {
    const sequencer = startSequencer(context);
    await until(async () => (await unnumbered()) === 0);
    const id = await appendOne(context.db);
    await until(async () => (await unnumbered()) === 0);
    expect(packageIds(await everything()).at(-1)).toBe(id);
    await sequencer.stop();
  });

  test('[S-30] numbers what is announced during a pass without waiting for a poll', async () => {
    const waiting = async (): Promise<boolean> => {
      const { rows } = await sql`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(context.db);
      return rows.length > 0;
    };
    const held = await appendOne(context.db);
    const waker = context.wakers.sequencer;
    const rest = waker.rest.bind(waker);
    vi.spyOn(waker, 'rest').mockImplementation(() => rest(LONGER_THAN_ANY_TEST_MS));
    const row = await context.db.startTransaction().execute();
    await row.selectFrom('events').select('id').where('seq', 'is', null).forUpdate().execute();
    const sequencer = startSequencer(context);
    await until(waiting);
    const late = await appendOne(context.db);
    context.wakers.sequencer.wake();
    await row.commit().execute();
    await until(async () => (await unnumbered()) === 0);
    expect(packageIds(await everything()).slice(-2)).toEqual([held, late]);
    await sequencer.stop();
  });

  test('[S-30] numbers nothing once stopped, and leaves it for the next', async () => {
    const sequencer = startSequencer(context);
    await sequencer.stop();
    const id = await appendOne(context.db);
    context.wakers.sequencer.wake();
    await sleep(100);
    expect(packageIds(await everything())).not.toContain(id);
    const next = startSequencer(context);
    await until(async () => packageIds(await everything()).includes(id));
    await next.stop();
  });
});
