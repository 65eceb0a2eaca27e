import { type Lamports, sumLamports, toLamports } from '../contract/money.js';

/** A chosen bid as payment sees it. */
export interface PayableBid {
  /** The cost that the bid asks, at least one lamport. */
  readonly costLamports: Lamports;
  /** Percent from `rho`, integer 0 to 100. */
  readonly rho: number;
}

/** The payment of a leg. */
export interface LegPayment {
  readonly paymentLamports: Lamports;
}

/**
 * The payment of each bid of a chain, in its order: the bid, and a bonus that for a perfect agent makes the bid exactly
 * 70 % of the payment, as far as the budget's surplus allows. Every payment is at least its bid; together they are at
 * most the budget. Rules M-26, M-27, M-28.
 *
 * @throws {RangeError} when the bids pass the budget, or one is below a lamport or its rho no integer from 0 to 100
 */
export function allocatePayments(chain: {
  readonly budgetLamports: Lamports;
  readonly bids: readonly PayableBid[];
}): LegPayment[] {
  const { budgetLamports, bids } = chain;
  const shares = bids.map((bid) => bid.costLamports * BigInt(requirePayable(bid).rho));
  const total = sumLamports(bids.map((bid) => bid.costLamports));
  if (total > budgetLamports) {
    throw new RangeError(`the bids ask ${total} lamports, more than the budget of ${budgetLamports}`);
  }
  const surplus = budgetLamports - total;
  const fullBonuses = shares.map((share) => (share * 3n) / 700n);
  const enough = sum(fullBonuses) <= surplus;
  const allShares = sum(shares);
  return bids.map((bid, index) => {
    const full = fullBonuses[index] ?? 0n;
    const bonus = enough ? full : (surplus * (shares[index] ?? 0n)) / allShares;
    return { paymentLamports: toLamports(bid.costLamports + bonus) };
  });
}

/** The payment of a bid if it carried the package alone. Rule M-29. */
export function expectedPaymentLamports(budgetLamports: Lamports, bid: PayableBid): Lamports {
  return sumLamports(allocatePayments({ budgetLamports, bids: [bid] }).map((leg) => leg.paymentLamports));
}

function requirePayable(bid: PayableBid): PayableBid {
  if (bid.costLamports < 1n) {
    throw new RangeError('a bid asks at least one lamport');
  }
  if (!Number.isInteger(bid.rho) || bid.rho < 0 || bid.rho > 100) {
    throw new RangeError(`rho is ${bid.rho}; it is an integer from 0 to 100`);
  }
  return bid;
}

function sum(values: readonly bigint[]): bigint {
  return values.reduce((total, value) => total + value, 0n);
}
