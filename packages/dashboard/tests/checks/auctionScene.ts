import { formatPubkey, type PackageDetail, toLamports } from '@legwork/protocol/contract';
import { allocatePayments, chainFault, type Coordinate, isWithinHandoff } from '@legwork/protocol/rules';
import fc from 'fast-check';
import type { Decision } from '../../src/checks/auction.js';

type ShownBid = NonNullable<Decision['considered']>[number];

export const DECIDED = new Date('2026-11-23T12:00:00.000Z');
const later = (minutes: number) => new Date(DECIDED.getTime() + minutes * 60_000);
export const keyOf = (number: number): string => formatPubkey(new Uint8Array(32).fill(number + 1));
export const idOf = (number: number): string => `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`;

/** Stops on a line, 4.4 km apart: a bid goes from one to a later one. */
const STOPS = 4;
const placeOf = (stop: number) => ({ lat: 52.5 - stop * 0.04, lng: 13.4 });

const offer = fc
  .record({
    from: fc.nat(STOPS - 2),
    by: fc.integer({ min: 1, max: STOPS - 1 }),
    agent: fc.nat(4),
    cost: fc.integer({ min: 1, max: 12 }).map((cost) => BigInt(cost) * 1_000_000n),
    rho: fc.integer({ min: 0, max: 100 }),
  })
  .map(({ by, ...rest }) => ({ ...rest, to: Math.min(STOPS - 1, rest.from + by) }));

export const bids = fc.array(offer, { minLength: 1, maxLength: 6 }).map((offers) =>
  offers.map(
    ({ from, to, agent, cost, rho }, number): ShownBid => ({
      id: idOf(number),
      agentPubkey: keyOf(agent),
      pickup: placeOf(from),
      dropoff: placeOf(to),
      distanceKm: 4.5 * (to - from),
      estimatedDurationMin: 9 * (to - from),
      cost: toLamports(cost),
      costLamports: toLamports(cost),
      rho,
      expiresAt: later(10),
    }),
  ),
);

/** Some of them too little for some chains, or for their bonuses. */
export const budget = fc.integer({ min: 4, max: 40 }).map((budget) => toLamports(BigInt(budget) * 1_000_000n));

type Target = Omit<Decision, 'considered' | 'chosen' | 'replacements'>;

/** Of terms, some so short that they rule bids out. */
export const clocks = fc.option(
  fc.record({ carrySec: fc.integer({ min: 300, max: 4000 }), handoffSec: fc.integer({ min: 300, max: 900 }) }),
  { nil: undefined },
);

export function target(budget: Decision['budget'], clocks?: Decision['clocks']): Target {
  return {
    packageId: idOf(900),
    swarmId: idOf(901),
    swarmStatus: 'active',
    decidedAt: DECIDED,
    exact: true,
    origin: placeOf(0),
    destination: placeOf(STOPS - 1),
    asset: 'sol',
    decimals: 9,
    budget,
    budgetLamports: budget,
    deadline: later(30),
    shipperPubkey: keyOf(4),
    clocks,
  };
}

/** Every way on from a place by some of the bids, in every order. */
function* ways(from: Coordinate, bids: readonly ShownBid[]): Generator<readonly ShownBid[]> {
  for (const [at, bid] of bids.entries()) {
    if (!isWithinHandoff(from, bid.pickup)) continue;
    yield [bid];
    for (const rest of ways(bid.dropoff, bids.toSpliced(at, 1))) yield [bid, ...rest];
  }
}

/** Every chain that carries the package, by trying all. */
export function everyChain(decision: Target, considered: readonly ShownBid[]): (readonly ShownBid[])[] {
  const { origin, destination, budget: budgetLamports, shipperPubkey, deadline, decidedAt, clocks } = decision;
  const parcel = { origin, destination, budgetLamports, shipperPubkey, deadlineMs: deadline.getTime(), clocks };
  return [...ways(origin, considered)].filter(
    (chain) =>
      chainFault(
        parcel,
        chain.map((bid) => ({ ...bid, costLamports: bid.cost })),
        decidedAt.getTime(),
      ) === undefined,
  );
}

const sumOf = (chain: readonly ShownBid[], value: (bid: ShownBid) => bigint) =>
  chain.reduce((sum, bid) => sum + value(bid), 0n);
const weightOf = (chain: readonly ShownBid[]) => sumOf(chain, ({ cost, rho }) => cost * BigInt(1300 - rho));
const costOf = (chain: readonly ShownBid[]) => sumOf(chain, ({ cost }) => cost);
const idsOf = (chain: readonly ShownBid[]) => chain.map(({ id }) => id).join();

/** M-23: weight, cost, legs, ids. */
export function isBetter(a: readonly ShownBid[], b: readonly ShownBid[]): boolean {
  if (weightOf(a) !== weightOf(b)) return weightOf(a) < weightOf(b);
  if (costOf(a) !== costOf(b)) return costOf(a) < costOf(b);
  return a.length === b.length ? idsOf(a) < idsOf(b) : a.length < b.length;
}

/** What an honest service decides, found by trying every chain; undefined: none carries the package. */
export function decide(of: Target, considered: readonly ShownBid[]): Decision | undefined {
  const chains = everyChain(of, considered);
  const [first, ...rest] = chains;
  if (first === undefined) return undefined;
  const best = rest.reduce((found, chain) => (isBetter(chain, found) ? chain : found), first);
  const payments = allocatePayments({
    budgetLamports: of.budget,
    bids: best.map((bid) => ({ ...bid, costLamports: bid.cost })),
  });
  const chosen = best.map(({ id }, at) => {
    const payment = payments[at]?.paymentLamports ?? toLamports(0n);
    return { bidId: id, payment, paymentLamports: payment };
  });
  return { ...of, considered: [...considered], chosen, replacements: [] };
}

/** The package as its page shows it once the choice is carried out. */
export function parcelOf(decision: Decision) {
  const { packageId: id, origin, destination, budget, deadline, shipperPubkey, asset, decimals } = decision;
  const legs = decision.chosen.map(({ bidId, payment }) => {
    const bid = decision.considered?.find((one) => one.id === bidId);
    if (bid === undefined) throw new Error('it was considered');
    return {
      agentPubkey: bid.agentPubkey,
      pickupLat: bid.pickup.lat,
      pickupLng: bid.pickup.lng,
      dropoffLat: bid.dropoff.lat,
      dropoffLng: bid.dropoff.lng,
      cost: bid.cost,
      agreedPayment: payment,
    };
  });
  const places = { originLat: origin.lat, originLng: origin.lng, destLat: destination.lat, destLng: destination.lng };
  const swarm = { id: decision.swarmId, legs } as unknown as NonNullable<PackageDetail['swarm']>;
  return { id, ...places, maxBudget: budget, deadline, shipperPubkey, asset, decimals, swarm };
}
