import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { greatCircleKm } from '../../src/geo.js';
import { MAX_LAMPORTS, toLamports } from '../../src/money.js';
import { findBestRoute } from '../../src/route/bestRoute.js';
import { bidWeight } from '../../src/route/objective.js';
import type { RouteBid, RoutePackage } from '../../src/route/types.js';
import { bestOfEveryChain } from './everyChain.js';

const NOW = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;
/** Stops three kilometres apart on a line: a handoff is possible only at one and the same stop. */
const stop = (index: number) => ({ lat: 52.5 + index * 0.027, lng: 13.4 });
const idOf = (index: number) => `0190${index.toString(16).padStart(4, '0')}-0000-7000-8000-000000000000`;

interface Offer {
  readonly from: number;
  readonly to: number;
  readonly cost: bigint;
  readonly agent?: number;
  readonly rho?: number;
  readonly km?: number;
}

function bidsOf(offers: readonly Offer[]): RouteBid[] {
  return offers.map(({ from, to, cost, agent, rho = 50, km = 1 }, index) => ({
    id: idOf(index),
    agentPubkey: `agent ${agent ?? index + 100}`,
    pickup: stop(from),
    dropoff: stop(to),
    distanceKm: km,
    costLamports: toLamports(cost),
    rho,
  }));
}

function packageOver(stops: number, budget: bigint, minutes = 600): RoutePackage {
  return {
    origin: stop(0),
    destination: stop(stops),
    budgetLamports: toLamports(budget),
    shipperPubkey: 'shipper',
    deadlineMs: NOW + minutes * MINUTE,
  };
}

const still = { evaluatedAtMs: NOW, now: () => 0 };
const idsOf = (target: RoutePackage, bids: readonly RouteBid[]) =>
  findBestRoute(target, bids, still).bids.map((bid) => bid.id);
const chosen = (target: RoutePackage, offers: readonly Offer[]) =>
  idsOf(target, bidsOf(offers)).map((id) => Number.parseInt(id.slice(4, 8), 16));

describe('the best route', () => {
  it('[M-21] is a chain of handoffs from origin to destination', () => {
    const offers = [
      { from: 0, to: 1, cost: 10n },
      { from: 1, to: 2, cost: 10n },
      { from: 2, to: 3, cost: 10n },
      { from: 0, to: 3, cost: 31n },
      { from: 1, to: 3, cost: 1n, agent: 100 },
    ];
    const result = findBestRoute(packageOver(3, 100n), bidsOf(offers), still);
    expect(result.bids.map((bid) => bid.id)).toEqual([idOf(0), idOf(1), idOf(2)]);
    expect(result).toMatchObject({ totalLamports: 30n, weight: 30n * 1250n, exact: true });
  });

  it('[M-21] hands over within two kilometres and no farther', () => {
    const [first, second] = bidsOf([
      { from: 0, to: 1, cost: 1n },
      { from: 1, to: 2, cost: 1n },
    ]);
    const kmNorth = (km: number) => ({ ...stop(1), lat: stop(1).lat + (km / 6371.0088) * (180 / Math.PI) });
    const route = (km: number) =>
      first && second ? idsOf(packageOver(2, 10n), [first, { ...second, pickup: kmNorth(km) }]) : undefined;
    expect(route(1.999)).toHaveLength(2);
    expect(route(2.001)).toEqual([]);
  });

  it('[M-21] has at most seven legs', () => {
    const line = (legs: number) =>
      Array.from({ length: legs }, (_, index) => ({ from: index, to: index + 1, cost: 1n }));
    expect(chosen(packageOver(7, 100n), line(7))).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(chosen(packageOver(8, 100n), line(8))).toEqual([]);
  });

  it('[M-21] never uses an agent twice, however cheap', () => {
    const offers = [
      { from: 0, to: 1, cost: 1n, agent: 1 },
      { from: 1, to: 2, cost: 1n, agent: 1 },
      { from: 1, to: 2, cost: 9n, agent: 2 },
      { from: 0, to: 1, cost: 7n, agent: 3 },
    ];
    expect(chosen(packageOver(2, 100n), offers)).toEqual([3, 1]);
  });

  it('[M-21] never uses the shipper’s own bid', () => {
    const bids = bidsOf([
      { from: 0, to: 1, cost: 1n },
      { from: 0, to: 1, cost: 5n },
    ]);
    expect(idsOf({ ...packageOver(1, 10n), shipperPubkey: bids[0]?.agentPubkey ?? '' }, bids)).toEqual([idOf(1)]);
  });

  it('[M-21] stays within the budget, to the lamport, even for a better reputation', () => {
    const offers = [
      { from: 0, to: 1, cost: 100n, rho: 100 },
      { from: 0, to: 1, cost: 99n, rho: 0 },
    ];
    expect(chosen(packageOver(1, 100n), offers)).toEqual([0]);
    expect(chosen(packageOver(1, 99n), offers)).toEqual([1]);
    expect(chosen(packageOver(1, 98n), offers)).toEqual([]);
  });

  it('[M-20] arrives by the deadline, its legs’ minutes summed', () => {
    const offers = [
      { from: 0, to: 1, cost: 1n, km: 5 },
      { from: 1, to: 2, cost: 1n, km: 5 },
      { from: 0, to: 2, cost: 9n, km: 9 },
    ];
    expect(chosen(packageOver(2, 100n, 20), offers)).toEqual([0, 1]);
    expect(chosen(packageOver(2, 100n, 19.99), offers)).toEqual([2]);
    expect(chosen(packageOver(2, 100n, 17.99), offers)).toEqual([]);
    expect(chosen(packageOver(2, 100n, -5), offers)).toEqual([]);
  });

  it('[M-22] weighs cost by 1300 - rho, so reputation shifts at most 8 % of it', () => {
    expect(bidWeight({ costLamports: toLamports(1000n), rho: 100 })).toBe(1_200_000n);
    const rivals = (trusted: bigint) => [
      { from: 0, to: 1, cost: trusted, rho: 100 },
      { from: 0, to: 1, cost: 1200n, rho: 0 },
    ];
    expect(chosen(packageOver(1, 10_000n), rivals(1299n))).toEqual([0]);
    expect(chosen(packageOver(1, 10_000n), rivals(1301n))).toEqual([1]);
  });

  it('[M-22] gains nothing by a nearly free leg of a famous agent', () => {
    const offers = [
      { from: 0, to: 2, cost: 1000n, rho: 0 },
      { from: 0, to: 1, cost: 1000n, rho: 0 },
      { from: 1, to: 2, cost: 1n, rho: 100 },
    ];
    expect(chosen(packageOver(2, 10_000n), offers)).toEqual([0]);
  });

  it('[M-23] breaks ties by cost, then fewer legs, then the ids in order', () => {
    expect(
      chosen(packageOver(1, 10_000n), [
        { from: 0, to: 1, cost: 1300n, rho: 100 },
        { from: 0, to: 1, cost: 1200n, rho: 0 },
      ]),
    ).toEqual([1]);
    expect(
      chosen(packageOver(2, 100n), [
        { from: 0, to: 1, cost: 5n },
        { from: 1, to: 2, cost: 5n },
        { from: 0, to: 2, cost: 10n },
      ]),
    ).toEqual([2]);
    expect(
      chosen(packageOver(2, 100n), [
        { from: 1, to: 2, cost: 6n },
        { from: 0, to: 1, cost: 5n },
        { from: 0, to: 1, cost: 4n },
        { from: 1, to: 2, cost: 5n },
      ]),
    ).toEqual([2, 3]);
    expect(
      chosen(packageOver(2, 100n), [
        { from: 1, to: 2, cost: 5n },
        { from: 0, to: 1, cost: 5n },
        { from: 0, to: 1, cost: 5n },
        { from: 1, to: 2, cost: 5n },
      ]),
    ).toEqual([1, 0]);
  });

  it('[M-24] counts exactly where doubles would not', () => {
    const half = MAX_LAMPORTS / 2n;
    const offers = [
      { from: 0, to: 1, cost: half, rho: 1 },
      { from: 0, to: 1, cost: half - 1n, rho: 1 },
      { from: 1, to: 2, cost: half, rho: 0 },
    ];
    const result = findBestRoute(packageOver(2, MAX_LAMPORTS), bidsOf(offers), still);
    expect(result.bids.map((bid) => bid.id)).toEqual([idOf(1), idOf(2)]);
    expect(result.weight).toBe((half - 1n) * 1299n + half * 1300n);
  });

  it('[M-24] crosses the antimeridian and passes over a pole', () => {
    const places = [
      { lat: 0, lng: 179.9 },
      { lat: 0, lng: 179.995 },
      { lat: 0, lng: -179.995 },
      { lat: 89.995, lng: 0 },
      { lat: 89.995, lng: 180 },
      { lat: 89.9, lng: 180 },
    ] as const;
    const leg = (index: number, pickup: (typeof places)[number], dropoff: (typeof places)[number]): RouteBid => ({
      id: idOf(index),
      agentPubkey: `agent ${index}`,
      pickup,
      dropoff,
      distanceKm: 1,
      costLamports: toLamports(1n),
      rho: 50,
    });
    const bids = [leg(0, places[0], places[1]), leg(1, places[2], places[3]), leg(2, places[4], places[5])];
    const target = { ...packageOver(1, 10n), origin: places[0], destination: places[5] };
    expect(idsOf(target, bids)).toEqual([idOf(0), idOf(1), idOf(2)]);
  });

  it.each<[string, Partial<RouteBid>]>([
    ['asks 0 lamports', { costLamports: toLamports(0n) }],
    ['has rho 101', { rho: 101 }],
    ['has rho 0.5', { rho: 0.5 }],
    ['has a place that does not exist', { pickup: { lat: 91, lng: 0 } }],
    ['has a distance of NaN', { distanceKm: Number.NaN }],
    ['have the id', { id: idOf(1) }],
  ])('[M-21] refuses input in which a bid %s', (message, change) => {
    const bids = bidsOf([
      { from: 0, to: 1, cost: 1n },
      { from: 0, to: 1, cost: 1n },
    ]);
    const wrong = bids.map((bid, index) => (index === 0 ? { ...bid, ...change } : bid));
    expect(() => idsOf(packageOver(1, 10n), wrong)).toThrow(message);
  });
});

describe('the exact answer', () => {
  const offer = (stops: number, agents: number, costs: fc.Arbitrary<bigint>) =>
    fc
      .record({
        from: fc.nat(stops - 1),
        // Mostly one stop on, so that chains are common; at times far on, or back.
        by: fc.constantFrom(1, 1, 1, 1, 1, 2, 3, -1),
        cost: costs,
        agent: fc.nat(agents - 1),
        rho: fc.constantFrom(0, 50, 50, 100),
        km: fc.constantFrom(0, 5, 10, 40),
      })
      .map(({ by, ...rest }) => ({ ...rest, to: Math.min(stops, Math.max(0, rest.from + by)) }));

  it.each([
    ['few agents with many bids each', 4, 3, fc.bigInt({ min: 1n, max: 20n })],
    ['equal prices everywhere', 4, 6, fc.constantFrom(5n, 5n, 5n, 10n, 15n)],
    ['prices whose weights tie across reputations', 3, 6, fc.constantFrom(1200n, 1250n, 1300n, 2400n, 2600n)],
    ['long lines', 7, 9, fc.bigInt({ min: 1n, max: 4n })],
    ['prices near the largest amount', 3, 6, fc.bigInt({ min: MAX_LAMPORTS / 3n - 5n, max: MAX_LAMPORTS / 3n + 5n })],
  ])('[M-24] is that of trying every chain: %s', (_case, stops, agents, costs) => {
    fc.assert(
      fc.property(
        fc.array(offer(stops, agents, costs), { maxLength: 11 }),
        fc.constantFrom(0.5, 0.8, 1, 1.3, 3),
        fc.constantFrom(15, 30, 60, 120, 900),
        (offers, tightness, minutes) => {
          const total = offers.reduce((sum, each) => sum + each.cost, 1n);
          const fair = (total * BigInt(stops)) / BigInt(2 * Math.max(1, offers.length));
          const wanted = (fair * BigInt(tightness * 10)) / 10n + 1n;
          const target = packageOver(stops, wanted > MAX_LAMPORTS ? MAX_LAMPORTS : wanted, minutes);
          const bids = bidsOf(offers);
          const result = findBestRoute(target, bids, still);
          expect(result.bids.map((bid) => bid.id)).toEqual(bestOfEveryChain(target, bids, NOW));
          expect(result.exact).toBe(true);
          expect(result.totalLamports).toBe(result.bids.reduce((sum, bid) => sum + bid.costLamports, 0n));
          expect(result.weight).toBe(result.bids.reduce((sum, bid) => sum + bidWeight(bid), 0n));
        },
      ),
      { numRuns: 400 },
    );
  });

  it('[M-24] is that of trying every chain when budget and deadline only just leave room', () => {
    const choice = fc.record({
      cost: fc.bigInt({ min: 1000n, max: 1040n }),
      agent: fc.nat(6),
      rho: fc.nat(100),
      km: fc.constantFrom(0, 5, 10, 15, 20),
    });
    const segment = fc.array(choice, { minLength: 4, maxLength: 5 });
    const limits = fc.tuple(
      fc.array(fc.nat(3), { minLength: 4, maxLength: 4 }),
      fc.nat(20),
      fc.constantFrom(0, 10, 600),
    );
    fc.assert(
      fc.property(
        fc.array(segment, { minLength: 3, maxLength: 4 }),
        limits,
        (segments, [picks, slack, minutesMore]) => {
          const offers = segments.flatMap((choices, from) => choices.map((each) => ({ ...each, from, to: from + 1 })));
          const picked = segments.flatMap((choices, index) => choices.slice(picks[index] ?? 0).slice(0, 1));
          const budget = picked.reduce((sum, each) => sum + each.cost, BigInt(slack));
          const minutes = picked.reduce<number>((sum, each) => sum + 2 * each.km, minutesMore);
          const target = packageOver(segments.length, budget, minutes);
          const bids = bidsOf(offers);
          expect(idsOf(target, bids)).toEqual(bestOfEveryChain(target, bids, NOW));
        },
      ),
      { numRuns: 400 },
    );
  });

  it('[M-24] is that of trying every chain where handoffs overlap', () => {
    const near = fc.record({
      lat: fc.double({ min: 52.5, max: 52.56, noNaN: true }),
      lng: fc.double({ min: 13.38, max: 13.42, noNaN: true }),
    });
    const bid = fc.record({
      pickup: near,
      dropoff: near,
      agent: fc.nat(4),
      cost: fc.integer({ min: 1, max: 60 }),
      rho: fc.nat(100),
    });
    fc.assert(
      fc.property(fc.array(bid, { maxLength: 9 }), fc.integer({ min: 10, max: 200 }), (raw, budget) => {
        const bids = raw.map(
          ({ agent, cost, ...rest }, index): RouteBid => ({
            ...rest,
            id: idOf(index),
            agentPubkey: `agent ${agent}`,
            costLamports: toLamports(BigInt(cost)),
            distanceKm: greatCircleKm(rest.pickup, rest.dropoff),
          }),
        );
        const target = packageOver(2, BigInt(budget), 15);
        expect(idsOf(target, bids)).toEqual(bestOfEveryChain(target, bids, NOW));
      }),
      { numRuns: 500 },
    );
  });

  it('[M-24] is the same, far above the smallest inputs, when every amount is multiplied beyond what a double holds', () => {
    const times = 10n ** 10n;
    const many = fc.array(offer(7, 12, fc.bigInt({ min: 1n, max: 60_000n })), { minLength: 40, maxLength: 120 });
    const tightness = fc.constantFrom(20_000n, 60_000n, 200_000n);
    fc.assert(
      fc.property(many, tightness, fc.constantFrom(60, 120, 900), (offers, budget, minutes) => {
        const bids = bidsOf(offers);
        const multiplied = bids.map((bid) => ({ ...bid, costLamports: toLamports(bid.costLamports * times) }));
        expect(idsOf(packageOver(7, budget * times, minutes), multiplied)).toEqual(
          idsOf(packageOver(7, budget, minutes), bids),
        );
      }),
      { numRuns: 60 },
    );
  });

  it('[M-24] is the same for such amounts at the ends of the earth, where hundreds of handoffs overlap', () => {
    const corners = [
      { lat: 89.97, lng: 0 },
      { lat: -89.97, lng: 90 },
      { lat: 0, lng: 180 },
      { lat: 52.5, lng: 13 },
    ] as const;
    const share = fc.integer({ min: 0, max: 1000 }).map((thousandths) => thousandths / 1000);
    const bid = fc.record({
      from: fc.tuple(share, share),
      by: fc.tuple(share, share),
      agent: fc.nat(30),
      cost: fc.integer({ min: 500, max: 999 }),
    });
    const raw = fc.array(bid, { minLength: 150, maxLength: 250 });
    fc.assert(
      fc.property(raw, fc.constantFrom(...corners), fc.constantFrom(2500, 3500, 9000), (offers, corner, budget) => {
        const place = (north: number, east: number) => {
          const lng = corner.lng + (east * 0.1) / Math.max(0.0005, Math.cos((corner.lat * Math.PI) / 180));
          return { lat: corner.lat + (north - 0.5) * 0.05, lng: ((lng + 540) % 360) - 180 };
        };
        const bids = offers.map(({ from: [north, east], by, agent, cost }, index) => ({
          id: idOf(index),
          agentPubkey: `agent ${agent}`,
          pickup: place(north, east),
          dropoff: place((north + by[0]) / 2, east + by[1] / 3),
          distanceKm: 1,
          costLamports: toLamports(BigInt(cost)),
          rho: cost % 101,
        }));
        const target = { ...packageOver(1, BigInt(budget)), origin: place(0.5, 0), destination: place(0.5, 1) };
        const times = 10n ** 11n;
        const multiplied = bids.map((each) => ({ ...each, costLamports: toLamports(each.costLamports * times) }));
        const large = { ...target, budgetLamports: toLamports(target.budgetLamports * times) };
        expect(idsOf(large, multiplied)).toEqual(idsOf(target, bids));
      }),
      { numRuns: 15 },
    );
  });

  it('[M-24] does not depend on the order of the bids', () => {
    const offers = fc.array(offer(4, 4, fc.constantFrom(5n, 10n)), { minLength: 2, maxLength: 14 });
    fc.assert(
      fc.property(
        offers.chain((some) =>
          fc.tuple(fc.constant(bidsOf(some)), fc.shuffledSubarray(bidsOf(some), { minLength: some.length })),
        ),
        ([bids, shuffled]) => {
          expect(idsOf(packageOver(4, 25n, 60), shuffled)).toEqual(idsOf(packageOver(4, 25n, 60), bids));
        },
      ),
    );
  });
});

describe('the time bound', () => {
  const crowd = Array.from({ length: 300 }, (_, index) => ({
    from: index % 6,
    to: (index % 6) + 1,
    cost: BigInt(5 + (index % 7)),
    agent: index % 40,
  }));

  it('[M-25] leaves the best single bid when there is no time to search', () => {
    const offers = [...crowd, { from: 0, to: 6, cost: 90n }, { from: 0, to: 6, cost: 80n }];
    const options = { evaluatedAtMs: NOW, now: () => 0, timeBoundMs: 0 };
    const result = findBestRoute(packageOver(6, 100n), bidsOf(offers), options);
    expect(result).toMatchObject({ exact: false, totalLamports: 80n });
    expect(findBestRoute(packageOver(6, 100n), bidsOf(crowd), options)).toEqual({
      bids: [],
      totalLamports: 0n,
      weight: 0n,
      exact: false,
    });
  });

  it('[M-25] gives a valid chain, no better than the best, whenever it strikes', () => {
    const offers = [...crowd, { from: 0, to: 6, cost: 90n }];
    const target = packageOver(6, 100n);
    const best = findBestRoute(target, bidsOf(offers), still);
    expect(best).toMatchObject({ exact: true, totalLamports: 30n });
    const cuts = [1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377].map((readings) => {
      let reading = 0;
      const now = () => (reading++ <= readings ? 0 : 1);
      return findBestRoute(target, bidsOf(offers), { evaluatedAtMs: NOW, now, timeBoundMs: 1 });
    });
    for (const cut of cuts) {
      expect(new Set(cut.bids.map((bid) => bid.agentPubkey)).size).toBe(cut.bids.length);
      expect(cut.totalLamports).toBeLessThanOrEqual(100n);
      expect(cut.weight).toBeGreaterThanOrEqual(best.weight);
      expect(cut.exact ? cut.weight : best.weight).toBe(best.weight);
    }
    expect(cuts.some((cut) => !cut.exact)).toBe(true);
    expect(cuts.some((cut) => cut.exact)).toBe(true);
  });
});
