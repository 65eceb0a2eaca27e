import { type Places, surroundingCells } from './places.js';

/**
 * Places by cell, in layers from which they are taken out as they are found: a search that reaches each place at most once a
 * layer asks for those around a point that nobody reached before, and never looks at a taken one again.
 */
export class TakingGrid {
  readonly #places: Places;
  readonly #cells = new Map<number, number[]>();
  /** The occupied cells around a cell, found once. */
  readonly #around = new Map<number, number[]>();
  readonly #layers = new Map<number, Map<number, number[]>>();

  constructor(places: Places, isLeftOut: (index: number) => boolean) {
    this.#places = places;
    for (let index = 0; index < places.size; index += 1) {
      if (isLeftOut(index)) continue;
      const key = places.cellOf(index);
      const cell = this.#cells.get(key);
      if (cell === undefined) this.#cells.set(key, [index]);
      else cell.push(index);
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
    const cells = this.#layer(layer);
    for (const key of this.#keysAround(point.cellOf(index))) {
      const cell = this.#cellOf(cells, key);
      for (let position = cell.length - 1; position >= 0; position -= 1) {
        const candidate = cell[position] ?? 0;
        const gone = isGone(candidate);
        if (!gone && !this.#places.meets(candidate, point, index)) continue;
        const last = cell.pop();
        if (last !== undefined && position < cell.length) cell[position] = last;
        if (!gone) take(candidate);
      }
    }
  }

  #layer(layer: number): Map<number, number[]> {
    const known = this.#layers.get(layer);
    if (known !== undefined) return known;
    const cells = new Map<number, number[]>();
    this.#layers.set(layer, cells);
    return cells;
  }

  /** A layer's own copy of a cell, made when it is first looked at. */
  #cellOf(cells: Map<number, number[]>, key: number): number[] {
    const known = cells.get(key);
    if (known !== undefined) return known;
    const copy = [...(this.#cells.get(key) ?? [])];
    cells.set(key, copy);
    return copy;
  }

  #keysAround(key: number): number[] {
    const known = this.#around.get(key);
    if (known !== undefined) return known;
    const keys = surroundingCells(key).filter((neighbour) => this.#cells.has(neighbour));
    this.#around.set(key, keys);
    return keys;
  }
}
