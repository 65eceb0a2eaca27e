import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Lamports, MAX_LAMPORTS, toLamports } from '../../src/contract/money.js';
import { PERCENT_BY_SILENCE, RULERS, ruledPayment, stakeShares } from '../../src/rules/stakes.js';

const someLamports = (max: bigint) => fc.bigInt({ min: 0n, max }).map(toLamports);
const stakes = someLamports(MAX_LAMPORTS / 2n);
const percents = fc.integer({ min: 0, max: 100 });
const shares = (stake: bigint, ...rest: [by: (typeof RULERS)[number], percent: number]) => {
  const { worker, disputer, fee } = stakeShares(toLamports(stake), ...rest);
  return [worker, disputer, fee];
};

describe('the two stakes of a ruled leg', () => {
  it('[T-22] are divided by the arbiter, who keeps half a stake, whoever wins', () => {
    expect(shares(1000n, 'arbiter', 100)).toEqual([1500n, 0n, 500n]);
    expect(shares(1000n, 'arbiter', 0)).toEqual([0n, 1500n, 500n]);
    expect(shares(1000n, 'arbiter', 50)).toEqual([750n, 750n, 500n]);
    expect(shares(1001n, 'arbiter', 33)).toEqual([495n, 1007n, 500n]);
  });

  it('[T-22] go back by silence, but for half of that of the disputer', () => {
    expect(shares(1000n, 'silence', PERCENT_BY_SILENCE)).toEqual([1000n, 500n, 500n]);
    expect(shares(1001n, 'silence', PERCENT_BY_SILENCE)).toEqual([1001n, 501n, 500n]);
  });

  it('[T-23] go back whole by agreement, whatever the percentage', () => {
    for (const percent of [0, 1, 100]) expect(shares(1000n, 'agreement', percent)).toEqual([1000n, 1000n, 0n]);
  });

  it('[T-22] are neither more nor less than two, however they are divided', () => {
    fc.assert(
      fc.property(stakes, fc.constantFrom(...RULERS), percents, (stake, by, percent) => {
        const { worker, disputer, fee } = stakeShares(stake, by, percent);
        expect(worker + disputer + fee).toBe(2n * stake);
        expect(fee).toBe(by === 'agreement' ? 0n : stake / 2n);
        expect(by === 'arbiter' || worker === stake).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('[T-22] give the courier more the more of its payment it gets', () => {
    fc.assert(
      fc.property(stakes, fc.tuple(percents, percents), (stake, [one, other]) => {
        const [less, more] = [Math.min(one, other), Math.max(one, other)];
        const of = (percent: number) => stakeShares(stake, 'arbiter', percent).worker;
        expect(of(less)).toBeLessThanOrEqual(of(more));
      }),
    );
  });
});

describe('what a leg pays', () => {
  it('[T-36] is all of it, or what the ruling left, rounded down', () => {
    const payment = toLamports(1001n);
    expect(ruledPayment(payment, null)).toBe(1001n);
    expect(ruledPayment(payment, 50)).toBe(500n);
    expect(ruledPayment(payment, 1)).toBe(10n);
    expect(ruledPayment(payment, 100)).toBe(1001n);
    expect(ruledPayment(payment, 0)).toBe(0n);
  });

  it('[T-36] is never more than what was agreed', () => {
    const payments: fc.Arbitrary<Lamports> = someLamports(MAX_LAMPORTS);
    fc.assert(
      fc.property(payments, fc.option(percents), (payment, percent) => {
        expect(ruledPayment(payment, percent)).toBeLessThanOrEqual(payment);
      }),
    );
  });
});
