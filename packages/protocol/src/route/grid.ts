import { type Places, surroundingCells } from './places.js';

/** Finds the places within the handoff radius of a place. */
export class HandoffGrid {
  readonly #places: Places;
  readonly #cells = new Map<number, number[]>();

  constructor(places: Places) {
    this.#places = places;
    for (let index = 0; index < places.size; index += 1) {
      const key = places.cellOf(index);
      const cell = this.#cells.get(key);
      if (cell === undefined) this.#cells.set(key, [index]);
      else cell.push(index);
    }
  }

  /** Indices of the places that a parcel can reach by a handoff from this one. */
  near(point: Places, index: number): number[] {
    return surroundingCells(point.cellOf(index))
      .flatMap((key) => this.#cells.get(key) ?? [])
      .filter((candidate) => this.#places.meets(candidate, point, index));
  }
}
