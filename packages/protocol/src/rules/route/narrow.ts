import { type BidField, HEAVIEST_SHARE, layOut } from './field.js';
import type { ChainLimits } from './graph.js';
import { leastThrough } from './lowerBounds.js';
import { at } from './places.js';
import { searchRelaxed } from './relaxedSearch.js';
import type { TimeBound } from './timeBound.js';
import type { RouteBid, RoutePackage } from './types.js';

/** How far a search that lets agents repeat gets. Indices are those of the bids it was given. */
export interface Narrowed {
  /** A chain that keeps every rule: the best one known. */
  readonly chain: readonly number[];
  /** The bids that a better chain could consist of; empty: `chain` is the best, or nothing carries the package. */
  readonly candidates: readonly number[];
  /** The time was up: better chains may exist outside of the candidates. */
  readonly isCut: boolean;
}

/** Tries at keeping agents apart by leaving out one bid of an agent that repeats; each costs about as much as the first search. */
const MAX_REPAIRS = 6;

/**
 * Returns at once when the best way with repeated agents allowed repeats none and passes no limit, which is nearly always.
 * Otherwise leaves only those bids for the exact search through which a way at least as good as the best known one can
 * lead: a handful of thousands. The budget must fit a field. Rules M-20 to M-24.
 */
export function narrow(
  target: RoutePackage,
  bids: readonly RouteBid[],
  limits: ChainLimits,
  bound: TimeBound,
): Narrowed {
  const field = layOut(target, bids);
  const first = searchRelaxed(field, limits, bound, () => false);
  const repeats = first.path !== undefined && repeatedBid(field, first.path) !== undefined;
  if (first.isBest && !repeats) return { chain: first.path ?? [], candidates: [], isCut: false };
  const chain = repeats ? keepAgentsApart(field, limits, bound, first.path ?? []) : (first.path ?? []);
  const candidates = worthSearching(field, limits, bound, chain);
  return { chain, candidates: candidates ?? [], isCut: candidates === undefined };
}

/** The heavier of two bids of one agent in the path; undefined when no agent repeats. */
function repeatedBid(field: BidField, path: readonly number[]): number | undefined {
  const seen = new Map<string, number>();
  for (const index of path) {
    const agent = field.bids[index]?.agentPubkey ?? '';
    const other = seen.get(agent);
    if (other !== undefined) return at(field.weight, index) < at(field.weight, other) ? other : index;
    seen.set(agent, index);
  }
  return undefined;
}

/** A chain without repeated agents, near the best; empty when a few tries find none. */
function keepAgentsApart(
  field: BidField,
  limits: ChainLimits,
  bound: TimeBound,
  path: readonly number[],
): readonly number[] {
  const leftOut = new Set<number>();
  let current: readonly number[] | undefined = path;
  for (let repair = 0; current !== undefined; repair += 1) {
    const repeated = repeatedBid(field, current);
    if (repeated === undefined) return current;
    if (repair === MAX_REPAIRS) return [];
    leftOut.add(repeated);
    current = searchRelaxed(field, limits, bound, (index) => leftOut.has(index)).path;
  }
  return [];
}

/**
 * The bids through which some way costs no more than the budget, is quick enough and weighs no more than the chain, each measure
 * taken over what the one before has left.
 *
 * @returns undefined when the time was up
 */
function worthSearching(
  field: BidField,
  limits: ChainLimits,
  bound: TimeBound,
  chain: readonly number[],
): number[] | undefined {
  // Without a chain: what the budget could weigh at most.
  const heaviest =
    chain.length === 0
      ? limits.budget * HEAVIEST_SHARE
      : chain.reduce((sum, index) => sum + at(field.weight, index), 0);
  let left = [...field.bids.keys()];
  for (const [amount, ceiling] of [
    [field.cost, limits.budget],
    [field.minutes, limits.minutes],
    [field.weight, heaviest],
  ] as const) {
    if (left.length === 0) return left;
    const kept = new Set(left);
    const least = leastThrough(field, amount, { ceiling, isLeftOut: (index) => !kept.has(index) }, bound);
    if (least === undefined) return undefined;
    left = left.filter((index) => at(least, index) <= ceiling);
  }
  return left;
}
