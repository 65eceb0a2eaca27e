import * as fc from 'fast-check';
import { describe, expect, inject, it } from 'vitest';
import { greatCircleKm } from '../../../src/rules/geo.js';
import { MAX_LAMPORTS, toLamports } from '../../../src/contract/money.js';
import { findBestRoute } from '../../../src/rules/route/bestRoute.js';
import { bidWeight } from '../../../src/rules/route/objective.js';
import type { RouteBid } from '../../../src/rules/route/types.js';
import { bestOfEveryChain } from './everyChain.js';
import { bidsOf, idOf, idsOf, NOW, packageOver, still } from './line.js';

/** Comparing with every chain takes its time: the fast lane tries a quarter as often. */
const trials = (numRuns: number) => ({ numRuns: inject('lane') === 'slow' ? numRuns : numRuns / 4 });

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
      trials(400),
    );
  });

  it('[M-24] is that of trying every chain, wherever around the destination couriers meet', () => {
    // Whole millionths of a degree: arbitrary doubles are nearly all next to nothing.
    const millionths = (min: number, max: number) => fc.integer({ min, max }).map((whole) => whole / 1e6);
    const away = fc.record({ north: millionths(-30_000, 40_000), east: millionths(-40_000, 40_000) });
    fc.assert(
      fc.property(
        away,
        millionths(-18_000, 18_000),
        fc.integer({ min: 1, max: 9 }),
        // Bids that lead nowhere: the more there are, the narrower the rings are.
        fc.integer({ min: 0, max: 60 }),
        ({ north, east }, apart, stops, others) => {
          const target = packageOver(stops, 100n);
          const { lat, lng } = target.destination;
          const bids = bidsOf([
            { from: 0, to: stops, cost: 1n },
            { from: 0, to: stops, cost: 1n },
            ...Array.from({ length: others }, () => ({ from: 12, to: 13, cost: 1n })),
          ]).map((bid, index) => {
            if (index === 0) return { ...bid, dropoff: { lat: lat + north, lng: lng + east } };
            return index === 1 ? { ...bid, pickup: { lat: lat + north + apart, lng: lng + east } } : bid;
          });
          expect(idsOf(target, bids)).toEqual(bestOfEveryChain(target, bids, NOW));
        },
      ),
      trials(2000),
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
      trials(400),
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
      trials(500),
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
      trials(60),
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
