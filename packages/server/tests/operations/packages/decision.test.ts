import { type AnswerOf, createUuid, type operations, toLamports } from '@legwork/protocol/contract';
import { allocatePayments, findBestRoute } from '@legwork/protocol/rules';
import { createLegworkClient } from '@legwork/sdk';
import { generateKeyPairSigner } from '@solana/kit';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AppContext } from '../../../src/context.js';
import { evaluatePackage } from '../../../src/coordinator/evaluatePackage.js';
import { spoilCourier } from '../../coordinator/scene.js';
import { hold, letGo } from '../../support/holdIntents.js';
import { bidInput, formedPackage, PLACES, untilPackage } from '../../support/market.js';
import { newWallet, packageRow } from '../../support/packageRows.js';
import { refusalOf } from '../../support/sdkRefusal.js';
import { withService } from '../../support/service.js';
import { closeWindow, gatheringPackage } from '../bids/scene.js';

const service = withService();
let context: AppContext;

beforeAll(async () => {
  context = await service.current.context();
});
afterAll(() => context.db.destroy());

type Decision = AnswerOf<typeof operations.getDecision>;

/** Chooses again as any reader can: by the answer and the rules alone. */
function chooseAgain(decision: Decision) {
  const { budget: budgetLamports, decidedAt, deadline, considered } = decision;
  if (considered === null) throw new Error('what was considered is not kept');
  const bids = considered.map(({ cost, ...bid }) => ({ ...bid, costLamports: cost }));
  const best = findBestRoute({ ...decision, budgetLamports, deadlineMs: deadline.getTime() }, bids, {
    evaluatedAtMs: decidedAt.getTime(),
    now: () => performance.now(),
    timeBoundMs: 60_000,
  });
  const payments = allocatePayments({ budgetLamports, bids: best.bids });
  const chosen = best.bids.map(({ id }, index) => {
    const payment = payments[index]?.paymentLamports;
    return { bidId: id, payment, paymentLamports: payment };
  });
  return { exact: best.exact, chosen };
}

/** Stops on the way, so that most bids fit together and most packages have several chains. */
const STOPS = Object.values(PLACES);
const AGENTS = 8;

const offer = fc
  .record({
    from: fc.nat(STOPS.length - 2),
    by: fc.integer({ min: 1, max: STOPS.length - 1 }),
    agent: fc.nat(AGENTS - 1),
    cost: fc.bigInt({ min: 2_000_000n, max: 30_000_000n }),
    distanceKm: fc.integer({ min: 10, max: 25 }),
    /** Degrees by which its pickup is off the stop: half a kilometre at most. */
    off: fc.integer({ min: -40, max: 40 }).map((part) => part / 10_000),
  })
  .map(({ by, ...rest }) => ({ ...rest, to: Math.min(STOPS.length - 1, rest.from + by) }));

const market = fc.record({
  offers: fc.array(offer, { minLength: 4, maxLength: 16 }),
  // Many of them too little for some chains, or for their bonuses.
  budget: fc.bigInt({ min: 12_000_000n, max: 50_000_000n }),
  minutes: fc.integer({ min: 40, max: 400 }),
});
type Market = typeof market extends fc.Arbitrary<infer T> ? T : never;

/** A market whose budget covers the bid, and not the whole bonus. */
const SCARCE: Market = {
  offers: [{ from: 0, to: STOPS.length - 1, agent: AGENTS - 1, cost: 20_000_000n, distanceKm: 12, off: 0 }],
  budget: 21_000_000n,
  minutes: 100,
};

/** Couriers of every standing, from a newcomer to one that never lost a leg. */
async function standings(): Promise<string[]> {
  const couriers = await Promise.all(Array.from({ length: AGENTS }, newWallet));
  for (const [index, agent_pubkey] of couriers.entries()) {
    if (index === 0) continue;
    const score = Math.floor((100 * index) / (AGENTS - 1));
    const reputation = { on_chain_pda: agent_pubkey, legs_accepted: 100n, legs_completed: BigInt(score), slot: 1n };
    await service.current.db
      .insertInto('reputations')
      .values({ agent_pubkey, ...reputation, reliability_score: score, mirrored_at: new Date() })
      .execute();
  }
  return couriers;
}

/** A package that only the database knows, with its bids: its formation is decided and never carried out. */
async function openMarket({ offers, budget, minutes }: Market, couriers: readonly string[]): Promise<string> {
  const [origin, destination] = [STOPS[0] ?? PLACES.zoo, STOPS.at(-1) ?? PLACES.zoo];
  const parcel = packageRow({
    origin_lat: origin.lat,
    origin_lng: origin.lng,
    dest_lat: destination.lat,
    dest_lng: destination.lng,
    max_budget_lamports: toLamports(budget),
    deadline: new Date(Date.now() + minutes * 60_000),
  });
  await service.current.db.insertInto('packages').values(parcel).execute();
  await hold(service.current, parcel.id);
  const bids = offers.map((one) => ({
    id: createUuid(),
    package_id: parcel.id,
    agent_pubkey: couriers[one.agent] ?? '',
    pickup_lat: (STOPS[one.from]?.lat ?? 0) + one.off,
    pickup_lng: STOPS[one.from]?.lng ?? 0,
    dropoff_lat: STOPS[one.to]?.lat ?? 0,
    dropoff_lng: STOPS[one.to]?.lng ?? 0,
    distance_km: one.distanceKm,
    estimated_duration_min: 1,
    cost_lamports: toLamports(one.cost),
    expires_at: new Date(Date.now() + 3_600_000),
  }));
  // One live bid an agent and pair of places.
  const insert = service.current.db.insertInto('bids').values(bids);
  await insert.onConflict((conflict) => conflict.doNothing()).execute();
  return parcel.id;
}

describe('a reader chooses the same chain, and the same payments, again', () => {
  test('in random markets, also where budget and deadline bind (S-132)', async () => {
    const couriers = await standings();
    const { client } = await service.current.party(0);
    const property = fc.asyncProperty(fc.array(market, { minLength: 60, maxLength: 60 }), async (markets) => {
      const opened = await Promise.all(
        [SCARCE, ...markets].map(async ({ budget, ...made }) => {
          return { budget, packageId: await openMarket({ budget, ...made }, couriers) };
        }),
      );
      const formed: typeof opened = [];
      // One after the other: each needs two connections of one pool.
      for (const one of opened) {
        if ((await evaluatePackage(context, context.db, one.packageId)) === 'formed') formed.push(one);
      }
      const outcomes = await Promise.all(
        formed.map(async ({ budget, packageId }) => {
          const decision = await client.getDecision({ packageId });
          const { chosen, exact } = decision;
          expect(chooseAgain(decision)).toEqual({ exact, chosen });
          const rest = chosen.reduce((left, { payment }) => left - payment, budget);
          expect(rest).toBeGreaterThanOrEqual(0n);
          // Shared out to the last lamports: the surplus did not cover every bonus.
          return { isChain: chosen.length > 1, isScarce: rest < BigInt(chosen.length) };
        }),
      );
      expect(outcomes.length).toBeGreaterThan(20);
      expect(outcomes.filter(({ isChain }) => isChain).length).toBeGreaterThan(3);
      expect(outcomes.filter(({ isScarce }) => isScarce).length).toBeGreaterThan(0);
    });
    await fc.assert(property, { numRuns: 1, endOnFailure: true });
  });

  test('although reputations have moved on, and of bids that lost and ended since (S-132)', async () => {
    const { parcel, couriers } = await formedPackage(service.current, [
      ['zoo', 'hauptbahnhof', 0.101],
      ['zoo', 'hauptbahnhof', 0.1],
      ['hauptbahnhof', 'ostkreuz', 0.15],
    ]);
    const { client } = await service.current.party(0);
    const before = await client.getDecision({ packageId: parcel.id });
    expect(before.considered?.map(({ agentPubkey, costLamports, rho }) => [agentPubkey, costLamports, rho])).toEqual(
      couriers.map(({ pubkey }, index) => [pubkey, [101_000_000n, 100_000_000n, 150_000_000n][index], 50]),
    );
    expect(before).toMatchObject({ swarmId: parcel.swarm?.id, exact: true, budgetLamports: 500_000_000n });
    await service.current.db.updateTable('reputations').set({ reliability_score: 0, legs_completed: 1n }).execute();
    await service.current.db
      .updateTable('bids')
      .set({ expires_at: new Date(0) })
      .execute();
    const { considered, ...after } = await client.getDecision({ packageId: parcel.id });
    expect(considered?.map(({ rho }) => rho)).toEqual([50, 50, 50]);
    expect({ chosen: after.chosen, exact: true }).toEqual(chooseAgain(before));
  });
});

describe('a decision', () => {
  test('is not there before the window has closed, and shows no reasons after it (S-133)', async () => {
    const parcel = await gatheringPackage(service.current);
    const [courier, rival] = [await service.current.party(1), await service.current.party(1)];
    for (const [index, one] of [courier, rival].entries()) {
      const input = bidInput(one, parcel.id, 'zoo', 'ostkreuz', 0.1 + index / 10);
      await one.client.submitBid({ ...input, reasoning: 'nobody else’s business' });
    }
    const path = `${service.current.server.url}/packages/${parcel.id}/decision`;
    for (const { client } of [courier, rival]) {
      const refusal = await refusalOf(client.getDecision({ packageId: parcel.id }));
      expect(refusal).toMatchObject({ status: 404, code: 'not_found', fields: ['packageId'] });
    }
    await closeWindow(service.current, parcel.id);
    await untilPackage(service.current, parcel.id, ({ status }) => status === 'in_transit');
    const response = await fetch(path);
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({
      considered: [{ costLamports: 100_000_000 }, { costLamports: 200_000_000 }],
    });
    expect(text).not.toContain('business');
    // It never changes but for the status of its swarm: a client that has it need not get it again.
    const again = await fetch(path, { headers: { 'if-none-match': response.headers.get('etag') ?? '' } });
    expect(again.status).toBe(304);
  });

  test('is the newest unless an earlier swarm of the package is named (S-133)', async () => {
    const parcel = await gatheringPackage(service.current);
    const [shipper, other] = [await service.current.party(), await service.current.party(1)];
    await hold(service.current, parcel.id);
    const signer = await generateKeyPairSigner();
    const client = createLegworkClient({ url: service.current.server.url, signer });
    const refused = { signer, pubkey: signer.address, client };
    const spoilt = await client.submitBid(bidInput(refused, parcel.id, 'zoo', 'ostkreuz', 0.05));
    const good = await other.client.submitBid(bidInput(other, parcel.id, 'zoo', 'ostkreuz', 0.1));
    await closeWindow(service.current, parcel.id);
    await untilPackage(service.current, parcel.id, ({ status }) => status === 'swarm_forming');
    const first = await client.getDecision({ packageId: parcel.id });
    expect(first).toMatchObject({ swarmStatus: 'forming', chosen: [{ bidId: spoilt.id }] });
    await spoilCourier(service.current, shipper, signer);
    await letGo(service.current, parcel.id);
    await untilPackage(service.current, parcel.id, ({ status }) => status === 'in_transit');
    const second = await client.getDecision({ packageId: parcel.id });
    expect(second).toMatchObject({
      swarmStatus: 'active',
      considered: [{ id: good.id }],
      chosen: [{ bidId: good.id }],
    });
    const named = await client.getDecision({ packageId: parcel.id, swarmId: first.swarmId });
    expect(named).toEqual({ ...first, swarmStatus: 'failed' });

    const elsewhere = await gatheringPackage(service.current);
    const { swarmId } = first;
    expect(await refusalOf(client.getDecision({ packageId: elsewhere.id, swarmId }))).toMatchObject({
      status: 404,
      fields: ['swarmId'],
    });
  });

  test('of a version that did not keep what was considered says so (S-133)', async () => {
    const { parcel } = await formedPackage(service.current, [['zoo', 'ostkreuz', 0.1]]);
    await service.current.db
      .deleteFrom('decisions')
      .where('unique_key', '=', `form_swarm:${parcel.swarm?.id}`)
      .execute();
    const { client } = await service.current.party(0);
    expect(await client.getDecision({ packageId: parcel.id })).toMatchObject({
      considered: null,
      chosen: [{ paymentLamports: parcel.swarm?.totalLamports }],
    });
  });
});
