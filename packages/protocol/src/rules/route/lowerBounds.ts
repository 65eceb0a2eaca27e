import type { BidField } from './field.js';
import { KeyedHeap } from './keyedHeap.js';
import { at } from './places.js';
import { type Joints, TakingGrid } from './takingGrid.js';
import type { TimeBound } from './timeBound.js';
import { MAX_CHAIN_LEGS } from '../../contract/resources/swarm.js';

/** A bid and a number of legs are one whole number in the heap: index * LEGS + legs. */
const LEGS = MAX_CHAIN_LEGS + 1;

/**
 * For every bid, the least sum of an amount over any way of at most seven legs from origin to destination through it,
 * whatever else the way breaks; infinite where there is none of at most `ceiling`.
 *
 * @param within `isLeftOut`: bids that take no part
 * @returns undefined when the time was up
 */
export function leastThrough(
  field: BidField,
  amount: Float64Array,
  within: { ceiling: number; isLeftOut: (index: number) => boolean },
  bound: TimeBound,
): Float64Array | undefined {
  const { pickups, dropoffs, isFirst, isLast } = field;
  const toEnd = spread(amount, { starts: isLast, from: pickups, to: dropoffs, goals: isFirst }, within, bound);
  const fromStart = spread(amount, { starts: isFirst, from: dropoffs, to: pickups, goals: isLast }, within, bound);
  if (toEnd === undefined || fromStart === undefined) return undefined;
  return amount.map((own, index) => {
    let least = Number.POSITIVE_INFINITY;
    for (let legs = 1; legs <= MAX_CHAIN_LEGS; legs += 1) {
      const before = fromStart[legs];
      const after = toEnd[MAX_CHAIN_LEGS + 1 - legs];
      if (before && after) least = Math.min(least, at(before, index) + at(after, index) - own);
    }
    return least;
  });
}

/**
 * For every number of legs, the least sum of a way of at most so many legs from the starts to every bid, that bid included; of
 * seven legs, only to the goals.
 */
function spread(
  amount: Float64Array,
  joints: Joints & { readonly starts: Uint8Array },
  { ceiling, isLeftOut }: { ceiling: number; isLeftOut: (index: number) => boolean },
  bound: TimeBound,
): Float64Array[] | undefined {
  const { starts } = joints;
  const least = Array.from({ length: MAX_CHAIN_LEGS + 1 }, () =>
    new Float64Array(amount.length).fill(Number.POSITIVE_INFINITY),
  );
  const open = new KeyedHeap(() => 0);
  const grid = new TakingGrid(joints, (index) => starts[index] === 1 || isLeftOut(index));
  const reach = (index: number, legs: number, before: number): void => {
    const sum = before + at(amount, index);
    if (sum > ceiling) return;
    for (let most = legs; most <= MAX_CHAIN_LEGS; most += 1) {
      const row = least[most];
      if (row === undefined || at(row, index) <= sum) break;
      row[index] = sum;
    }
    open.push(sum, index * LEGS + legs);
  };
  for (let index = 0; index < starts.length; index += 1) {
    if (starts[index] === 1 && !isLeftOut(index)) reach(index, 1, 0);
  }
  for (let way = open.pop(); way >= 0; way = open.pop()) {
    if (bound.isExpired()) return undefined;
    const index = Math.floor(way / LEGS);
    const legs = way % LEGS;
    if (legs === MAX_CHAIN_LEGS) continue;
    const sum = at(least[legs] ?? amount, index);
    const count = grid.takeAround(legs + 1, index);
    for (let taken = 0; taken < count; taken += 1) reach(grid.taken[taken] ?? 0, legs + 1, sum);
  }
  return least;
}
