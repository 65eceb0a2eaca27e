import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { AppContext } from '../../src/context.js';
import { lastEventSeq, readEvents } from '../../src/db/events.js';
import { startSequencer } from '../../src/events/sequencer.js';
import { type Events, startEvents } from '../../src/events/fanout.js';
import { testContext } from '../http/service.js';
import { withTestDatabase } from '../support/database.js';
import { decodeFrame, type Frame, Listener, refusal } from './client.js';
import { appendOne, migrateDatabase, until } from './log.js';

const database = withTestDatabase(migrateDatabase);

interface Replica {
  context: AppContext;
  events: Events;
  server: Server;
  url: string;
  stop(): Promise<void>;
}

async function startReplica(): Promise<Replica> {
  const context = await testContext(database.connectionString);
  const events = await startEvents(context);
  const sequencer = startSequencer(context);
  const server = createServer();
  events.attach(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const stop = async () => {
    await Promise.all([events.stop(), sequencer.stop()]);
    server.close();
    await context.db.destroy();
  };
  return { context, events, server, url: `ws://127.0.0.1:${port}/ws`, stop };
}

let replica: Replica;
beforeAll(async () => {
  replica = await startReplica();
});
afterAll(() => replica.stop());

const append = async (type?: 'PACKAGE_FAILED' | 'PACKAGE_DELIVERED'): Promise<string> => {
  const id = await appendOne(replica.context.db, type);
  replica.context.wakers.sequencer.wake();
  return id;
};
const logged = () => readEvents(replica.context.db, { after: 0n, limit: 100_000 });
const settled = () =>
  until(async () => {
    const open = await replica.context.db.selectFrom('events').select('id').where('seq', 'is', null).execute();
    return open.length === 0;
  });
const loggedIds = async () => (await logged()).map(({ payload }) => String(payload['packageId']));

/** Ends the connections on which the replicas wait for hints; polling and reconnecting take up to a second. */
async function cutHints(): Promise<void> {
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'legwork events' and datname = current_database()`.execute(replica.context.db);
}

describe('a subscriber', () => {
  test('[S-31] gets each event as one flat text frame in its wire form, and nothing else', async () => {
    const listener = await new Listener(replica.url).opened();
    const packageId = await append('PACKAGE_DELIVERED');
    const [frame] = await listener.until(1);
    const [event] = (await logged()).slice(-1);
    expect(frame).toEqual({
      type: 'PACKAGE_DELIVERED',
      seq: Number(event?.seq),
      occurredAt: event?.occurredAt.toISOString(),
      packageId,
      settleSignature: 'signature',
      refundLamports: 5,
    });
    expect(decodeFrame(frame)).toMatchObject({ refundLamports: 5n, occurredAt: event?.occurredAt });
    await listener.end();
  });

  test('[S-33] without since gets what happens from now on', async () => {
    const earlier = await new Listener(replica.url).opened();
    await append();
    await earlier.until(1);
    const listener = await new Listener(replica.url).opened();
    const id = await append();
    await Promise.all([earlier.until(2), listener.until(1)]);
    expect(listener.packageIds()).toEqual([id]);
    await Promise.all([earlier.end(), listener.end()]);
  });

  test('[S-33] with since=0 gets the whole log, then what happens', async () => {
    await settled();
    const ids = await loggedIds();
    const listener = await new Listener(`${replica.url}?since=0`).opened();
    await listener.until(ids.length);
    const id = await append();
    await listener.until(ids.length + 1);
    expect(listener.packageIds()).toEqual([...ids, id]);
    await listener.end();
  });

  test('[S-33] with since=N gets what follows N', async () => {
    await append();
    await append();
    await settled();
    const [previous, last] = (await logged()).slice(-2);
    const listener = await new Listener(`${replica.url}?since=${previous?.seq}`).opened();
    await listener.until(1);
    expect(listener.frames.map(({ seq }) => BigInt(seq))).toEqual([last?.seq]);
    await listener.end();
  });

  test('[S-33] sees no gap and no duplicate, whenever it connects while events flow', async () => {
    const moments = fc.record({ since: fc.nat(30), delays: fc.array(fc.nat(6), { minLength: 20, maxLength: 60 }) });
    const plan = fc.record({ readers: fc.array(fc.nat(60), { minLength: 3, maxLength: 8 }), moments });
    await fc.assert(
      fc.asyncProperty(plan, async ({ readers, moments: { since, delays } }) => {
        const head = await lastEventSeq(replica.context.db);
        const from = head > BigInt(since) ? head - BigInt(since) : 0n;
        const listening = readers.map(async (delay) => {
          await sleep(delay);
          return new Listener(`${replica.url}?since=${from}`).opened();
        });
        await Promise.all(
          [0, 1, 2].map(async (writer) => {
            for (const [index, delay] of delays.entries()) {
              if (index % 3 !== writer) continue;
              await sleep(delay);
              await append();
            }
          }),
        );
        await settled();
        const log = await readEvents(replica.context.db, { after: from, limit: 100_000 });
        const numbers = log.map(({ seq }) => Number(seq));
        for (const listener of await Promise.all(listening)) {
          await listener.until(numbers.length);
          expect(listener.frames.map(({ seq }) => seq)).toEqual(numbers);
          await listener.end();
        }
      }),
      { numRuns: 8 },
    );
  });

  test('[S-33] gets once what the replay showed before the live side knew of it', async () => {
    for (let round = 0; round < 3; round += 1) {
      const live = await new Listener(replica.url).opened();
      const first = await append();
      const [known] = await live.until(1);
      await cutHints();
      const second = await append();
      await settled();
      const listener = await new Listener(`${replica.url}?since=${(known?.seq ?? 0) - 1}`).opened();
      await live.until(2);
      const third = await append();
      await live.until(3);
      await listener.until(3);
      expect(listener.packageIds()).toEqual([first, second, third]);
      await Promise.all([live.end(), listener.end()]);
    }
  });

  test('[S-33] replays a log longer than a page', async () => {
    const rows = Array.from({ length: 1234 }, (_, index) => ({
      type: 'PACKAGE_FAILED',
      subject: 'x',
      payload: JSON.stringify({ packageId: String(index) }),
    }));
    await settled();
    const from = await lastEventSeq(replica.context.db);
    await replica.context.db.insertInto('events').values(rows).execute();
    await settled();
    const listener = await new Listener(`${replica.url}?since=${from}`).opened();
    await listener.until(rows.length);
    expect(listener.packageIds()).toEqual(rows.map((_, index) => String(index)));
    await listener.end();
  });

  test('[S-32] with topics gets those types only, replayed and live', async () => {
    await settled();
    const from = await lastEventSeq(replica.context.db);
    const first = await append('PACKAGE_DELIVERED');
    await append('PACKAGE_FAILED');
    await settled();
    const listener = await new Listener(
      `${replica.url}?since=${from}&topics=PACKAGE_DELIVERED,PACKAGE_LISTED`,
    ).opened();
    await listener.until(1);
    await append('PACKAGE_FAILED');
    const second = await append('PACKAGE_DELIVERED');
    await listener.until(2);
    expect(listener.packageIds()).toEqual([first, second]);
    await listener.end();
  });

  test('[S-32] a topic that never occurred still leads to the live events', async () => {
    const listener = await new Listener(`${replica.url}?since=0&topics=LEG_CONFIRMED`).opened();
    const all = await new Listener(replica.url).opened();
    await append();
    await all.until(1);
    expect(listener.frames).toEqual([]);
    expect(listener.closed).toBeUndefined();
    await Promise.all([listener.end(), all.end()]);
  });
});

describe('a connection that cannot be served', () => {
  test.each([
    ['?since=-1', ['since']],
    ['?since=abc', ['since']],
    ['?since=', ['since']],
    ['?since=1.5', ['since']],
    ['?since=99999999999999999999', ['since']],
    ['?since=1&since=2', ['since']],
    ['?topics=NEWS', ['topics']],
    ['?topics=', ['topics']],
    ['?topics=PACKAGE_LISTED,', ['topics']],
    ['?topic=PACKAGE_LISTED', ['topic']],
    ['?since=x&topics=y', ['since', 'topics']],
  ])('[S-32] is refused before the upgrade and names the parameter: %s', async (query, fields) => {
    const { status, type, body } = await refusal(`${replica.url}${query}`);
    expect([status, type, body['code']]).toEqual([400, 'application/problem+json; charset=utf-8', 'invalid_input']);
    expect((body['errors'] as { field: string }[]).map(({ field }) => field)).toEqual(fields);
  });

  test('[S-32] a number the log has not reached is refused, for it would hide what comes', async () => {
    const last = await lastEventSeq(replica.context.db);
    const { status, body } = await refusal(`${replica.url}?since=${last + 1000n}`);
    expect([status, body['code']]).toEqual([400, 'invalid_input']);
    expect(body['detail']).toContain(`the newest event here is ${last}`);
  });

  test.each(['/', '/ws/', '/wss', '/events', '//ws'])('[S-32] there is no other WebSocket: %s', async (path) => {
    const { status, body } = await refusal(`${new URL(replica.url).origin}${path}`);
    expect([status, body['code']]).toEqual([404, 'not_found']);
  });
});

describe('several replicas', () => {
  test('[S-30] share one log: what one numbers, the subscribers of all get, in one order', async () => {
    const other = await startReplica();
    const listeners = await Promise.all([new Listener(replica.url).opened(), new Listener(other.url).opened()]);
    const ids: string[] = [];
    for (let index = 0; index < 10; index += 1) {
      const { context } = index % 2 === 0 ? replica : other;
      ids.push(await appendOne(context.db));
      context.wakers.sequencer.wake();
    }
    for (const listener of listeners) {
      await listener.until(ids.length);
      expect(listener.packageIds()).toEqual(ids);
      await listener.end();
    }
    await other.stop();
  });

  test('[S-33] a client that goes from one to the other, again and again, misses nothing and hears nothing twice', async () => {
    const other = await startReplica();
    await settled();
    const start = await lastEventSeq(replica.context.db);
    const total = 120;
    const appended = (async () => {
      const ids: string[] = [];
      for (let index = 0; index < total; index += 1) {
        const { context } = index % 3 === 0 ? replica : other;
        ids.push(await appendOne(context.db));
        context.wakers.sequencer.wake();
      }
      return ids;
    })();
    const heard: Frame[] = [];
    for (let visit = 0; heard.length < total; visit += 1) {
      const { url } = visit % 2 === 0 ? replica : other;
      const listener = await new Listener(`${url}?since=${heard.at(-1)?.seq ?? start}`).opened();
      await listener.until(Math.min(1 + (visit % 5), total - heard.length));
      await listener.end();
      heard.push(...listener.frames);
    }
    const ids = await appended;
    expect(heard.map(({ packageId }) => packageId).sort()).toEqual([...ids].sort());
    expect(heard).toEqual(heard.toSorted((a, b) => a.seq - b.seq));
    await other.stop();
  });

  test('[S-30] a lost connection for hints delays events, and loses none', async () => {
    const listener = await new Listener(replica.url).opened();
    await cutHints();
    const first = await append();
    await listener.until(1);
    await cutHints();
    const second = await append();
    await listener.until(2);
    expect(listener.packageIds()).toEqual([first, second]);
    await listener.end();
  });
});

describe('the end of a connection', () => {
  test('[S-34] a reader too slow for the live events is cut off, and resumes without loss', async () => {
    await settled();
    const from = await lastEventSeq(replica.context.db);
    const slow = await new Listener(`${replica.url}?since=${from}`).opened();
    // Events that this one hears came after everything that the slow one was offered.
    const marker = await new Listener(`${replica.url}?since=${from}&topics=PACKAGE_DELIVERED`).opened();
    await append('PACKAGE_DELIVERED');
    await Promise.all([slow.until(1), marker.until(1)]);
    slow.socket.pause();
    const count = 1500;
    await sql`insert into events (type, subject, payload)
      select 'PACKAGE_FAILED', 'x', jsonb_build_object('packageId', n::text, 'filling', repeat('x', 20000))
      from generate_series(0, ${count - 1}) n`.execute(replica.context.db);
    await append('PACKAGE_DELIVERED');
    await marker.until(2);
    slow.socket.resume();
    await until(() => slow.closed !== undefined);
    expect(slow.closed).toEqual({ code: 4008, reason: expect.stringContaining('since=') });
    const resumed = await new Listener(`${replica.url}?since=${slow.frames.at(-1)?.seq}`).opened();
    await resumed.until(count + 2 - slow.frames.length);
    const log = await readEvents(replica.context.db, { after: from, limit: count + 2 });
    expect(resumed.frames.length).toBeGreaterThan(0);
    expect([...slow.frames, ...resumed.frames].map(({ seq }) => BigInt(seq))).toEqual(log.map(({ seq }) => seq));
    await Promise.all([marker.end(), resumed.end()]);
  });

  test('[S-34] who answers pings stays, who does not is gone after the second', async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const other = await startReplica();
    const [lively, dead] = await Promise.all([
      new Listener(other.url).opened(),
      new Listener(other.url, { autoPong: false }).opened(),
    ]);
    const ping = async () => {
      const pinged = Promise.all([lively, dead].map(({ socket }) => once(socket, 'ping')));
      vi.advanceTimersByTime(25_000);
      await pinged;
      // The answer has reached the server once the answer to a later question is back.
      lively.socket.ping();
      await once(lively.socket, 'pong');
    };
    await ping();
    expect(dead.closed).toBeUndefined();
    vi.advanceTimersByTime(25_000);
    await until(() => dead.closed !== undefined);
    expect(dead.closed?.code).toBe(1006);
    vi.useRealTimers();
    await appendOne(other.context.db);
    await lively.until(1);
    expect(lively.closed).toBeUndefined();
    await other.stop();
  });

  test('[S-34] a client that talks too much is cut off', async () => {
    const listener = await new Listener(replica.url).opened();
    listener.socket.send('x'.repeat(5000));
    await until(() => listener.closed !== undefined);
    expect(listener.closed?.code).toBe(1009);
  });

  test('[S-34] on shutdown every subscriber is told to reconnect, and new ones are refused', async () => {
    const other = await startReplica();
    const listeners = await Promise.all([1, 2, 3].map(() => new Listener(`${other.url}?since=0`).opened()));
    await other.events.stop();
    for (const listener of listeners) {
      await until(() => listener.closed !== undefined);
      expect(listener.closed).toEqual({ code: 1012, reason: expect.stringContaining('since=') });
    }
    const { status, body } = await refusal(other.url);
    expect([status, body['code']]).toEqual([503, 'not_ready']);
    other.server.close();
    await other.context.db.destroy();
  });
});
