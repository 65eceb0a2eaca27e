import { type Lamports, sumLamports } from '../contract/money.js';
import { bidWeight, type ChainKey, compareChains } from './route/objective.js';

/** How long a vacant leg gathers bids before the first evaluation, in seconds by the ledger's clock. Rule T-56. */
export const OPENING_SEC = 300;

/** How long after a courier's clock the service vacates its leg, in seconds: notice that is late by little still counts. Rule T-57. */
export const EVICTION_GRACE_SEC = 120;

/**
 * The most that a bid for a vacant leg may ask, in lamports: what the first formation gave the leg, and the stakes that couriers of
 * this leg have lost. The ledger would allow the whole pool; then a courier could be replaced by its own second key at a profit.
 * Rule T-58.
 */
export function maxOpeningCost(opening: {
  readonly firstPaymentLamports: Lamports;
  readonly forfeitedLamports: readonly Lamports[];
}): Lamports {
  return sumLamports([opening.firstPaymentLamports, ...opening.forfeitedLamports]);
}

/** A bid for a vacant leg. */
export interface OpeningBid {
  /** UUIDv7 in canonical text. */
  readonly id: string;
  readonly costLamports: Lamports;
  /** Percent, integer 0 to 100. */
  readonly rho: number;
}

/** The best bid for a vacant leg: of those, the best chain of one. Rule T-59. */
export function bestOpeningBid<Bid extends OpeningBid>(bids: readonly Bid[]): Bid | undefined {
  const keyOf = (bid: Bid): ChainKey => ({ weight: bidWeight(bid), costLamports: bid.costLamports, ids: [bid.id] });
  return bids.toSorted((a, b) => compareChains(keyOf(a), keyOf(b)))[0];
}
