import { isDeepStrictEqual } from 'node:util';
import { toLamports } from '@legwork/protocol/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  checkAuction,
  chooseAgain,
  chosenChain,
  countChains,
  type Decision,
  runnerUp,
} from '../../src/checks/auction.js';
import {
  bids,
  budget,
  clocks,
  DECIDED,
  decide,
  everyChain,
  idOf,
  isBetter,
  keyOf,
  parcelOf,
  target,
} from './auctionScene.js';

const patience = { now: () => performance.now(), timeBoundMs: 60_000 };
const again = (decision: Decision) => chooseAgain(decision, decision.considered ?? [], patience);

/** What the check says of a choice on the page of this package. */
function outcomeOf(decision: Decision, parcel = parcelOf(decision)) {
  try {
    return checkAuction(decision, again(decision), parcel);
  } catch (error) {
    if (error instanceof RangeError) return { holds: false, difference: error.message };
    throw error;
  }
}

/** A choice that was made as the rules say, and what is shown of it. */
const honest = fc
  .tuple(bids, budget, clocks)
  .map(([considered, most, by]) => decide(target(most, by), considered))
  .filter((decision) => decision !== undefined);

type Tampering = (decision: Decision, at: number, by: number) => Decision;
const changeBid =
  (change: (bid: NonNullable<Decision['considered']>[number], by: number) => object): Tampering =>
  (decision, at, by) => ({
    ...decision,
    considered: (decision.considered ?? []).map((bid, index, all) =>
      index === at % all.length ? { ...bid, ...change(bid, by) } : bid,
    ),
  });

const TAMPERINGS: Readonly<Record<string, Tampering>> = {
  'another rho': changeBid(({ rho }, by) => ({ rho: (rho + by) % 101 })),
  'another cost': changeBid(({ cost }, by) => ({ cost: toLamports(cost + BigInt(by)) })),
  'a lower cost': changeBid((_, by) => ({ cost: toLamports(BigInt(by)) })),
  'another agent': changeBid((_, by) => ({ agentPubkey: keyOf(by % 5) })),
  'another distance': changeBid((_, by) => ({ distanceKm: by })),
  'another place': changeBid(({ pickup }, by) => ({ pickup: { ...pickup, lat: pickup.lat + by / 1000 } })),
  'a bid removed': (decision, at) => ({
    ...decision,
    considered: (decision.considered ?? []).filter((_, index, all) => index !== at % all.length),
  }),
  'a bid added': (decision, at, by) => {
    const [bid] = (decision.considered ?? []).slice(at % (decision.considered?.length ?? 1));
    const added = bid && { ...bid, id: idOf(500), agentPubkey: keyOf(9), cost: toLamports(BigInt(by)) };
    return { ...decision, considered: [...(decision.considered ?? []), ...(added ? [added] : [])] };
  },
  'another payment': (decision, at, by) => ({
    ...decision,
    chosen: decision.chosen.map((leg, index, all) =>
      index === at % all.length ? { ...leg, payment: toLamports(leg.payment + BigInt(by)) } : leg,
    ),
  }),
  'another order': (decision) => ({ ...decision, chosen: decision.chosen.toReversed() }),
  'another budget': (decision, _, by) => ({
    ...decision,
    budget: toLamports(decision.budget + BigInt(by)),
  }),
  'another instant': (decision, _, by) => ({ ...decision, decidedAt: new Date(DECIDED.getTime() + by * 60_000) }),
  'other clocks': (decision, _, by) => ({ ...decision, clocks: { carrySec: 60 * by, handoffSec: 60 * by } }),
  'a leg left out': (decision) => ({ ...decision, chosen: decision.chosen.slice(1) }),
};

/** What came out, in text. */
const chosenText = ({ chosen }: Decision) => chosen.map(({ bidId, payment }) => `${bidId} ${payment}`).join();

describe('a choice, made again in the browser', () => {
  test('equals an honest one, whatever the market was (D-11)', () => {
    fc.assert(
      fc.property(honest, (decision) => {
        expect(outcomeOf(decision)).toEqual({ holds: true, seen: 'Same chain, same payments' });
      }),
      { numRuns: 80 },
    );
  });

  test.each(Object.entries(TAMPERINGS))(
    '%s is found whenever it changes what should have come out (D-11)',
    (_, tamper) => {
      fc.assert(
        fc.property(honest, fc.nat(9), fc.integer({ min: 1, max: 60 }), (decision, at, by) => {
          const tampered = tamper(decision, at, by);
          // By trying every chain, not by the search that is under test.
          const right = decide(tampered, tampered.considered ?? []);
          fc.pre(right === undefined || chosenText(right) !== chosenText(tampered));
          expect(outcomeOf(tampered, parcelOf(decision)).holds).toBe(false);
        }),
        // Few choices depend on some of these: most of what is drawn is passed over.
        { numRuns: 10, maxSkipsPerRun: 1000 },
      );
    },
  );

  test.each(['maxBudget', 'deadline', 'shipperPubkey', 'originLat', 'destLng', 'id'] as const)(
    'a choice made for another %s is found even if the same chain came out (D-11)',
    (field) => {
      const other = {
        maxBudget: toLamports(5n),
        deadline: DECIDED,
        shipperPubkey: keyOf(8),
        originLat: 1,
        destLng: 1,
        id: idOf(1),
      };
      fc.assert(
        fc.property(honest, (decision) => {
          expect(outcomeOf(decision, { ...parcelOf(decision), [field]: other[field] }).holds).toBe(false);
        }),
        { numRuns: 20 },
      );
    },
  );

  test('legs that show another agent, bid, payment or place than was chosen are found (D-11)', () => {
    const changed = fc.constantFrom(
      { agentPubkey: keyOf(7) },
      { cost: toLamports(1n) },
      { agreedPayment: toLamports(1n) },
      { dropoffLat: 0 },
    );
    fc.assert(
      fc.property(honest, fc.nat(6), changed, (decision, at, change) => {
        const parcel = parcelOf(decision);
        const legs = parcel.swarm.legs.map((leg, index, all) =>
          index === at % all.length ? { ...leg, ...change } : leg,
        );
        expect(outcomeOf(decision, { ...parcel, swarm: { ...parcel.swarm, legs } }).holds).toBe(false);
      }),
      { numRuns: 60 },
    );
  });

  test('a bid that had expired counts as a difference (D-11)', () => {
    fc.assert(
      fc.property(honest, (decision) => {
        const considered = (decision.considered ?? []).map((bid) => ({ ...bid, expiresAt: DECIDED }));
        expect(outcomeOf({ ...decision, considered })).toMatchObject({
          difference: expect.stringContaining('had expired'),
        });
      }),
      { numRuns: 10 },
    );
  });

  test('a better chain is named also where the service says that its time ran out (D-11)', () => {
    fc.assert(
      fc.property(honest, (decision) => {
        const all = everyChain(decision, decision.considered ?? []);
        const best = chosenChain(decision)?.bids ?? [];
        const worse = all.find((chain) => isBetter(best, chain));
        fc.pre(worse !== undefined);
        const chosen = worse.map(({ id, cost }) => ({ bidId: id, payment: cost, paymentLamports: cost }));
        expect(outcomeOf({ ...decision, exact: false, chosen })).toMatchObject({
          difference: expect.stringContaining('its search ran out of time'),
        });
      }),
      { numRuns: 60 },
    );
  });
});

describe('a courier who takes the place of another', () => {
  const best = (bids: NonNullable<Decision['considered']>, most: bigint) =>
    bids
      .filter(({ cost }) => cost <= most)
      .toSorted((a, b) => {
        const by = a.cost * BigInt(1300 - a.rho) - b.cost * BigInt(1300 - b.rho);
        return by === 0n ? (a.id < b.id ? -1 : 1) : Number(by);
      })[0];

  /** A choice whose first leg was given again, to the best of these bids. */
  const replaced = fc
    .tuple(honest, bids, fc.integer({ min: 1, max: 12 }))
    .map(([decision, considered, most]) => ({ decision, considered, most: toLamports(BigInt(most) * 1_000_000n) }))
    .filter(({ considered, most }) => best(considered, most) !== undefined)
    .map(({ decision, considered, most }) => {
      const bid = best(considered, most);
      if (bid === undefined) throw new Error('there is one');
      const leg = { legId: idOf(801), formerLegId: idOf(800), legIndex: 0, decidedAt: DECIDED, bidId: bid.id };
      const money = { payment: bid.cost, paymentLamports: bid.cost, maxCost: most, maxCostLamports: most };
      const parcel = parcelOf(decision);
      const { pickup, dropoff, agentPubkey, cost } = bid;
      const places = {
        pickupLat: pickup.lat,
        pickupLng: pickup.lng,
        dropoffLat: dropoff.lat,
        dropoffLng: dropoff.lng,
      };
      const first = { ...places, agentPubkey, cost, agreedPayment: cost };
      const legs = parcel.swarm.legs.map((one, at) => (at === 0 ? { ...one, ...first } : one));
      return {
        decision: { ...decision, replacements: [{ ...leg, ...money, considered }] },
        parcel: { ...parcel, swarm: { ...parcel.swarm, legs } },
      };
    });

  test('is the best of those who bid, and is paid what it asked (D-11)', () => {
    fc.assert(
      fc.property(replaced, ({ decision, parcel }) => {
        expect(outcomeOf(decision, parcel)).toMatchObject({ holds: true });
      }),
      { numRuns: 60 },
    );
  });

  test('is found to be another one, or paid otherwise, or dearer than it may be (D-11)', () => {
    fc.assert(
      fc.property(replaced, ({ decision, parcel }) => {
        const [one] = decision.replacements;
        if (one === undefined) throw new Error('there is one');
        const others = [
          { ...one, bidId: idOf(700) },
          { ...one, payment: toLamports(one.payment + 1n) },
          { ...one, maxCost: toLamports(one.payment - 1n) },
        ];
        for (const other of others) {
          expect(outcomeOf({ ...decision, replacements: [other] }, parcel).holds).toBe(false);
        }
        const isSame = isDeepStrictEqual(parcel, parcelOf(decision));
        expect(outcomeOf({ ...decision, replacements: [] }, parcel).holds).toBe(isSame);
      }),
      { numRuns: 60 },
    );
  });
});

describe('what else there was than the chain that won', () => {
  test('the runner-up is the second best of all chains, and all of them are counted (D-11)', () => {
    fc.assert(
      fc.property(honest, (decision) => {
        const considered = decision.considered ?? [];
        const all = everyChain(decision, considered);
        const best = chosenChain(decision)?.bids ?? [];
        const others = all.filter((chain) => best.some(({ id }) => !chain.some((bid) => bid.id === id)));
        const second = others.reduce<(typeof others)[number] | undefined>(
          (found, chain) => (found === undefined || isBetter(chain, found) ? chain : found),
          undefined,
        );
        expect(runnerUp(decision, considered, patience)?.bids.map(({ id }) => id)).toEqual(second?.map(({ id }) => id));
        expect(countChains(decision, considered)).toEqual({ count: all.length, isAll: true });
      }),
      { numRuns: 60 },
    );
  });
});
