import { minutesUntil } from '../deadline.js';
import { isCoordinate } from '../geo.js';
import { sumLamports } from '../../contract/money.js';
import { fitsField } from './field.js';
import { type ChainLimits, createNodes, type GraphNode, linkNodes } from './graph.js';
import { narrow } from './narrow.js';
import { bidWeight, compareChains } from './objective.js';
import { ChainSearch, chainOf, type FoundChain } from './search.js';
import { TimeBound } from './timeBound.js';
import type { RouteBid, RoutePackage, RouteResult } from './types.js';
import { fitsCarry, legMinutes } from './windows.js';

/** Milliseconds that a search may take by default. */
export const DEFAULT_ROUTE_TIME_BOUND_MS = 1000;

/** When and how long to search. */
export interface RouteOptions {
  /** The moment of evaluation, milliseconds since 1970: chains must end by the deadline from here. */
  readonly evaluatedAtMs: number;
  /** A clock in milliseconds, used only to keep the time bound. */
  readonly now: () => number;
  /** Milliseconds; {@link DEFAULT_ROUTE_TIME_BOUND_MS} when left out. */
  readonly timeBoundMs?: number | undefined;
}

/**
 * The best chain of 1 to 7 bids that carries the package from origin to destination within budget and deadline: the same
 * answer as trying every chain, unless the time bound cuts it short (`exact: false`). Bids must be standing; those of the
 * shipper, above the budget or too slow are passed over. Rules M-20 to M-25.
 *
 * @throws {RangeError} for input that is no bid: cost below one lamport, rho out of range, places or distance that do not
 *   exist, two bids with one id
 */
export function findBestRoute<Bid extends RouteBid>(
  target: RoutePackage,
  bids: readonly Bid[],
  options: RouteOptions,
): RouteResult<Bid> {
  requireBids(bids);
  const bound = new TimeBound(options.now, options.timeBoundMs ?? DEFAULT_ROUTE_TIME_BOUND_MS);
  const limits: ChainLimits = {
    budget: Number(target.budgetLamports),
    minutes: minutesUntil(target.deadlineMs, options.evaluatedAtMs),
  };
  const usable = bids.filter(
    (bid) =>
      bid.agentPubkey !== target.shipperPubkey &&
      bid.costLamports <= target.budgetLamports &&
      fitsCarry(target, bid) &&
      legMinutes(target, bid) <= limits.minutes,
  );
  const { path, exact } = fitsField(target.budgetLamports)
    ? narrowAndSearch(target, usable, limits, bound)
    : searchAll(target, usable, limits, bound, undefined);
  const chain = path.flatMap((index) => usable[index] ?? []);
  return {
    bids: chain,
    totalLamports: sumLamports(chain.map((bid) => bid.costLamports)),
    weight: chain.reduce((sum, bid) => sum + bidWeight(bid), 0n),
    exact,
  };
}

/** Indices of the bids that carry the package, in carrying order; `exact`: nothing is better. */
interface Answer {
  readonly path: readonly number[];
  readonly exact: boolean;
}

/** Leaves the exact search only the bids that could make a difference. */
function narrowAndSearch(
  target: RoutePackage,
  bids: readonly RouteBid[],
  limits: ChainLimits,
  bound: TimeBound,
): Answer {
  const { chain, candidates, isCut } = narrow(target, bids, limits, bound);
  if (isCut)
    return chain.length > 0 ? { path: chain, exact: false } : searchAll(target, bids, limits, bound, undefined);
  if (candidates.length === 0) return { path: chain, exact: true };
  const known = chain.length === 0 ? undefined : chain.map((index) => candidates.indexOf(index));
  const narrowed = candidates.flatMap((index) => bids[index] ?? []);
  const { path, exact } = searchAll(target, narrowed, limits, bound, known);
  return { path: path.flatMap((index) => candidates[index] ?? []), exact };
}

/** Searches these bids exactly; starts from the chain already known, if there is one. */
function searchAll(
  target: RoutePackage,
  bids: readonly RouteBid[],
  limits: ChainLimits,
  bound: TimeBound,
  known: readonly number[] | undefined,
): Answer {
  const nodes = createNodes(target, bids);
  const start = known === undefined ? bestSingle(nodes, limits) : chainOf(nodes, known, limits);
  const { found, exact } = linkNodes(nodes, bids, bound)
    ? ChainSearch.run(nodes, limits, bound, start)
    : { found: start, exact: false };
  return { path: found?.path ?? [], exact };
}

/** The best chain of one bid: known before any search, so that the time bound always leaves it. */
function bestSingle(nodes: readonly GraphNode[], limits: ChainLimits): FoundChain | undefined {
  let best: FoundChain | undefined;
  for (const [index, node] of nodes.entries()) {
    const chain = node.isFirst && node.isLast ? chainOf(nodes, [index], limits) : undefined;
    if (chain !== undefined && (best === undefined || compareChains(chain.key, best.key) < 0)) {
      best = chain;
    }
  }
  return best;
}

/** Ids mostly come in their order; then neighbours tell that no two are alike. */
function requireOwnIds(bids: readonly RouteBid[]): void {
  if (bids.every(({ id }, index) => index === 0 || (bids[index - 1]?.id ?? id) < id)) return;
  const ids = new Set<string>();
  for (const { id } of bids) {
    if (ids.has(id)) throw new RangeError(`two bids have the id ${id}; ids are unique`);
    ids.add(id);
  }
}

function requireBids(bids: readonly RouteBid[]): void {
  requireOwnIds(bids);
  for (const bid of bids) {
    if (bid.costLamports < 1n) {
      throw new RangeError(`bid ${bid.id} asks ${bid.costLamports} lamports; a bid asks at least one`);
    }
    if (!Number.isInteger(bid.rho) || bid.rho < 0 || bid.rho > 100) {
      throw new RangeError(`bid ${bid.id} has rho ${bid.rho}; it is an integer from 0 to 100`);
    }
    if (!isCoordinate(bid.pickup) || !isCoordinate(bid.dropoff)) {
      throw new RangeError(
        `bid ${bid.id} has a place that does not exist; latitude is within 90, longitude within 180`,
      );
    }
    if (!Number.isFinite(bid.distanceKm) || bid.distanceKm < 0) {
      throw new RangeError(`bid ${bid.id} has a distance of ${bid.distanceKm} km; it is a number of at least 0`);
    }
  }
}
