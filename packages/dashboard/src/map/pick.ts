import { pixelOf, type Point, seen, turnsSeen, type View } from './geometry.js';
import { parcelOf, type Route } from './route.js';

/** How near a pointer has to be, pixels; fingers are wider. */
export const REACH_PX = { mouse: 12, touch: 24 } as const;
/** A parcel is meant rather than the lines that pass under it. */
const PARCEL_ADVANTAGE_PX = 8;

/**
 * The route whose parcel or line is nearest to a place on the screen; of several, the last, which is drawn on top.
 *
 * @returns undefined where none is within reach
 */
export function pick(routes: readonly Route[], view: View, at: Point, reach: number, now: number): Route | undefined {
  let best: { route: Route; distance: number } | undefined;
  for (const route of routes) {
    const distance = distanceTo(route, view, at, reach, now);
    if (distance <= reach && (!best || distance <= best.distance)) best = { route, distance };
  }
  return best?.route;
}

function distanceTo(route: Route, view: View, at: Point, reach: number, now: number): number {
  const distances = turnsSeen(route.box, seen(view, reach)).flatMap((turn) => {
    const pixel = ({ x, y }: Point) => pixelOf(view, { x: x + turn, y });
    const parcel = pixel(parcelOf(route, now));
    return [
      Math.hypot(parcel.x - at.x, parcel.y - at.y) - PARCEL_ADVANTAGE_PX,
      ...route.legs.map(({ from, to }) => distanceToLine(at, pixel(from), pixel(to))),
    ];
  });
  return Math.min(Infinity, ...distances);
}

function distanceToLine(at: Point, from: Point, to: Point): number {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = dx * dx + dy * dy;
  const along = length === 0 ? 0 : Math.max(0, Math.min(1, ((at.x - from.x) * dx + (at.y - from.y) * dy) / length));
  return Math.hypot(at.x - from.x - along * dx, at.y - from.y - along * dy);
}
