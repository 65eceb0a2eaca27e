import { Places } from './places.js';
import type { RouteBid, RoutePackage } from './types.js';
import { legMinutes } from './windows.js';

/** The bids on a package in columns: what a search over thousands of them reads most lies together. */
export interface BidField {
  readonly bids: readonly RouteBid[];
  /** cost * (1300 - rho), exact: see {@link fitsField}. */
  readonly weight: Float64Array;
  /** Lamports. */
  readonly cost: Float64Array;
  readonly minutes: Float64Array;
  /** The pickup lies within a handoff of the origin. */
  readonly isFirst: Uint8Array;
  /** The drop-off lies within a handoff of the destination. */
  readonly isLast: Uint8Array;
  readonly pickups: Places;
  readonly dropoffs: Places;
  /** The origin, then the destination. */
  readonly ends: Places;
}

/** The most that a lamport of a bid can weigh: when its agent counts for nothing. Rule M-22. */
export const HEAVIEST_SHARE = 1300;

/** Reports whether the weight of every chain within the budget is exact in a double: up to about 6,900 SOL. Rule M-24. */
export function fitsField(budgetLamports: bigint): boolean {
  return budgetLamports * BigInt(HEAVIEST_SHARE) <= BigInt(Number.MAX_SAFE_INTEGER);
}

/** Lays the bids out; each costs at most the budget, which {@link fitsField}. */
export function layOut(target: RoutePackage, bids: readonly RouteBid[]): BidField {
  const count = bids.length;
  const field = {
    bids,
    weight: new Float64Array(count),
    cost: new Float64Array(count),
    minutes: new Float64Array(count),
    isFirst: new Uint8Array(count),
    isLast: new Uint8Array(count),
    pickups: new Places(bids.map((bid) => bid.pickup)),
    dropoffs: new Places(bids.map((bid) => bid.dropoff)),
    ends: new Places([target.origin, target.destination]),
  };
  for (const [index, bid] of bids.entries()) {
    const cost = Number(bid.costLamports);
    field.cost[index] = cost;
    field.weight[index] = cost * (HEAVIEST_SHARE - bid.rho);
    field.minutes[index] = legMinutes(target, bid);
    field.isFirst[index] = Number(field.pickups.meets(index, field.ends, 0));
    field.isLast[index] = Number(field.dropoffs.meets(index, field.ends, 1));
  }
  return field;
}
