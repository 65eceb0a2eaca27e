import { type Coordinate, EARTH_RADIUS_KM, HANDOFF_RADIUS_KM, isWithinHandoff } from '../geo.js';
import { Cells } from './cells.js';

/** The square of the chord, on a sphere of radius 1, under an arc of the handoff radius. */
const CHORD_SQUARED = (2 * Math.sin(HANDOFF_RADIUS_KM / EARTH_RADIUS_KM / 2)) ** 2;
/** Chords this close to the limit, relatively, are left to the rule itself: rounding may put them on either side. */
const DOUBT = 1e-6;
const SURELY_WITHIN = CHORD_SQUARED * (1 - DOUBT);
const SURELY_BEYOND = CHORD_SQUARED * (1 + DOUBT);

/** A little more than the radius, so that rounding cannot put a neighbour two cells away. */
export const CELL_KM = HANDOFF_RADIUS_KM * 1.001;
/** Cells along one axis; more than the earth's diameter in cells. */
const AXIS = 8192;
const SCALE = EARTH_RADIUS_KM / CELL_KM;

/**
 * Places as points of a sphere, for many questions about handoffs: cosines are computed once a place, and most questions
 * then cost three subtractions. The answers are those of {@link isWithinHandoff}.
 */
export class Places {
  readonly #coordinates: readonly Coordinate[];
  readonly #x: Float64Array;
  readonly #y: Float64Array;
  readonly #z: Float64Array;
  #cells: Cells | undefined;

  constructor(coordinates: readonly Coordinate[]) {
    this.#coordinates = coordinates;
    this.#x = new Float64Array(coordinates.length);
    this.#y = new Float64Array(coordinates.length);
    this.#z = new Float64Array(coordinates.length);
    for (const [index, { lat, lng }] of coordinates.entries()) {
      const phi = (lat * Math.PI) / 180;
      const lambda = (lng * Math.PI) / 180;
      this.#x[index] = Math.cos(phi) * Math.cos(lambda);
      this.#y[index] = Math.cos(phi) * Math.sin(lambda);
      this.#z[index] = Math.sin(phi);
    }
  }

  get size(): number {
    return this.#coordinates.length;
  }

  /** Reports whether a parcel can change hands between a place of this set and one of the other. */
  meets(index: number, others: Places, other: number): boolean {
    const dx = at(this.#x, index) - at(others.#x, other);
    const dy = at(this.#y, index) - at(others.#y, other);
    const dz = at(this.#z, index) - at(others.#z, other);
    const chordSquared = dx * dx + dy * dy + dz * dz;
    if (chordSquared <= SURELY_WITHIN) return true;
    if (chordSquared >= SURELY_BEYOND) return false;
    const place = this.#coordinates[index];
    const otherPlace = others.#coordinates[other];
    return place !== undefined && otherPlace !== undefined && isWithinHandoff(place, otherPlace);
  }

  /** Kilometres straight through the earth to a place of the other set: never more than on its surface. */
  straightKm(index: number, others: Places, other: number): number {
    const dx = at(this.#x, index) - at(others.#x, other);
    const dy = at(this.#y, index) - at(others.#y, other);
    const dz = at(this.#z, index) - at(others.#z, other);
    return EARTH_RADIUS_KM * Math.sqrt(dx * dx + dy * dy + dz * dz);
  }

  /** The occupied cells, numbered once. */
  get cells(): Cells {
    return (this.#cells ??= new Cells(this.size, (index) => this.#cellOf(index)));
  }

  /**
   * The key of a place's cell. Cells are cubes in space rather than degrees, so that poles and the antimeridian need no special
   * case; a chord is never longer than its arc, so the cubes around a place hold every place it can hand over to.
   */
  #cellOf(index: number): number {
    const x = Math.floor(SCALE * at(this.#x, index)) + AXIS / 2;
    const y = Math.floor(SCALE * at(this.#y, index)) + AXIS / 2;
    const z = Math.floor(SCALE * at(this.#z, index)) + AXIS / 2;
    return (x * AXIS + y) * AXIS + z;
  }
}

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

/** The keys of a cell and of the 26 around it. */
export function surroundingCells(key: number): number[] {
  const keys: number[] = [];
  for (let dx = -1; dx <= 1; dx += 1) {
    for (let dy = -1; dy <= 1; dy += 1) {
      for (let dz = -1; dz <= 1; dz += 1) {
        keys.push(key + (dx * AXIS + dy) * AXIS + dz);
      }
    }
  }
  return keys;
}

/** The value of a typed array at an index that is within it. */
export function at(values: Float64Array, index: number): number {
  return values[index] ?? Number.NaN;
}
