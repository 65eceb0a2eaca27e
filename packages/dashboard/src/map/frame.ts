import { type Box, boxOf, nearest, type Point, seen, turnsSeen, type View } from './geometry.js';
import { isLive, type Route } from './route.js';

/** What is nearer together than this is one place of work, as a share of the world: some 40 km at the equator. */
const ONE_PLACE = 0.001;
/** What makes the frame so many times as large lies elsewhere. */
const ELSEWHERE = 2;

/** What a map is about: what is under way, or where nothing is, whatever there is. */
export function shownFirst(routes: readonly Route[]): readonly Route[] {
  const live = routes.filter(isLive);
  return live.length > 0 ? live : routes;
}

/** The box of all of them. @returns undefined without routes */
export const boxOfAll = (routes: readonly Route[]): Box | undefined => boxOf(routes.flatMap(endsOf));

/**
 * The box of where most of the work is: more than half of what is under way, and all that lies near it. One far parcel does not make
 * a city too small to be read. Rule D-22.
 *
 * @returns undefined without routes
 */
export function mainBox(routes: readonly Route[]): Box | undefined {
  const shown = shownFirst(routes);
  const center = middleOf(shown);
  if (center === undefined) return undefined;
  const far = (route: Route) => Math.max(...endsOf(route).map((end) => distance(nearest(end, center), center)));
  const ordered = shown.map((route) => ({ route, at: far(route) })).toSorted((one, other) => one.at - other.at);
  const enough = Math.floor(ordered.length / 2) + 1;
  const end = ordered.findIndex(
    ({ at }, index) => index >= enough && at > ELSEWHERE * Math.max(ordered[index - 1]?.at ?? 0, ONE_PLACE / 2),
  );
  return boxOfAll(ordered.slice(0, end === -1 ? ordered.length : end).map(({ route }) => route));
}

/** How much of what is under way is out of sight. */
export function countOutside(routes: readonly Route[], view: View): number {
  const sight = seen(view);
  return shownFirst(routes).filter(({ box }) => turnsSeen(box, sight).length === 0).length;
}

const endsOf = ({ origin, destination }: Route): Point[] => [origin, destination];
const distance = (one: Point, other: Point): number => Math.max(Math.abs(one.x - other.x), Math.abs(one.y - other.y));

/** In the middle of most, however far away the others are. */
function middleOf(routes: readonly Route[]): Point | undefined {
  const [first] = routes;
  if (first === undefined) return undefined;
  const points = routes.map(({ origin, destination }) => {
    const to = nearest(destination, origin);
    return nearest({ x: (origin.x + to.x) / 2, y: (origin.y + to.y) / 2 }, first.origin);
  });
  return { x: median(points.map(({ x }) => x)), y: median(points.map(({ y }) => y)) };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? 0;
}
