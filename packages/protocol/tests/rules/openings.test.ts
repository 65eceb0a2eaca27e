import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toLamports } from '../../src/contract/money.js';
import {
  bestOpeningBid,
  EVICTION_GRACE_SEC,
  maxOpeningCost,
  type OpeningBid,
  OPENING_SEC,
} from '../../src/rules/openings.js';
import { compareChains } from '../../src/rules/route/objective.js';

const bid = (id: string, cost: bigint, rho: number): OpeningBid => ({ id, costLamports: toLamports(cost), rho });

describe('an opening', () => {
  it('[T-56] gathers bids for five minutes', () => {
    expect(OPENING_SEC).toBe(300);
  });

  it('[T-57] comes two minutes after the clock of who was silent', () => {
    expect(EVICTION_GRACE_SEC).toBe(120);
  });

  it('[T-58] costs at most what the leg was given first, and the stakes that were lost on it', () => {
    const firstPaymentLamports = toLamports(40n);
    const cost = (...forfeited: bigint[]) =>
      maxOpeningCost({ firstPaymentLamports, forfeitedLamports: forfeited.map(toLamports) });
    expect(cost()).toBe(40n);
    expect(cost(30n, 0n, 30n)).toBe(100n);
  });
});

describe('the bid that gets a vacant leg', () => {
  it('[T-59] is none where there is none', () => {
    expect(bestOpeningBid([])).toBeUndefined();
  });

  it('[T-59] is the lightest: cost by reputation', () => {
    expect(bestOpeningBid([bid('a', 100n, 50), bid('b', 99n, 50)])?.id).toBe('b');
    expect(bestOpeningBid([bid('a', 100n, 50), bid('b', 103n, 100)])?.id).toBe('b');
    expect(bestOpeningBid([bid('a', 100n, 50), bid('b', 105n, 100)])?.id).toBe('a');
  });

  it('[T-59] is the cheaper of equal ones, then the older', () => {
    expect(bestOpeningBid([bid('a', 1300n, 100), bid('b', 1200n, 0)])?.id).toBe('b');
    expect(bestOpeningBid([bid('b', 100n, 50), bid('a', 100n, 50)])?.id).toBe('a');
  });

  it('[T-59] is one that no other beats, in whatever order they came', () => {
    const bids = fc.uniqueArray(
      fc.record({
        id: fc.uuid({ version: 7 }),
        costLamports: fc.bigInt({ min: 1n, max: 20n }).map(toLamports),
        rho: fc.integer({ min: 0, max: 100 }),
      }),
      { selector: ({ id }) => id, minLength: 1, maxLength: 12 },
    );
    const keyOf = ({ id, costLamports, rho }: OpeningBid) => ({
      weight: costLamports * BigInt(1300 - rho),
      costLamports,
      ids: [id],
    });
    fc.assert(
      fc.property(bids, (given) => {
        const best = bestOpeningBid(given);
        expect(bestOpeningBid(given.toReversed())).toEqual(best);
        if (best === undefined) throw new Error('there is no best one');
        for (const other of given) expect(compareChains(keyOf(best), keyOf(other))).toBeLessThanOrEqual(0);
      }),
    );
  });
});
