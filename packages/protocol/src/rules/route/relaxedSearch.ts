import type { BidField } from './field.js';
import type { ChainLimits } from './graph.js';
import { KeyedHeap } from './keyedHeap.js';
import { NOTHING, Rests } from './rests.js';
import { TakingGrid } from './takingGrid.js';
import type { TimeBound } from './timeBound.js';
import { MAX_CHAIN_LEGS } from '../../contract/resources/swarm.js';

/** The result of a search that lets an agent repeat. */
export interface RelaxedAnswer {
  /** A way within every limit, in carrying order; an agent may appear in it twice. Undefined: none was found. */
  readonly path: readonly number[] | undefined;
  /** No other way is better. False also when the time was up. */
  readonly isBest: boolean;
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
  const { pickups: from, dropoffs: to, isFirst, isLast } = field;
  const grid = new TakingGrid({ from, to, goals: isFirst }, (index) => isLeftOut(index) || isLast[index] === 1);
  const rests = new Rests(field);
  const open = new KeyedHeap((a, b) => rests.compareTies(a, b));
  let lightestDropped = Number.POSITIVE_INFINITY;
  let lightestWhole = Number.POSITIVE_INFINITY;
  const reach = (index: number, next: number): void => {
    const rest = rests.add(index, next);
    const weight = rests.weight(rest);
    if (!rests.isWithin(rest, limits)) lightestDropped = Math.min(lightestDropped, weight);
    // A way heavier than one that is whole already would never come out.
    else if (weight <= lightestWhole) {
      if (isFirst[index] === 1) lightestWhole = weight;
      open.push(weight, rest);
    }
  };
  for (let index = 0; index < isLast.length; index += 1) {
    if (isLast[index] === 1 && !isLeftOut(index)) reach(index, NOTHING);
  }
  for (let rest = open.pop(); rest >= 0; rest = open.pop()) {
    if (bound.isExpired()) return { path: undefined, isBest: false };
    const index = rests.first(rest);
    if (isFirst[index] === 1) return { path: rests.path(rest), isBest: rests.weight(rest) < lightestDropped };
    const legs = rests.legs(rest) + 1;
    if (legs > MAX_CHAIN_LEGS) continue;
    const count = grid.takeAround(legs, index);
    for (let taken = 0; taken < count; taken += 1) reach(grid.taken[taken] ?? 0, rest);
  }
  return { path: undefined, isBest: lightestDropped === Number.POSITIVE_INFINITY };
}
