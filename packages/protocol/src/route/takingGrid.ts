import { type Places, surroundingCells } from './places.js';

/** Indices of places, by the number of their cell. */
type Cells = (number[] | undefined)[];

/**
 * Places by cell, in layers from which they are taken out as they are found: a search that reaches each place at most once a
 * layer asks for those around a point that nobody reached before, and never looks at a taken one again.
 */
export class TakingGrid {
  readonly #places: Places;
  /** Cells are numbered as they come up: their keys are too large to look up fast. */
  readonly #numbers = new Map<number, number>();
  readonly #cells: number[][] = [];
  /** The occupied cells around a cell, found once. */
  readonly #around = new Map<number, number[]>();
  readonly #layers: Cells[] = [];

  constructor(places: Places, isLeftOut: (index: number) => boolean) {
    this.#places = places;
    for (let index = 0; index < places.size; index += 1) {
      if (!isLeftOut(index)) this.#cellAt(places.cellOf(index)).push(index);
    }
  }

  /**
   * Takes the places that can hand over to this one out of the layer; `take` gets each index. Places for which `isGone` says
   * so are taken out silently.
   */
  takeAround(
    layer: number,
    point: Places,
    index: number,
    isGone: (index: number) => boolean,
    take: (index: number) => void,
  ): void {
    const cells = (this.#layers[layer] ??= []);
    for (const number of this.#numbersAround(point.cellOf(index))) {
      const cell = (cells[number] ??= this.#cells[number]?.slice() ?? []);
      let kept = 0;
      for (const candidate of cell) {
        if (isGone(candidate)) continue;
        if (this.#places.meets(candidate, point, index)) take(candidate);
        else {
          cell[kept] = candidate;
          kept += 1;
        }
      }
      if (kept < cell.length) cell.length = kept;
    }
  }

  #cellAt(key: number): number[] {
    const known = this.#cells[this.#numbers.get(key) ?? -1];
    if (known !== undefined) return known;
    const cell: number[] = [];
    this.#numbers.set(key, this.#cells.push(cell) - 1);
    return cell;
  }

  #numbersAround(key: number): number[] {
    const known = this.#around.get(key);
    if (known !== undefined) return known;
    const numbers = surroundingCells(key).flatMap((neighbour) => this.#numbers.get(neighbour) ?? []);
    this.#around.set(key, numbers);
    return numbers;
  }
}
