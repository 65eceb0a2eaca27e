import type { BidField } from './field.js';
import { Heap } from './heap.js';
import { at, type Places } from './places.js';
import { TakingGrid } from './takingGrid.js';
import type { TimeBound } from './timeBound.js';
import { MAX_CHAIN_LEGS } from './types.js';

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
  const toEnd = spread(amount, { starts: isLast, from: pickups, to: dropoffs }, within, bound);
  const fromStart = spread(amount, { starts: isFirst, from: dropoffs, to: pickups }, within, bound);
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
 * For every number of legs, the least sum of a way of at most so many legs from the starts to every bid, that bid included. A
 * bid joins the one before where its place in `to` meets the other's in `from`.
 */
function spread(
  amount: Float64Array,
  joints: { starts: Uint8Array; from: Places; to: Places },
  { ceiling, isLeftOut }: { ceiling: number; isLeftOut: (index: number) => boolean },
  bound: TimeBound,
): Float64Array[] | undefined {
  const least = Array.from({ length: MAX_CHAIN_LEGS + 1 }, () =>
    new Float64Array(amount.length).fill(Number.POSITIVE_INFINITY),
  );
  const open = new Heap<{ index: number; legs: number; sum: number }>((a, b) => a.sum - b.sum);
  const grid = new TakingGrid(joints.to, (index) => joints.starts[index] === 1 || isLeftOut(index));
  const reached = new Uint8Array(amount.length).fill(MAX_CHAIN_LEGS + 1);
  const reach = (index: number, legs: number, before: number): void => {
    const sum = before + at(amount, index);
    if (sum > ceiling) return;
    for (let most = legs; most < (reached[index] ?? 0); most += 1) least[most]?.fill(sum, index, index + 1);
    reached[index] = legs;
    open.push({ index, legs, sum });
  };
  for (const [index, starts] of joints.starts.entries()) {
    if (starts === 1 && !isLeftOut(index)) reach(index, 1, 0);
  }
  for (let way = open.pop(); way !== undefined; way = open.pop()) {
    if (bound.isExpired()) return undefined;
    const { index, sum } = way;
    const legs = way.legs + 1;
    if (legs > MAX_CHAIN_LEGS) continue;
    const isGone = (candidate: number) => (reached[candidate] ?? 0) <= legs;
    grid.takeAround(legs, joints.from, index, isGone, (next) => reach(next, legs, sum));
  }
  return least;
}
