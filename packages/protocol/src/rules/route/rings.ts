import { MAX_CHAIN_LEGS } from '../../contract/resources/swarm.js';
import type { BidField } from './field.js';
import { at, CELL_KM, type Places } from './places.js';

/** How many rings a handoff may cross. Narrower ones bound closer, and take longer. */
const RINGS_A_HANDOFF = 16;
/** Rings up to a little behind the destination, at most: those of long routes are wider, and those of few bids. */
const MOST_RINGS = 1024;
const MOST_RINGS_A_BID = 8;

/**
 * Lower bounds by how far places are from the origin, in a straight line, and nothing else. Each place lies in a ring; the outermost
 * holds all that is behind the destination. They are never too high: two places of a handoff are less than {@link CELL_KM} apart (a
 * chord is never longer than its arc), so by the triangle inequality their distances to the origin differ by less, and cutting off
 * what is behind the destination only brings them closer. Every chain is therefore also a way from ring to ring. Its sum is of whole
 * numbers that a double holds, and rounding larger sums does not change their order.
 */
export class Rings {
  readonly #field: BidField;
  readonly #pickups: Int32Array;
  readonly #dropoffs: Int32Array;
  readonly #count: number;
  /** Rings that a handoff leads across at most. */
  readonly #reach: number;

  constructor(field: BidField) {
    const { ends } = field;
    const outermostKm = ends.straightKm(0, ends, 1) + CELL_KM;
    const most = Math.min(MOST_RINGS, MOST_RINGS_A_BID * (field.bids.length + 1));
    const widthKm = Math.max(CELL_KM / RINGS_A_HANDOFF, outermostKm / most);
    const ringsOf = (places: Places): Int32Array =>
      Int32Array.from(
        { length: places.size },
        (_, index) => Math.min(places.straightKm(index, ends, 0), outermostKm) / widthKm,
      );
    this.#field = field;
    this.#pickups = ringsOf(field.pickups);
    this.#dropoffs = ringsOf(field.dropoffs);
    this.#count = Math.floor(outermostKm / widthKm) + 1;
    this.#reach = Math.ceil(CELL_KM / widthKm);
  }

  /** For every bid, an amount that no way of at most seven legs from origin to destination through it goes below. */
  leastThrough(amount: Float64Array): Float64Array {
    const { isFirst, isLast } = this.#field;
    const before = this.#spread(amount, isFirst, this.#pickups, this.#dropoffs);
    const after = this.#spread(amount, isLast, this.#dropoffs, this.#pickups);
    const least = new Float64Array(amount.length).fill(Number.POSITIVE_INFINITY);
    for (let legs = 0; legs < MAX_CHAIN_LEGS; legs += 1) {
      const ahead = before[legs] ?? amount;
      const behind = after[MAX_CHAIN_LEGS - 1 - legs] ?? amount;
      for (let index = 0; index < least.length; index += 1) {
        const sum =
          (isFirst[index] === 1 ? 0 : at(ahead, this.#pickups[index] ?? 0)) +
          at(amount, index) +
          (isLast[index] === 1 ? 0 : at(behind, this.#dropoffs[index] ?? 0));
        if (sum < at(least, index)) least[index] = sum;
      }
    }
    return least;
  }

  /** For every number of legs up to six, the least sum of at most so many from the starts to within a handoff of each ring. */
  #spread(amount: Float64Array, starts: Uint8Array, from: Int32Array, to: Int32Array): Float64Array[] {
    const rows: Float64Array[] = [new Float64Array(this.#count).fill(Number.POSITIVE_INFINITY)];
    for (let legs = 1; legs < MAX_CHAIN_LEGS; legs += 1) {
      const before = rows[legs - 1] ?? amount;
      const reached = new Float64Array(this.#count).fill(Number.POSITIVE_INFINITY);
      for (let index = 0; index < amount.length; index += 1) {
        const sum = (starts[index] === 1 ? 0 : at(before, from[index] ?? 0)) + at(amount, index);
        const ring = to[index] ?? 0;
        if (sum < at(reached, ring)) reached[ring] = sum;
      }
      rows.push(this.#handedOver(reached));
    }
    return rows;
  }

  /** The least of each ring and of those that a handoff leads to it from: each look at three rings sees three times as far. */
  #handedOver(reached: Float64Array): Float64Array {
    let least = reached;
    let seen = 0;
    while (seen < this.#reach) {
      const step = Math.min(2 * seen + 1, this.#reach - seen);
      least = leastOfThree(least, step);
      seen += step;
    }
    return least;
  }
}

/**
 * The least of each ring and of the two that lie `step` before and behind it. Beyond the
 * first or the last ring, that ring stands in: it has seen all that one beyond it would have.
 */
function leastOfThree(amounts: Float64Array, step: number): Float64Array {
  const last = amounts.length - 1;
  return amounts.map((own, ring) =>
    Math.min(own, at(amounts, Math.max(0, ring - step)), at(amounts, Math.min(last, ring + step))),
  );
}
