/** Spreads keys over the slots: neighbouring cells have keys that differ little. */
function scatter(key: number): number {
  const mixed = Math.imul(key >>> 0, 0x9e3779b1) ^ Math.imul(Math.floor(key / 2 ** 32), 0x85ebca6b);
  return mixed ^ (mixed >>> 15);
}

/** Numbers the occupied cells from 0 on, in the order in which they first come. Keys are too large to be numbers themselves. */
export class Cells {
  /** The number of each place's cell. */
  readonly ofPlace: Int32Array;
  /** The key of each cell, by its number. */
  readonly keys: number[] = [];
  /** Open addressing: a number + 1, or 0 where the slot is free. */
  readonly #slots: Int32Array;
  readonly #mask: number;

  /** @param keyOf the key of the cell that a place lies in */
  constructor(places: number, keyOf: (place: number) => number) {
    this.#mask = 2 ** Math.ceil(Math.log2(2 * places + 2)) - 1;
    this.#slots = new Int32Array(this.#mask + 1);
    this.ofPlace = new Int32Array(places);
    for (let place = 0; place < places; place += 1) this.ofPlace[place] = this.#add(keyOf(place));
  }

  /** The number of the cell with this key; -1 when no place lies in it. */
  numberOf(key: number): number {
    return (this.#slots[this.#slotOf(key)] ?? 0) - 1;
  }

  #add(key: number): number {
    const slot = this.#slotOf(key);
    const known = this.#slots[slot] ?? 0;
    if (known > 0) return known - 1;
    this.#slots[slot] = this.keys.push(key);
    return this.keys.length - 1;
  }

  /** The slot of the key, or the free one where it belongs. */
  #slotOf(key: number): number {
    for (let slot = scatter(key) & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const known = this.#slots[slot] ?? 0;
      if (known === 0 || this.keys[known - 1] === key) return slot;
    }
  }
}
