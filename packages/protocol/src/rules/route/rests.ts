import type { BidField } from './field.js';
import type { ChainLimits } from './graph.js';
import { at } from './places.js';

/** The rest after the last leg: none. */
export const NOTHING = -1;

/** Ways from a bid to the destination, each a bid and the number of the way that goes on behind it, in columns. */
export class Rests {
  readonly #field: BidField;
  #room: number;
  #count = 0;
  #index: Int32Array;
  #next: Int32Array;
  #legs: Uint8Array;
  #weight: Float64Array;
  #cost: Float64Array;
  #minutes: Float64Array;

  constructor(field: BidField) {
    this.#field = field;
    this.#room = Math.max(16, 2 * field.bids.length);
    this.#index = new Int32Array(this.#room);
    this.#next = new Int32Array(this.#room);
    this.#legs = new Uint8Array(this.#room);
    this.#weight = new Float64Array(this.#room);
    this.#cost = new Float64Array(this.#room);
    this.#minutes = new Float64Array(this.#room);
  }

  /** Adds the way of a bid and then another way, or {@link NOTHING}. @returns its number */
  add(index: number, next: number): number {
    if (this.#count === this.#room) this.#grow();
    const rest = this.#count;
    this.#count += 1;
    const { weight, cost, minutes } = this.#field;
    const hasNext = next !== NOTHING;
    this.#index[rest] = index;
    this.#next[rest] = next;
    this.#legs[rest] = 1 + (hasNext ? this.legs(next) : 0);
    this.#weight[rest] = at(weight, index) + (hasNext ? at(this.#weight, next) : 0);
    this.#cost[rest] = at(cost, index) + (hasNext ? at(this.#cost, next) : 0);
    this.#minutes[rest] = at(minutes, index) + (hasNext ? at(this.#minutes, next) : 0);
    return rest;
  }

  /** The index of its first bid. */
  first(rest: number): number {
    return this.#index[rest] ?? 0;
  }

  legs(rest: number): number {
    return this.#legs[rest] ?? 0;
  }

  weight(rest: number): number {
    return at(this.#weight, rest);
  }

  isWithin(rest: number, { budget, minutes }: ChainLimits): boolean {
    return at(this.#cost, rest) <= budget && at(this.#minutes, rest) <= minutes;
  }

  /** The indices of its bids, in carrying order. */
  path(rest: number): number[] {
    const path: number[] = [];
    for (let left = rest; left !== NOTHING; left = this.#next[left] ?? NOTHING) path.push(this.first(left));
    return path;
  }

  /** The order of chains of equal weight: cost, legs, then ids. Rule M-23. */
  compareTies(a: number, b: number): number {
    return at(this.#cost, a) - at(this.#cost, b) || this.legs(a) - this.legs(b) || this.#compareIds(a, b);
  }

  #compareIds(a: number, b: number): number {
    const { bids } = this.#field;
    let left = a;
    let right = b;
    while (left !== right && left !== NOTHING && right !== NOTHING) {
      const leftId = bids[this.first(left)]?.id ?? '';
      const rightId = bids[this.first(right)]?.id ?? '';
      if (leftId !== rightId) return leftId < rightId ? -1 : 1;
      left = this.#next[left] ?? NOTHING;
      right = this.#next[right] ?? NOTHING;
    }
    return 0;
  }

  #grow(): void {
    this.#room *= 2;
    this.#index = widened(this.#index, new Int32Array(this.#room));
    this.#next = widened(this.#next, new Int32Array(this.#room));
    this.#legs = widened(this.#legs, new Uint8Array(this.#room));
    this.#weight = widened(this.#weight, new Float64Array(this.#room));
    this.#cost = widened(this.#cost, new Float64Array(this.#room));
    this.#minutes = widened(this.#minutes, new Float64Array(this.#room));
  }
}

function widened<Column extends Int32Array | Uint8Array | Float64Array>(from: Column, to: Column): Column {
  to.set(from);
  return to;
}
