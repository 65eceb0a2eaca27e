import { type Coordinate, EARTH_RADIUS_KM, HANDOFF_RADIUS_KM, isWithinHandoff } from '../geo.js';

/** A little more than the radius, so that rounding cannot put a neighbour two cells away. */
const CELL_KM = HANDOFF_RADIUS_KM * 1.001;

/** Cells along one axis; more than the earth's diameter in cells. */
const AXIS = 8192;

type Cell = readonly [x: number, y: number, z: number];

/**
 * Finds the places within the handoff radius of a place. Cells are cubes in space rather than degrees, so that poles and
 * the antimeridian need no special case; a chord is never longer than its arc, so neighbouring cubes hold every place.
 */
export class HandoffGrid {
  readonly #places: readonly Coordinate[];
  readonly #cells = new Map<number, number[]>();

  constructor(places: readonly Coordinate[]) {
    this.#places = places;
    for (const [index, place] of places.entries()) {
      const key = cellKey(cellOf(place));
      const cell = this.#cells.get(key);
      if (cell === undefined) {
        this.#cells.set(key, [index]);
      } else {
        cell.push(index);
      }
    }
  }

  /** Indices of the places that a parcel can reach by a handoff here. */
  near(place: Coordinate): number[] {
    const found: number[] = [];
    for (const key of surroundingKeys(cellOf(place))) {
      for (const index of this.#cells.get(key) ?? []) {
        const candidate = this.#places[index];
        if (candidate !== undefined && isWithinHandoff(place, candidate)) {
          found.push(index);
        }
      }
    }
    return found;
  }
}

function cellOf({ lat, lng }: Coordinate): Cell {
  const phi = (lat * Math.PI) / 180;
  const lambda = (lng * Math.PI) / 180;
  const scale = EARTH_RADIUS_KM / CELL_KM;
  return [
    Math.floor(scale * Math.cos(phi) * Math.cos(lambda)) + AXIS / 2,
    Math.floor(scale * Math.cos(phi) * Math.sin(lambda)) + AXIS / 2,
    Math.floor(scale * Math.sin(phi)) + AXIS / 2,
  ];
}

function cellKey([x, y, z]: Cell): number {
  return (x * AXIS + y) * AXIS + z;
}

function* surroundingKeys([x, y, z]: Cell): Generator<number> {
  for (let dx = -1; dx <= 1; dx += 1) {
    for (let dy = -1; dy <= 1; dy += 1) {
      for (let dz = -1; dz <= 1; dz += 1) {
        yield cellKey([x + dx, y + dy, z + dz]);
      }
    }
  }
}
