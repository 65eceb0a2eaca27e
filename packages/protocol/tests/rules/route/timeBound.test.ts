import { describe, expect, it } from 'vitest';
import { findBestRoute } from '../../../src/rules/route/bestRoute.js';
import { bidsOf, NOW, packageOver, still } from './line.js';

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
