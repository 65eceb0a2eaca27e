import { type Places, surroundingCells } from './places.js';
import { MAX_CHAIN_LEGS } from '../../contract/resources/swarm.js';

/** Where a search leads. The bid of an index has its places at that index in both. */
export interface Joints {
  /** The places that it goes on from. */
  readonly from: Places;
  /** The places that it reaches from there. */
  readonly to: Places;
  /** 1 for the bids that it ends with. */
  readonly goals: Uint8Array;
}

/** The remaining places. Those of a cell begin where they do in every layer, and end earlier the more are taken. */
interface Layer {
  readonly items: Int32Array;
  /** By the number of the cell. */
  readonly ends: Int32Array;
}

/**
 * Places by cell, in layers from which they are taken out as they are found: a search that reaches each place at most once a
 * layer asks for those around a point that it took neither there nor in a lower layer, and never looks at a taken one again.
 * The last layer has the goals alone.
 */
export class TakingGrid {
  /** The places that {@link takeAround} took last are at its head. */
  readonly taken: Int32Array;
  readonly #joints: Joints;
  /** Every place, those of a cell together. */
  readonly #items: Int32Array;
  /** Where each cell begins in them, and where the last one ends. */
  readonly #starts: Int32Array;
  readonly #layers: Layer[] = [];
  /** The lowest layer that each place was taken from. */
  readonly #lowest: Uint8Array;
  /** The occupied cells of `to` around each cell of `from`, found once. */
  readonly #around: (Int32Array | undefined)[] = [];

  constructor(joints: Joints, isLeftOut: (index: number) => boolean) {
    this.#joints = joints;
    const { cells, size } = joints.to;
    this.#lowest = new Uint8Array(size).fill(MAX_CHAIN_LEGS + 1);
    const included = new Int32Array(size);
    let count = 0;
    for (let index = 0; index < size; index += 1) {
      if (!isLeftOut(index)) included[count++] = index;
    }
    this.#items = new Int32Array(count);
    this.taken = new Int32Array(count);
    this.#starts = new Int32Array(cells.keys.length + 1);
    this.#sort(included, cells.ofPlace);
  }

  /**
   * Takes the places that can hand over to this one out of the layer.
   *
   * @returns how many; their indices are at the head of `taken`
   */
  takeAround(layer: number, index: number): number {
    const { from, to } = this.#joints;
    const { items, ends } = this.#layerAt(layer);
    const starts = this.#starts;
    const lowest = this.#lowest;
    let count = 0;
    for (const cell of this.#cellsAround(from.cells.ofPlace[index] ?? 0)) {
      const end = ends[cell] ?? 0;
      let kept = starts[cell] ?? 0;
      if (kept === end) continue;
      for (let at = kept; at < end; at += 1) {
        const candidate = items[at] ?? 0;
        if ((lowest[candidate] ?? 0) <= layer) continue;
        if (to.meets(candidate, from, index)) {
          lowest[candidate] = layer;
          this.taken[count++] = candidate;
        } else items[kept++] = candidate;
      }
      ends[cell] = kept;
    }
    return count;
  }

  /** Fills items and starts: counts what each cell has, then puts everything behind what comes before it. */
  #sort(included: Int32Array, cellOf: Int32Array): void {
    const starts = this.#starts;
    const count = this.#items.length;
    for (let at = 0; at < count; at += 1) {
      const cell = cellOf[included[at] ?? 0] ?? 0;
      starts[cell + 1] = (starts[cell + 1] ?? 0) + 1;
    }
    for (let cell = 1; cell < starts.length; cell += 1) starts[cell] = (starts[cell] ?? 0) + (starts[cell - 1] ?? 0);
    const next = starts.slice();
    for (let at = 0; at < count; at += 1) {
      const index = included[at] ?? 0;
      const cell = cellOf[index] ?? 0;
      const place = next[cell] ?? 0;
      this.#items[place] = index;
      next[cell] = place + 1;
    }
  }

  #layerAt(layer: number): Layer {
    const known = this.#layers[layer];
    if (known !== undefined) return known;
    const made = { items: this.#items.slice(), ends: this.#starts.slice(1) };
    if (layer === MAX_CHAIN_LEGS) this.#keepGoals(made);
    this.#layers[layer] = made;
    return made;
  }

  #keepGoals({ items, ends }: Layer): void {
    for (let cell = 0; cell < ends.length; cell += 1) {
      const end = ends[cell] ?? 0;
      let kept = this.#starts[cell] ?? 0;
      for (let at = kept; at < end; at += 1) {
        const index = items[at] ?? 0;
        if (this.#joints.goals[index] === 1) items[kept++] = index;
      }
      ends[cell] = kept;
    }
  }

  #cellsAround(cell: number): Int32Array {
    const known = this.#around[cell];
    if (known !== undefined) return known;
    const { from, to } = this.#joints;
    const numbers = surroundingCells(from.cells.keys[cell] ?? 0).map((key) => to.cells.numberOf(key));
    const occupied = Int32Array.from(numbers.filter((number) => number >= 0));
    this.#around[cell] = occupied;
    return occupied;
  }
}
