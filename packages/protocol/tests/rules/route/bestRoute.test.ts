import { describe, expect, it } from 'vitest';
import { MAX_LAMPORTS, toLamports } from '../../../src/contract/money.js';
import { findBestRoute } from '../../../src/rules/route/bestRoute.js';
import { bidWeight } from '../../../src/rules/route/objective.js';
import type { RouteBid } from '../../../src/rules/route/types.js';
import { bidsOf, chosen, idOf, idsOf, packageOver, still, stop } from './line.js';

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
