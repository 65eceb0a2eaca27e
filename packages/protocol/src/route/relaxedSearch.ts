import type { BidField } from './field.js';
import type { ChainLimits } from './graph.js';
import { Heap } from './heap.js';
import { at } from './places.js';
import { TakingGrid } from './takingGrid.js';
import type { TimeBound } from './timeBound.js';
import { MAX_CHAIN_LEGS } from './types.js';

/** What a search that lets an agent repeat has found. */
export interface RelaxedAnswer {
  /** A way within every limit, in carrying order; an agent may appear in it twice. Undefined: none was found. */
  readonly path: readonly number[] | undefined;
  /** No other way is better. False also when the time was up. */
  readonly isBest: boolean;
}

/** A way from a bid to the destination. */
interface Rest {
  readonly index: number;
  readonly next: Rest | undefined;
  readonly weight: number;
  readonly cost: number;
  readonly minutes: number;
  readonly legs: number;
}

/**
 * Searches from the destination backwards, the best rest of a way first. A bid is reached again only by a rest of fewer legs, so at
 * most seven times, and the first settled bid that starts at the origin begins the best way of all. Ways above the budget or
 * too slow are dropped; that may hide a better one that would have gone on differently, so the answer is certain only if
 * nothing dropped could have been better. Rules M-20 to M-24.
 *
 * @param isLeftOut bids that take no part
 */
export function searchRelaxed(
  field: BidField,
  limits: ChainLimits,
  bound: TimeBound,
  isLeftOut: (index: number) => boolean,
): RelaxedAnswer {
  const grid = new TakingGrid(field.dropoffs, (index) => isLeftOut(index) || field.isLast[index] === 1);
  const open = new Heap<Rest>((a, b) => compareRests(field, a, b));
  /** Fewest legs by which each bid was reached. */
  const reached = new Uint8Array(field.ids.length).fill(MAX_CHAIN_LEGS + 1);
  let lightestDropped = Number.POSITIVE_INFINITY;
  const reach = (index: number, next: Rest | undefined): void => {
    const rest = prepend(field, index, next);
    reached[index] = rest.legs;
    if (rest.cost <= limits.budget && rest.minutes <= limits.minutes) open.push(rest);
    else lightestDropped = Math.min(lightestDropped, rest.weight);
  };
  for (const [index, isLast] of field.isLast.entries()) {
    if (isLast === 1 && !isLeftOut(index)) reach(index, undefined);
  }
  for (let rest = open.pop(); rest !== undefined; rest = open.pop()) {
    if (bound.isExpired()) return { path: undefined, isBest: false };
    const settled = rest;
    if (field.isFirst[settled.index] === 1) {
      return { path: pathOf(settled), isBest: settled.weight < lightestDropped };
    }
    const legs = settled.legs + 1;
    if (legs > MAX_CHAIN_LEGS) continue;
    const isGone = (index: number) => (reached[index] ?? 0) <= legs;
    grid.takeAround(legs, field.pickups, settled.index, isGone, (before) => reach(before, settled));
  }
  return { path: undefined, isBest: lightestDropped === Number.POSITIVE_INFINITY };
}

function prepend(field: BidField, index: number, next: Rest | undefined): Rest {
  return {
    index,
    next,
    weight: at(field.weight, index) + (next?.weight ?? 0),
    cost: at(field.cost, index) + (next?.cost ?? 0),
    minutes: at(field.minutes, index) + (next?.minutes ?? 0),
    legs: 1 + (next?.legs ?? 0),
  };
}

function pathOf(first: Rest): number[] {
  const path: number[] = [];
  for (let rest: Rest | undefined = first; rest !== undefined; rest = rest.next) path.push(rest.index);
  return path;
}

/** The order of chains: weight, cost, legs, then ids. Rules M-22, M-23. */
function compareRests(field: BidField, a: Rest, b: Rest): number {
  return a.weight - b.weight || a.cost - b.cost || a.legs - b.legs || compareIds(field.ids, a, b);
}

function compareIds(ids: readonly string[], a: Rest, b: Rest): number {
  let left: Rest | undefined = a;
  let right: Rest | undefined = b;
  while (left !== right && left !== undefined && right !== undefined) {
    const leftId = ids[left.index] ?? '';
    const rightId = ids[right.index] ?? '';
    if (leftId !== rightId) return leftId < rightId ? -1 : 1;
    left = left.next;
    right = right.next;
  }
  return 0;
}
