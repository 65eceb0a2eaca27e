import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chainFault } from '../../../src/rules/route/chainFault.js';
import { bestOfEveryChain } from './everyChain.js';
import { bidsOf, idsOf, NOW, type Offer, packageOver } from './line.js';

/** Two legs of 10 minutes each. */
const OFFERS: readonly Offer[] = [
  { from: 0, to: 1, cost: 10n, km: 5 },
  { from: 1, to: 2, cost: 20n, km: 5 },
];

const under = (minutes: number, clocks: { carrySec: number; handoffSec: number }) => ({
  ...packageOver(2, 100n, minutes),
  clocks,
});

describe('the chain of a package with terms', () => {
  const isChosen = (minutes: number, carrySec: number, handoffSec: number) =>
    idsOf(under(minutes, { carrySec, handoffSec }), bidsOf(OFFERS)).length > 0;

  it('[T-65] has time for one handoff a leg before the deadline, in whole minutes', () => {
    expect([79, 80].map((minutes) => isChosen(minutes, 7200, 1800))).toEqual([false, true]);
    expect([79, 80].map((minutes) => isChosen(minutes, 7200, 1741))).toEqual([false, true]);
    expect([79, 80].map((minutes) => isChosen(minutes, 7200, 1740))).toEqual([true, true]);
  });

  it('[T-65] has no leg whose way is more than half of the carry window', () => {
    expect([1199, 1200].map((carrySec) => isChosen(900, carrySec, 300))).toEqual([false, true]);
  });

  it('[T-65] is checked again by the same windows', () => {
    const bids = bidsOf(OFFERS);
    expect(chainFault(under(80, { carrySec: 1200, handoffSec: 1800 }), bids, NOW)).toBeUndefined();
    expect(chainFault(under(79, { carrySec: 1200, handoffSec: 1800 }), bids, NOW)).toMatch(/deadline/);
    expect(chainFault(under(80, { carrySec: 1199, handoffSec: 1800 }), bids, NOW)).toMatch(/carry window/);
    expect(chainFault(packageOver(2, 100n, 20), bids, NOW)).toBeUndefined();
  });

  it('[M-24, T-65] is the best of every chain that its windows allow', () => {
    const offer: fc.Arbitrary<Offer> = fc.record({
      from: fc.nat(3),
      to: fc.nat(4),
      cost: fc.bigInt(1n, 20n),
      agent: fc.nat(6),
      rho: fc.constantFrom(0, 50, 100),
      km: fc.constantFrom(1, 5, 10, 40),
    });
    const clocks = fc.record({
      carrySec: fc.constantFrom(300, 1200, 2400, 9600),
      handoffSec: fc.constantFrom(300, 301, 2700),
    });
    fc.assert(
      fc.property(fc.array(offer, { maxLength: 11 }), clocks, fc.constantFrom(60, 120, 900), (offers, its, minutes) => {
        const target = { ...packageOver(4, 60n, minutes), clocks: its };
        const bids = bidsOf(offers);
        expect(idsOf(target, bids)).toEqual(bestOfEveryChain(target, bids, NOW));
      }),
      { numRuns: 500 },
    );
  });
});
