import type { Coordinate } from '../geo.js';
import type { Lamports } from '../../contract/money.js';

/** A standing bid, as the optimizer sees it. */
export interface RouteBid {
  /** UUIDv7 in canonical text; ties are broken by its order. */
  readonly id: string;
  readonly agentPubkey: string;
  readonly pickup: Coordinate;
  readonly dropoff: Coordinate;
  /** Kilometres; the leg's duration follows from it. */
  readonly distanceKm: number;
  /** At least one lamport. */
  readonly costLamports: Lamports;
  /** Percent from `rho`, integer 0 to 100. */
  readonly rho: number;
}

/** The package to be carried. */
export interface RoutePackage {
  readonly origin: Coordinate;
  readonly destination: Coordinate;
  readonly budgetLamports: Lamports;
  readonly shipperPubkey: string;
  /** Milliseconds since 1970. */
  readonly deadlineMs: number;
  /** Of terms, in seconds; undefined: it has none. */
  readonly clocks?: { readonly carrySec: number; readonly handoffSec: number } | undefined;
}

/** The best chain of bids. */
export interface RouteResult<Bid extends RouteBid = RouteBid> {
  /** The chain in carrying order; empty when no chain was found. */
  readonly bids: readonly Bid[];
  /** Sum of the bids' costs. */
  readonly totalLamports: Lamports;
  /** The objective, see `bidWeight`: smaller is better; 0 without a chain. */
  readonly weight: bigint;
  /** False when the time bound cut the search: a better chain, or one at all, may exist. */
  readonly exact: boolean;
}
