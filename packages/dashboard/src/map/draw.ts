import type { Colours } from './colours.js';
import { pixelOf, type Point, seen, turnsSeen, type View } from './geometry.js';
import { drawDestination, drawHandoff, drawOrigin, drawParcel, type Pen } from './marks.js';
import { type LegState, type Look, type Parcel, parcelOf, type Route } from './route.js';
import { gridOf } from './scale.js';

export interface Scene {
  /** What matters more comes later. */
  readonly routes: readonly Route[];
  readonly selected: string | undefined;
  /** Under the pointer. */
  readonly pointed: string | undefined;
  readonly colours: Colours;
  /** Milliseconds of the clock. */
  readonly now: number;
}

const HUE: Readonly<Record<Look, 'listed' | 'moving' | 'paid' | 'failed'>> = {
  open: 'listed',
  moving: 'moving',
  done: 'paid',
  failed: 'failed',
};
const STROKE: Readonly<Record<LegState, { width: number; dash: number[]; opacity: number }>> = {
  offered: { width: 1.25, dash: [3, 4], opacity: 0.75 },
  done: { width: 2, dash: [], opacity: 0.9 },
  current: { width: 2, dash: [], opacity: 0.4 },
  'to come': { width: 1.5, dash: [5, 4], opacity: 0.7 },
};
/** What has ended, and what is not the chosen one, stands back. */
const ENDED = 0.45;
const NOT_CHOSEN = 0.3;
/** What is shorter than this on the screen is drawn as its parcel alone, pixels. */
const SHORTEST_PX = 16;
/** Pins and lines reach over the edge of what they belong to, pixels. */
const MARGIN_PX = 24;

/** Draws what moves: the grid, over it the routes, over these their marks. */
export function draw(context: CanvasRenderingContext2D, view: View, scene: Scene): void {
  context.clearRect(0, 0, view.width, view.height);
  drawGrid(context, view, scene.colours);
  const drawn = routesInSight(context, view, scene);
  for (const each of drawn) if (!each.isShort) drawLines(each);
  for (const each of drawn) if (!each.isShort) drawPins(each);
  for (const each of drawn) drawWhereItIs(each);
  context.globalAlpha = 1;
}

/** A route in one turn of the world. */
interface Drawn {
  readonly pen: Pen;
  readonly route: Route;
  readonly parcel: Parcel;
  readonly toPixel: (point: Point) => Point;
  readonly isShort: boolean;
}

/** The chosen ones come last, over the others. */
function routesInSight(context: CanvasRenderingContext2D, view: View, scene: Scene): Drawn[] {
  const sight = seen(view, MARGIN_PX);
  const isChosen = ({ id }: Route) => id === scene.selected || id === scene.pointed;
  const [chosen, others] = [scene.routes.filter(isChosen), scene.routes.filter((route) => !isChosen(route))];
  return [...others, ...chosen].flatMap((route) => {
    const turns = turnsSeen(route.box, sight);
    if (turns.length === 0) return [];
    const { left, right, top, bottom } = route.box;
    const seenRoute = {
      pen: penOf(context, scene, route, isChosen(route)),
      route,
      parcel: parcelOf(route, scene.now),
      isShort: Math.max(right - left, bottom - top) * view.world < SHORTEST_PX,
    };
    return turns.map((turn) => ({
      ...seenRoute,
      toPixel: ({ x, y }: Point) => pixelOf(view, { x: x + turn, y }),
    }));
  });
}

function penOf(context: CanvasRenderingContext2D, scene: Scene, { look }: Route, isChosen: boolean): Pen {
  const { colours, selected } = scene;
  const behind = (look === 'done' || look === 'failed' ? ENDED : 1) * (selected === undefined ? 1 : NOT_CHOSEN);
  const hue = colours[HUE[look]];
  return { context, hue, ground: colours.land, opacity: isChosen ? 1 : behind, scale: isChosen ? 1.35 : 1 };
}

function drawGrid(context: CanvasRenderingContext2D, view: View, { dim }: Colours): void {
  const { x, y } = gridOf(view);
  context.beginPath();
  for (const each of x) line(context, pixelOf(view, { x: each, y: 0 }).x, 0, 0, view.height);
  for (const each of y) line(context, 0, pixelOf(view, { x: 0, y: each }).y, view.width, 0);
  context.setLineDash([]);
  context.globalAlpha = 0.16;
  context.lineWidth = 1;
  context.strokeStyle = dim;
  context.stroke();
}

function line(context: CanvasRenderingContext2D, x: number, y: number, dx: number, dy: number): void {
  // On whole pixels a thin line stays thin.
  const [left, top] = [Math.round(x) + 0.5, Math.round(y) + 0.5];
  context.moveTo(left, top);
  context.lineTo(left + dx, top + dy);
}

function drawLines({ pen, route, parcel, toPixel }: Drawn): void {
  for (const { from, to, state } of route.legs) {
    drawLine(pen, toPixel(from), toPixel(to), state);
    if (state === 'current') drawLine(pen, toPixel(from), toPixel(parcel), 'done');
  }
}

function drawLine({ context, hue, opacity, scale }: Pen, from: Point, to: Point, state: LegState): void {
  const { width, dash, opacity: share } = STROKE[state];
  context.globalAlpha = opacity * share;
  context.strokeStyle = hue;
  context.lineWidth = width * scale;
  context.setLineDash(dash);
  context.beginPath();
  context.moveTo(from.x, from.y);
  context.lineTo(to.x, to.y);
  context.stroke();
}

function drawPins({ pen, route, toPixel }: Drawn): void {
  pen.context.globalAlpha = pen.opacity;
  pen.context.setLineDash([]);
  for (const { to } of route.legs.slice(0, -1)) drawHandoff(pen, toPixel(to));
  drawOrigin(pen, toPixel(route.origin));
  drawDestination(pen, toPixel(route.destination));
}

function drawWhereItIs({ pen, route, parcel, toPixel }: Drawn): void {
  pen.context.globalAlpha = pen.opacity;
  drawParcel(pen, toPixel(parcel), route.look, parcel.isOverdue);
}
