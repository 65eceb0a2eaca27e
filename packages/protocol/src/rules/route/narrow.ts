import { type BidField, HEAVIEST_SHARE, layOut } from './field.js';
import type { ChainLimits } from './graph.js';
import { leastThrough } from './lowerBounds.js';
import { at } from './places.js';
import { type RelaxedAnswer, searchRelaxed } from './relaxedSearch.js';
import { Rings } from './rings.js';
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

/** How much above the least that a way could weigh the lightest one is looked for at first. */
const NEAR = 1.05;

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
  const rings = new Rings(field);
  const lightest = rings.leastThrough(field.weight);
  const search = (leftOut: ReadonlySet<number>): RelaxedAnswer =>
    searchLightest(field, lightest, leftOut, limits, bound);
  const first = search(new Set());
  const repeats = first.path !== undefined && repeatedBid(field, first.path) !== undefined;
  if (first.isBest && !repeats) return { chain: first.path ?? [], candidates: [], isCut: false };
  const chain = repeats ? keepAgentsApart(field, search, first.path ?? []) : (first.path ?? []);
  const candidates = worthSearching(field, rings, limits, bound, chain);
  return { chain, candidates: candidates ?? [], isCut: candidates === undefined };
}

/**
 * Looks first among the bids that a way near the least possible could lead through. A way that it finds is the lightest of
 * all if it is that light; else it searches once more, among all that a way as light as the one found could lead through.
 *
 * @param lightest for every bid, what no way through it weighs less than
 */
function searchLightest(
  field: BidField,
  lightest: Float64Array,
  leftOut: ReadonlySet<number>,
  limits: ChainLimits,
  bound: TimeBound,
): RelaxedAnswer {
  const heaviest = limits.budget * HEAVIEST_SHARE;
  let ceiling = Math.min(heaviest, NEAR * lightest.reduce((least, weight) => Math.min(least, weight), heaviest));
  for (;;) {
    const answer = searchRelaxed(field, limits, bound, (index) => at(lightest, index) > ceiling || leftOut.has(index));
    const weight = answer.path === undefined ? heaviest : weightOf(field, answer.path);
    if (!answer.isBest || weight <= ceiling) return answer;
    ceiling = weight;
  }
}

function weightOf(field: BidField, path: readonly number[]): number {
  return path.reduce((sum, index) => sum + at(field.weight, index), 0);
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
  search: (leftOut: ReadonlySet<number>) => RelaxedAnswer,
  path: readonly number[],
): readonly number[] {
  const leftOut = new Set<number>();
  let current: readonly number[] | undefined = path;
  for (let repair = 0; current !== undefined; repair += 1) {
    const repeated = repeatedBid(field, current);
    if (repeated === undefined) return current;
    if (repair === MAX_REPAIRS) return [];
    leftOut.add(repeated);
    current = search(leftOut).path;
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
  rings: Rings,
  limits: ChainLimits,
  bound: TimeBound,
  chain: readonly number[],
): number[] | undefined {
  // Without a chain: what the budget could weigh at most.
  const heaviest = chain.length === 0 ? limits.budget * HEAVIEST_SHARE : weightOf(field, chain);
  const measures = [
    [field.cost, limits.budget],
    [field.minutes, limits.minutes],
    [field.weight, heaviest],
  ] as const;
  let left = [...field.bids.keys()];
  for (const [amount, ceiling] of measures) {
    const least = rings.leastThrough(amount);
    left = left.filter((index) => at(least, index) <= ceiling);
  }
  for (const [amount, ceiling] of measures) {
    if (left.length === 0) return left;
    const kept = new Set(left);
    const least = leastThrough(field, amount, { ceiling, isLeftOut: (index) => !kept.has(index) }, bound);
    if (least === undefined) return undefined;
    left = left.filter((index) => at(least, index) <= ceiling);
  }
  return left;
}
