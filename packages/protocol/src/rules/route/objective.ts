import type { RouteBid } from './types.js';

/** A chain, or a part of one, as the objective orders it. */
export interface ChainKey {
  readonly weight: bigint;
  readonly costLamports: bigint;
  /** The ids of its bids, in carrying order. */
  readonly ids: readonly string[];
}

/**
 * A bid's share of the objective: cost * (1300 - rho). A chain's weight is the sum, which orders chains like
 * cost * (1 - 0.08 * (reputation - 0.5)) with reputation the cost-weighted mean of rho / 100. Rule M-22.
 */
export function bidWeight(bid: Pick<RouteBid, 'costLamports' | 'rho'>): bigint {
  return bid.costLamports * BigInt(1300 - bid.rho);
}

/**
 * Orders chains: lower weight, then lower cost, fewer legs, ids first in lexicographic order. Negative when `a` is the
 * better one. Putting the same bids before or behind both never changes the order. Rule M-23.
 */
export function compareChains(a: ChainKey, b: ChainKey): number {
  return (
    sign(a.weight - b.weight) ||
    sign(a.costLamports - b.costLamports) ||
    a.ids.length - b.ids.length ||
    compareIds(a.ids, b.ids)
  );
}

function sign(value: bigint): number {
  return value < 0n ? -1 : Number(value > 0n);
}

function compareIds(a: readonly string[], b: readonly string[]): number {
  for (const [index, id] of a.entries()) {
    const other = b[index] ?? '';
    if (id !== other) {
      return id < other ? -1 : 1;
    }
  }
  return 0;
}
