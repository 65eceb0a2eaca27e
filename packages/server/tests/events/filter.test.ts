import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EVENT_TYPES } from '@legwork/protocol/contract';
import { greatCircleKm } from '@legwork/protocol/rules';
import { followEvents } from '@legwork/sdk';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { AppContext } from '../../src/context.js';
import { type LoggedEvent, readEvents } from '../../src/db/events.js';
import { type Events, startEvents } from '../../src/events/fanout.js';
import { startSequencer } from '../../src/events/sequencer.js';
import { listEvents } from '../../src/operations/market.js';
import { testContext } from '../http/service.js';
import { withTestDatabase } from '../support/database.js';
import { Listener, refusal } from './client.js';
import { migrateDatabase, until } from './log.js';
import {
  anyKey,
  type At,
  endListing,
  joinListing,
  type Listing,
  listPackageAt,
  listTaskOf,
  openLegAt,
} from './marketLog.js';

const database = withTestDatabase(migrateDatabase);
let context: AppContext;
let events: Events;
let url: string;
const ends: (() => unknown)[] = [];

beforeAll(async () => {
  context = await testContext(database.connectionString);
  events = await startEvents(context);
  const sequencer = startSequencer(context);
  const server = createServer();
  events.attach(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws`;
  ends.push(
    () => server.close(),
    () => context.db.destroy(),
    () => Promise.all([events.stop(), sequencer.stop()]),
  );
});
afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

/** Waits until everything is numbered, and live followers have been told. */
async function settled(): Promise<bigint> {
  context.wakers.sequencer.wake();
  await until(async () => {
    const open = await context.db.selectFrom('events').select('id').where('seq', 'is', null).execute();
    return open.length === 0;
  });
  const last = (await readEvents(context.db, { before: 2n ** 62n, limit: 1 }))[0]?.seq ?? 0n;
  await until(() => events.fanout.head() === last);
  return last;
}

interface Filter {
  package?: string | undefined;
  task?: string | undefined;
  agent?: string | undefined;
  near?: string | undefined;
  radiusKm?: number | undefined;
  topics?: string | undefined;
}

const queryOf = (filter: Filter) =>
  new URLSearchParams(
    Object.entries(filter).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, String(value)]],
    ),
  );

/** The rule told a second time: which of the whole log the filter keeps. */
function kept(filter: Filter, log: readonly LoggedEvent[]): bigint[] {
  const named = new Set<string>();
  const places = new Map<string, At[]>();
  return log.flatMap(({ seq, type, subject, payload }) => {
    const own = ['origin', 'destination', 'pickup', 'dropoff'].flatMap(
      (name) => (payload[name] as At | undefined) ?? [],
    );
    if (type === 'PACKAGE_LISTED') places.set(subject, own);
    for (const name of ['agentPubkey', 'shipperPubkey']) if (payload[name] === filter.agent) named.add(subject);
    const [lat = 0, lng = 0] = (filter.near ?? '').split(',').map(Number);
    const isNear = [...own, ...(places.get(subject) ?? [])].some(
      (place) => greatCircleKm({ lat, lng }, place) <= (filter.radiusKm ?? 25),
    );
    const isKept =
      (filter.package === undefined || subject === `package:${filter.package}`) &&
      (filter.task === undefined || subject === `task:${filter.task}`) &&
      (filter.topics === undefined || filter.topics.split(',').includes(type)) &&
      (filter.agent === undefined || named.has(subject)) &&
      (filter.near === undefined || isNear);
    return isKept ? [seq] : [];
  });
}

/** Around a pole, on both sides of the antimeridian, and in Berlin. */
const PLACES: At[] = [
  { lat: 89.9, lng: 10 },
  { lat: 89.9, lng: -170 },
  { lat: 0, lng: 179.95 },
  { lat: 0, lng: -179.95 },
  { lat: 52.5, lng: 13.4 },
];
const place = fc.constantFrom(...PLACES);
const keys = await Promise.all(Array.from({ length: 4 }, anyKey));
const key = fc.constantFrom(...keys);
const happening = fc.oneof(
  fc.record({ what: fc.constant('list' as const), by: key, from: place, to: place }),
  fc.record({ what: fc.constant('task' as const), by: key }),
  fc.record({ what: fc.constant('join' as const), by: key, which: fc.nat(50) }),
  fc.record({ what: fc.constant('open' as const), from: place, to: place, which: fc.nat(50) }),
  fc.record({ what: fc.constant('end' as const), which: fc.nat(50) }),
);

async function happen(made: Listing[], one: typeof happening extends fc.Arbitrary<infer T> ? T : never): Promise<void> {
  const { db } = context;
  if (one.what === 'list') made.push(await listPackageAt(db, one.by, one.from, one.to));
  else if (one.what === 'task') made.push(await listTaskOf(db, one.by));
  else {
    const listing = made[one.which % made.length];
    if (listing === undefined) return;
    if (one.what === 'join') await joinListing(db, listing, one.by);
    else if (one.what === 'end') await endListing(db, listing);
    else if (listing.kind === 'package') await openLegAt(db, listing, one.from, one.to);
  }
}

/** A filter as a client would ask for it; of a listing, one of those that were made. */
const asked = fc.record(
  {
    of: fc.nat(50),
    agent: key,
    near: fc.record({ at: place, radiusKm: fc.option(fc.constantFrom(0.001, 30, 20_040), { nil: undefined }) }),
    topics: fc.subarray(['PACKAGE_LISTED', 'BID_STORED', 'LEG_OPENED', 'TASK_FAILED'], { minLength: 1 }),
  },
  { requiredKeys: [] },
);

function filterOf(
  { of, agent, near, topics }: typeof asked extends fc.Arbitrary<infer T> ? T : never,
  made: Listing[],
): Filter {
  const listing = of === undefined ? undefined : made[of % Math.max(made.length, 1)];
  const isTask = listing?.kind === 'task';
  return {
    ...(listing && { [listing.kind]: listing.id }),
    agent,
    ...(near && !isTask && { near: `${near.at.lat},${near.at.lng}`, radiusKm: near.radiusKm }),
    topics: topics?.join(','),
  };
}

/** All pages of the list, oldest first. */
async function listed(filter: Filter, after: bigint): Promise<bigint[]> {
  const found: bigint[] = [];
  for (let cursor: string | undefined, pages = 0; pages < 1000; pages += 1) {
    const outcome = await listEvents(context, { ...filter, limit: 7, cursor });
    found.push(...outcome.answer.map(({ seq }) => BigInt(seq)));
    cursor = outcome.nextCursor;
    if (cursor === undefined) break;
  }
  return found.filter((seq) => seq > after).toReversed();
}

describe('a filter', () => {
  test('[S-180] keeps the same events live, in a replay from anywhere, and in the list', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(happening, { minLength: 3, maxLength: 12 }),
        fc.array(happening, { minLength: 3, maxLength: 12 }),
        fc.array(asked, { minLength: 3, maxLength: 6 }),
        async (before, after, wishes) => {
          const from = await settled();
          const made: Listing[] = [];
          for (const one of before) await happen(made, one);
          const middle = await settled();
          const filters = wishes.map((wish) => filterOf(wish, made));
          const live = await Promise.all(filters.map((filter) => new Listener(`${url}?${queryOf(filter)}`).opened()));
          for (const one of after) await happen(made, one);
          await settled();
          // Whoever is told of this one has been told of all before it.
          const everything = await readEvents(context.db, { after: from, limit: 10_000 });
          for (const [index, filter] of filters.entries()) {
            const expected = kept(filter, everything);
            const later = expected.filter((seq) => seq > middle);
            const told = (await live[index]?.until(later.length))?.map(({ seq }) => BigInt(seq));
            expect({ filter, told }).toEqual({ filter, told: later });
            const replayed = await new Listener(`${url}?since=${from}&${queryOf(filter)}`).opened();
            await replayed.until(expected.length);
            expect({ filter, told: replayed.frames.map(({ seq }) => BigInt(seq)) }).toEqual({ filter, told: expected });
            expect({ filter, told: await listed(filter, from) }).toEqual({ filter, told: expected });
            await Promise.all([replayed.end(), live[index]?.end()]);
          }
        },
      ),
      { numRuns: 12 },
    );
  });

  test('[S-180] of an agent begins with the first event that names it, and goes on with those that name nobody', async () => {
    const [shipper, courier] = [await anyKey(), await anyKey()];
    const listing = await listPackageAt(context.db, shipper, { lat: 1, lng: 1 }, { lat: 2, lng: 2 });
    const live = await new Listener(`${url}?agent=${courier}`).opened();
    await joinListing(context.db, listing, courier);
    await endListing(context.db, listing);
    await settled();
    await live.until(2);
    expect(live.frames.map(({ type }) => type)).toEqual(['BID_STORED', 'PACKAGE_FAILED']);
    await live.end();
  });

  test('[S-180] is what followEvents of the SDK asks for', async () => {
    const [shipper, courier] = [await anyKey(), await anyKey()];
    const since = Number(await settled());
    const here = await listPackageAt(context.db, shipper, { lat: 1, lng: 1 }, { lat: 2, lng: 2 });
    const there = await listPackageAt(context.db, shipper, { lat: 30, lng: 1 }, { lat: 31, lng: 2 });
    for (const listing of [there, here]) await joinListing(context.db, listing, courier);
    await settled();
    const about = { url: url.replace('ws', 'http').replace('/ws', ''), since };
    const first = async (filter: object) => {
      for await (const event of followEvents({ ...about, ...filter })) return event;
      return undefined;
    };
    const place = { lat: 1, lng: 1, radiusKm: 5 };
    expect(await first({ agent: courier })).toMatchObject({ type: 'BID_STORED', packageId: there.id });
    expect(await first({ agent: courier, near: place })).toMatchObject({ type: 'BID_STORED', packageId: here.id });
    expect(await first({ package: there.id })).toMatchObject({ type: 'PACKAGE_LISTED', packageId: there.id });
  });

  test.each([
    ['package=7', ['package']],
    ['agent=me', ['agent']],
    ['near=91,0', ['near']],
    ['radiusKm=5', ['radiusKm']],
    ['near=1,1&radiusKm=0', ['radiusKm']],
    ['topics=.*', ['topics']],
    ['kind=PACKAGE_LISTED', ['kind']],
    ['task=01900000-0000-7000-8000-000000000000&near=1,1', ['near']],
    ['task=01900000-0000-7000-8000-000000000000&package=01900000-0000-7000-8000-000000000000', ['task']],
  ])('[S-180] that says nothing or contradicts itself is refused by its field: %s', async (query, fields) => {
    const { status, body } = await refusal(`${url}?${query}`);
    expect(status).toBe(400);
    expect((body['errors'] as { field: string }[]).map(({ field }) => field)).toEqual(fields);
  });

  test('[S-180] with a type that is none names all that there are; an unknown field is told the known ones', async () => {
    const type = await refusal(`${url}?topics=NEWS`);
    for (const known of EVENT_TYPES) expect(type.body['detail']).toContain(known);
    const field = await refusal(`${url}?kind=x`);
    expect(field.body['detail']).toContain('since, package, task, agent, near, radiusKm, topics');
  });
});

describe('the head of the log', () => {
  test('[S-181] is told with a heartbeat to who wants some of the events, and only once', async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const other = await startEvents(context);
    const server = createServer();
    other.attach(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const at = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws`;
    const [some, all] = [await new Listener(`${at}?agent=${keys[0]}`).opened(), await new Listener(at).opened()];
    await endListing(context.db, { kind: 'package', id: '01900000-0000-7000-8000-000000000000', subject: 'package:x' });
    const last = await settled();
    await until(() => other.fanout.head() === last);
    for (let beat = 0; beat < 2; beat += 1) {
      const pinged = once(some.socket, 'ping');
      vi.advanceTimersByTime(25_000);
      await pinged;
      some.socket.ping();
      await once(some.socket, 'pong');
    }
    expect(some.frames.map(({ type, seq }) => [type, seq])).toEqual([['HEAD', Number(last)]]);
    expect(all.frames.map(({ type }) => type)).toEqual(['PACKAGE_FAILED']);
    await other.stop();
    server.close();
  });
});
