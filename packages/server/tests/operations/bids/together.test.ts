import { cancelPackage, createLegworkClient, listPackage, LegworkApiError } from '@legwork/sdk';
import { createUuid } from '@legwork/protocol/contract';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AppContext } from '../../../src/context.js';
import { lineUp } from '../../../src/db/transaction.js';
import type { Bidding } from '../../../src/bids/submit.js';
import { placeBids } from '../../../src/bids/place.js';
import { draft } from '../../support/market.js';
import { type Party, withService } from '../../support/service.js';
import { gatheringPackage, multiplyBid, shiftedBid } from './scene.js';

const service = withService();
let context: AppContext;

beforeAll(async () => {
  context = await service.current.context();
});
afterAll(() => context.db.destroy());

/** Sends while bids on the package wait in line, and lets them go once that many of them are signed for here. */
async function sentAtOnce<T>(packageId: string, sends: (() => Promise<T>)[], meanwhile?: () => Promise<unknown>) {
  const { db } = service.current;
  const spent = async () => Number((await sql<{ n: bigint }>`select count(*) as n from nonces`.execute(db)).rows[0]?.n);
  const before = await spent();
  return db.transaction().execute(async (line) => {
    await lineUp(line, packageId);
    const answers = Promise.allSettled(sends.map((send) => send()));
    await expect.poll(spent, { timeout: 60_000 }).toBeGreaterThanOrEqual(before + sends.length);
    await meanwhile?.();
    return { answers };
  });
}

const bidsOn = (packageId: string) =>
  service.current.db
    .selectFrom('bids')
    .select(['id', 'agent_pubkey', 'pickup_lat', 'pickup_lng', 'personal', 'signed', 'cost_lamports', 'ended_because'])
    .where('package_id', '=', packageId)
    .orderBy('agent_pubkey')
    .orderBy('id')
    .execute();

const toldOn = async (packageId: string) => {
  const { rows } = await sql<{ id: string }>`
    select payload ->> 'bidId' as id from events
    where type = 'BID_STORED' and subject = ${`package:${packageId}`} order by id`.execute(service.current.db);
  return rows.map(({ id }) => id);
};

const parties = (count: number) => Promise.all(Array.from({ length: count }, () => service.current.party(0)));

test('bids of many agents at once are all stored and told of, on two packages side by side', async () => {
  const [one, other] = await Promise.all([gatheringPackage(service.current), gatheringPackage(service.current)]);
  const couriers = await parties(6);
  const sends = [one, other].flatMap(({ id }) =>
    couriers.map((courier) => () => courier.client.submitBid(shiftedBid(courier, id, 0))),
  );
  const { answers } = await sentAtOnce(one.id, sends);
  const placed = (await answers).map((answer) => (answer.status === 'fulfilled' ? answer.value : undefined));
  for (const { id } of [one, other]) {
    const ids = placed.flatMap((bid) => (bid?.packageId === id ? bid.id : [])).sort();
    expect(ids).toHaveLength(6);
    expect((await bidsOn(id)).map((bid) => bid.id).sort()).toEqual(ids);
    expect((await toldOn(id)).sort()).toEqual(ids);
  }
});

test('of an agent’s bids at once for the same places the last one stands (M-37)', async () => {
  const { id } = await gatheringPackage(service.current);
  const courier = await service.current.party(0);
  const sends = [0.1, 0.2, 0.3].map((sol) => () => courier.client.submitBid(shiftedBid(courier, id, 0, sol)));
  const { answers } = await sentAtOnce(id, sends);
  expect((await answers).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
  const told = await toldOn(id);
  const live = (await bidsOn(id)).filter((bid) => bid.ended_because === null);
  expect(live.map((bid) => bid.id)).toEqual(told.slice(-1));
});

test('bids that wait while their package ends are refused, each with its own answer (M-17)', async () => {
  const shipper = await service.current.party();
  const { id } = await listPackage(shipper.client, shipper.signer, draft({ biddingWindowSec: 3600 }));
  const couriers = await parties(4);
  const sends = couriers.map((courier) => () => courier.client.submitBid(shiftedBid(courier, id, 0)));
  const { answers } = await sentAtOnce(id, sends, () =>
    cancelPackage(shipper.client, service.current.rpc, shipper.signer, id),
  );
  for (const answer of await answers) {
    expect(answer).toMatchObject({ status: 'rejected', reason: { code: 'invalid_status' } });
    expect(answer.status === 'rejected' && answer.reason).toBeInstanceOf(LegworkApiError);
  }
  expect(await bidsOn(id)).toEqual([]);
});

test('two replicas take bids on one package at once, and count them together (M-37)', async () => {
  const { id } = await gatheringPackage(service.current);
  const replica = await service.current.replica();
  try {
    const couriers = await parties(5);
    const sends = couriers.flatMap((courier) => {
      const there = createLegworkClient({ url: replica.url, signer: courier.signer });
      return [
        () => courier.client.submitBid(shiftedBid(courier, id, 0, 0.1)),
        () => there.submitBid(shiftedBid(courier, id, 0, 0.2)),
        () => there.submitBid(shiftedBid(courier, id, 1, 0.3)),
      ];
    });
    const { answers } = await sentAtOnce(id, sends);
    expect((await answers).filter(({ status }) => status === 'fulfilled')).toHaveLength(15);
    const rows = await bidsOn(id);
    expect(rows).toHaveLength(15);
    expect(rows.filter((bid) => bid.ended_because === null)).toHaveLength(10);
    expect((await toldOn(id)).sort()).toEqual(rows.map((bid) => bid.id).sort());
  } finally {
    await replica.close();
  }
});

/** A bid that was not sent: what is to be placed here. */
function bidding(agent: Party, packageId: string, { shift = 0, sol = 0.1, signed = true, distanceKm = 12 }): Bidding {
  const input = { ...shiftedBid(agent, packageId, shift, sol), distanceKm, expiresInSec: 7200 };
  const call = { operation: 'submitBid', pubkey: agent.pubkey, signature: createUuid(), text: '', body: '{}' };
  return { input, call: signed ? call : undefined, client: '192.0.2.1' };
}

test('what the database refuses of one bid does not fail the 63 others', async () => {
  const { id } = await gatheringPackage(service.current);
  const couriers = await parties(64);
  await sql`alter table bids add constraint nobody_walks_99_km check (distance_km <> 99)`.execute(service.current.db);
  try {
    const given = couriers.map((courier, index) => bidding(courier, id, { distanceKm: index === 20 ? 99 : 12 }));
    const outcomes = await placeBids(context, given);
    expect(outcomes.flatMap((outcome, index) => (outcome instanceof Error ? index : []))).toEqual([20]);
    expect(outcomes[20]).toMatchObject({ message: expect.stringContaining('nobody_walks_99_km') as string });
    expect(await bidsOn(id)).toHaveLength(63);
    expect(await toldOn(id)).toHaveLength(63);
  } finally {
    await sql`alter table bids drop constraint nobody_walks_99_km`.execute(service.current.db);
  }
});

/** Leaves the package with 99 live bids of the agent. */
async function fill(agent: Party, packageId: string): Promise<void> {
  const { db } = service.current;
  await sql`delete from bids where package_id = ${packageId}`.execute(db);
  // Whoever numbers them would wait for this transaction, and it for them.
  const unnumbered = () =>
    sql`select from events where subject = ${`package:${packageId}`} and seq is null`.execute(db);
  await expect.poll(async () => (await unnumbered()).rows.length, { timeout: 60_000 }).toBe(0);
  await sql`delete from events where subject = ${`package:${packageId}`}`.execute(db);
  const [first] = await placeBids(context, [bidding(agent, packageId, { shift: 1000 })]);
  if (first === undefined || first instanceof Error) throw new Error('the first bid was refused');
  await multiplyBid(service.current, first.bid.id, 98);
}

test('any bids at once are answered, stored and told of as if they had come one by one (M-37, M-38)', async () => {
  const [together, alone] = await Promise.all([gatheringPackage(service.current), gatheringPackage(service.current)]);
  const [full, ...others] = await parties(3);
  if (!full) throw new Error('a courier is missing');
  const agents = [full, ...others];
  const one = fc.record({
    agent: fc.constantFrom(...agents),
    shift: fc.nat(2),
    // The last is above the budget.
    sol: fc.constantFrom(0.1, 0.2, 0.6),
    signed: fc.boolean(),
    // The first is less than the great circle.
    distanceKm: fc.constantFrom(1, 12, 13),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(one, { minLength: 1, maxLength: 12 }), async (bids) => {
      for (const { id } of [together, alone]) await fill(full, id);
      const outcomes = await placeBids(
        context,
        bids.map((bid) => bidding(bid.agent, together.id, bid)),
      );
      const expected = [];
      for (const bid of bids) expected.push(...(await placeBids(context, [bidding(bid.agent, alone.id, bid)])));
      const said = (given: typeof outcomes) =>
        given.map((outcome) =>
          outcome instanceof Error
            ? outcome.message.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'id')
            : outcome.standing,
        );
      expect(said(outcomes)).toEqual(said(expected));
      // The copies' ids are random, and so is their order.
      const rows = async (id: string) =>
        (await bidsOn(id)).filter((row) => row.pickup_lat < 52.9).map((row) => ({ ...row, id: undefined }));
      expect(await rows(together.id)).toEqual(await rows(alone.id));
      const stored = outcomes.flatMap((outcome) => (outcome instanceof Error ? [] : outcome.bid.id));
      expect((await toldOn(together.id)).slice(1).sort()).toEqual(stored.sort());
    }),
    { numRuns: 25 },
  );
}, 240_000);
