import { CELL } from './cell.js';
import type { Coordinate } from '@legwork/protocol/rules';

/**
 * A place on the Mercator square: x from 0 in the west to 1 in the east, y from 0 in the north to 1 in the south. x passes
 * these bounds where a line crosses the antimeridian: whole numbers apart, it is the same place.
 */
export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** What is looked at: north is up, seen from straight above. */
export interface View extends Size {
  readonly center: Point;
  /** Width of the world in pixels. */
  readonly world: number;
}

/** Width of the world at zoom 0, pixels: MapLibre's. */
const WORLD_PX = 512;
/** Where the Mercator square ends. */
const MAX_LAT = 85.05112878;

export const worldAt = (zoom: number): number => WORLD_PX * 2 ** zoom;
export const zoomOf = (world: number): number => Math.log2(world / WORLD_PX);

export function mercator({ lat, lng }: Coordinate): Point {
  const radians = (Math.max(-MAX_LAT, Math.min(MAX_LAT, lat)) * Math.PI) / 180;
  return { x: (lng + 180) / 360, y: (1 - Math.log(Math.tan(Math.PI / 4 + radians / 2)) / Math.PI) / 2 };
}

export function degrees({ x, y }: Point): Coordinate {
  return { lat: (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI, lng: x * 360 - 180 };
}

/** The same place, in the turn of the world that lies nearest to another one. */
export function nearest(point: Point, to: Point): Point {
  return { x: point.x - Math.round(point.x - to.x), y: point.y };
}

export function pixelOf({ center, world, width, height }: View, { x, y }: Point): Point {
  return { x: (x - center.x) * world + width / 2, y: (y - center.y) * world + height / 2 };
}

/** The part of the square that a view shows, and `margin` pixels around it. */
export function seen({ center, world, width, height }: View, margin = 0): Box {
  const [halfWidth, halfHeight] = [(width / 2 + margin) / world, (height / 2 + margin) / world];
  return {
    left: center.x - halfWidth,
    right: center.x + halfWidth,
    top: center.y - halfHeight,
    bottom: center.y + halfHeight,
  };
}

/** By how many turns of the world a box is moved to be seen: none where it is out of sight, several far out. */
export function turnsSeen(box: Box, sight: Box): number[] {
  if (box.bottom < sight.top || box.top > sight.bottom) return [];
  const first = Math.ceil(sight.left - box.right);
  const last = Math.floor(sight.right - box.left);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}

/** The narrowest box around places, over the antimeridian where that is shorter. @returns undefined without places */
export function boxOf(points: readonly Point[]): Box | undefined {
  const xs = points.map(({ x }) => x - Math.floor(x)).sort((a, b) => a - b);
  const [first] = xs;
  if (first === undefined) return undefined;
  // It starts behind the widest gap.
  let widest = { gap: first + 1 - (xs.at(-1) ?? first), left: first };
  for (const [index, left] of xs.slice(1).entries()) {
    const gap = left - (xs[index] ?? left);
    if (gap > widest.gap) widest = { gap, left };
  }
  const ys = points.map(({ y }) => y);
  return { left: widest.left, right: widest.left + 1 - widest.gap, top: Math.min(...ys), bottom: Math.max(...ys) };
}

/** Nearer than this nothing is fitted: one handoff does not fill the map. */
const NEAREST_WORLD = worldAt(13);

/** The view that shows a box whole, with `margin` pixels around it; never more height than the world has. */
export function fit(box: Box, size: Size, margin: number): View {
  const across = Math.max(size.width - 2 * margin, 1) / Math.max(box.right - box.left, Number.EPSILON);
  const down = Math.max(size.height - 2 * margin, 1) / Math.max(box.bottom - box.top, Number.EPSILON);
  const world = Math.max(size.height, Math.min(across, down, NEAREST_WORLD));
  const half = size.height / 2 / world;
  const y = Math.max(half, Math.min(1 - half, (box.top + box.bottom) / 2));
  return { ...size, center: { x: (box.left + box.right) / 2, y }, world };
}

/** Smaller than this a route cannot be read, pixels. */
const READABLE_PX = 48;

/** Whether a box is in sight as a whole, and large enough to be read. */
export function isReadable(box: Box, view: View): boolean {
  const sight = seen(view);
  const turn = Math.round((sight.left + sight.right - box.left - box.right) / 2);
  const isWhole =
    box.left + turn >= sight.left &&
    box.right + turn <= sight.right &&
    box.top >= sight.top &&
    box.bottom <= sight.bottom;
  const px = Math.max(box.right - box.left, box.bottom - box.top) * view.world;
  return isWhole && (px >= READABLE_PX || view.world >= NEAREST_WORLD);
}

/** As the ground's files have it: name, longitude, latitude, people, and 1 if it is a quarter. */
export type PlaceRow = readonly [name: string, lng: number, lat: number, people: number, isQuarter?: 1];

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
