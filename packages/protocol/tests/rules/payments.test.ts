import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_LAMPORTS, toLamports } from '../../src/contract/money.js';
import { allocatePayments, expectedPaymentLamports, type PayableBid } from '../../src/rules/payments.js';

const SOL = 1_000_000_000n;
const bid = (costLamports: bigint, rho: number): PayableBid => ({ costLamports: toLamports(costLamports), rho });
const pay = (budget: bigint, bids: readonly PayableBid[]) =>
  allocatePayments({ budgetLamports: toLamports(budget), bids }).map((leg): bigint => leg.paymentLamports);
const sum = (values: readonly bigint[]) => values.reduce((total, value) => total + value, 0n);

const largest = MAX_LAMPORTS / 7n;
const anyBids = fc.array(
  fc.record({
    costLamports: fc.oneof(fc.bigInt({ min: 1n, max: 1000n }), fc.bigInt({ min: 1n, max: largest })).map(toLamports),
    rho: fc.integer({ min: 0, max: 100 }),
  }),
  { minLength: 1, maxLength: 7 },
);
const anyChain = anyBids.chain((bids) => {
  const total = sum(bids.map((each) => each.costLamports));
  return fc.record({
    bids: fc.constant(bids),
    budget: fc.oneof(
      fc.constant(total),
      fc.bigInt({ min: total, max: (total * 3n) / 2n > MAX_LAMPORTS ? MAX_LAMPORTS : (total * 3n) / 2n }),
      fc.bigInt({ min: total, max: MAX_LAMPORTS }),
    ),
  });
});

describe('payments', () => {
  it('[M-26] of 0.3 SOL with score 100 and 0.2 SOL from a newcomer out of 1 SOL', () => {
    const payments = pay(SOL, [bid(300_000_000n, 100), bid(200_000_000n, 50)]);
    expect(payments).toEqual([428_571_428n, 242_857_142n]);
    expect(sum(payments)).toBe(671_428_570n);
    expect(SOL - sum(payments)).toBe(328_571_430n);
  });

  it('[M-26] make the bid of a perfect agent 70 % of its payment', () => {
    expect(pay(10n * SOL, [bid(700_000_000n, 100)])).toEqual([SOL]);
  });

  it('[M-26] add nothing to the bid of an agent with rho 0', () => {
    expect(pay(SOL, [bid(500n, 0)])).toEqual([500n]);
    expect(pay(500n, [bid(500n, 0)])).toEqual([500n]);
  });

  it('[M-27] share a scarce surplus by bid times rho', () => {
    expect(pay(600n, [bid(300n, 100), bid(200n, 50)])).toEqual([375n, 225n]);
    expect(pay(501n, [bid(300n, 100), bid(200n, 50)])).toEqual([300n, 200n]);
    expect(pay(540n, [bid(300n, 100), bid(200n, 0)])).toEqual([340n, 200n]);
  });

  it('[M-27] are whole at the edge where the surplus just covers the full bonuses', () => {
    const bids = [bid(300_000_000n, 100), bid(200_000_000n, 50)];
    const edge = 671_428_570n;
    expect(pay(edge, bids)).toEqual([428_571_428n, 242_857_142n]);
    expect(sum(pay(edge - 1n, bids))).toBeLessThanOrEqual(edge - 1n);
  });

  it('[M-28] are never below the bid, and together never above the budget', () => {
    fc.assert(
      fc.property(anyChain, ({ bids, budget }) => {
        const payments = pay(budget, bids);
        expect(payments).toHaveLength(bids.length);
        for (const [index, payment] of payments.entries()) {
          expect(payment).toBeGreaterThanOrEqual(bids[index]?.costLamports ?? MAX_LAMPORTS);
        }
        expect(sum(payments)).toBeLessThanOrEqual(budget);
      }),
      { numRuns: 500 },
    );
  });

  it('[M-28] never shrink when the budget grows', () => {
    fc.assert(
      fc.property(anyChain, fc.bigInt({ min: 0n, max: SOL }), ({ bids, budget }, more) => {
        const before = pay(budget, bids);
        const after = pay(budget + more > MAX_LAMPORTS ? MAX_LAMPORTS : budget + more, bids);
        for (const [index, payment] of before.entries()) {
          expect(after[index]).toBeGreaterThanOrEqual(payment);
        }
      }),
    );
  });

  it('[M-28] are refused for bids above the budget, and for what is no bid', () => {
    expect(() => pay(499n, [bid(300n, 100), bid(200n, 50)])).toThrow('more than the budget of 499');
    expect(() => pay(SOL, [bid(0n, 100)])).toThrow('at least one lamport');
    expect(() => pay(SOL, [bid(1n, 101)])).toThrow('integer from 0 to 100');
    expect(() => pay(SOL, [bid(1n, 33.3)])).toThrow('integer from 0 to 100');
  });

  it('[M-29] of one bid alone are what its answer announces', () => {
    expect(expectedPaymentLamports(toLamports(SOL), bid(300_000_000n, 100))).toBe(428_571_428n);
    expect(expectedPaymentLamports(toLamports(SOL), bid(900_000_000n, 100))).toBe(SOL);
  });
});
