import { type Places, surroundingCells } from './places.js';

/** Finds the places within the handoff radius of a place. */
export class HandoffGrid {
  readonly #places: Places;
  /** Its places, by the number of the cell. */
  readonly #cells: number[][];

  constructor(places: Places) {
    this.#places = places;
    this.#cells = places.cells.keys.map(() => []);
    for (const [index, cell] of places.cells.ofPlace.entries()) this.#cells[cell]?.push(index);
  }

  /** Indices of the places that a parcel can reach by a handoff from this one. */
  near(point: Places, index: number): number[] {
    return surroundingCells(point.cells.keys[point.cells.ofPlace[index] ?? 0] ?? 0)
      .flatMap((key) => this.#cells[this.#places.cells.numberOf(key)] ?? [])
      .filter((candidate) => this.#places.meets(candidate, point, index));
  }
}
