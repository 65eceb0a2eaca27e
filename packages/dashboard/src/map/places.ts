import { degrees, seen, type View } from './geometry.js';

/** As the ground's files have it: name, longitude, latitude, people, and 1 if it is a quarter. */
export type PlaceRow = readonly [name: string, lng: number, lat: number, people: number, isQuarter?: 1];

/** Degrees of a cell of the ground's files. */
const CELL = 5;
/** Further out than this, names of large places are enough: degrees of longitude in sight. */
const WIDEST = 12;

/** Names of the cells that a view shows, in the form of the files' names; none far out. */
export function cellsSeen(view: View): string[] {
  const { left, right, top, bottom } = seen(view);
  const [northWest, southEast] = [
    degrees({ x: left, y: Math.max(0, top) }),
    degrees({ x: right, y: Math.min(1, bottom) }),
  ];
  if (southEast.lng - northWest.lng > WIDEST) return [];
  const columns = range(Math.floor(northWest.lng / CELL), Math.floor(southEast.lng / CELL));
  const rows = range(Math.floor(southEast.lat / CELL), Math.floor(northWest.lat / CELL));
  return columns.flatMap((column) => rows.map((row) => `${aroundTheWorld(column)}_${row}`));
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index);

function aroundTheWorld(column: number): number {
  const columns = 360 / CELL;
  return ((((column + columns / 2) % columns) + columns) % columns) - columns / 2;
}

/** The same in GeoJSON. */
export function featuresOf(rows: readonly PlaceRow[]) {
  const features = rows.map(([name, lng, lat, people, isQuarter]) => ({
    type: 'Feature' as const,
    properties: { name, people, isQuarter: isQuarter === 1 },
    geometry: { type: 'Point' as const, coordinates: [lng, lat] },
  }));
  return { type: 'FeatureCollection' as const, features };
}
