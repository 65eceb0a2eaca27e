import type { Colours } from './colours.js';
import { pixelOf, type Point, seen, turnsSeen, type View } from './geometry.js';
import { type LegState, type Look, parcelOf, type Route } from './route.js';
import { gridOf } from './scale.js';

export interface Scene {
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
/** What matters more is drawn later. */
const ORDER: readonly Look[] = ['done', 'failed', 'open', 'moving'];
const STROKE: Readonly<Record<LegState, { width: number; dash: number[]; opacity: number }>> = {
  offered: { width: 1.25, dash: [3, 4], opacity: 0.75 },
  done: { width: 2, dash: [], opacity: 0.9 },
  current: { width: 2, dash: [], opacity: 0.4 },
  'to come': { width: 1.5, dash: [5, 4], opacity: 0.7 },
};
/** What has ended, and what is not the chosen one, stands back. */
const ENDED = 0.45;
const NOT_CHOSEN = 0.3;
/** Pins and lines reach over the edge of what they belong to, pixels. */
const MARGIN_PX = 24;

/** Draws what moves: the routes over the ground, and the grid under them. */
export function draw(context: CanvasRenderingContext2D, view: View, scene: Scene): void {
  context.clearRect(0, 0, view.width, view.height);
  drawGrid(context, view, scene.colours);
  const sight = seen(view, MARGIN_PX);
  for (const route of inOrder(scene)) {
    for (const turn of turnsSeen(route.box, sight)) {
      drawRoute(context, scene, route, ({ x, y }) => pixelOf(view, { x: x + turn, y }));
    }
  }
  context.globalAlpha = 1;
}

function inOrder({ routes, selected, pointed }: Scene): Route[] {
  const isChosen = ({ id }: Route) => id === selected || id === pointed;
  const others = ORDER.flatMap((look) => routes.filter((route) => route.look === look && !isChosen(route)));
  return [...others, ...routes.filter(isChosen)];
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

type ToPixel = (point: Point) => Point;

function drawRoute(context: CanvasRenderingContext2D, scene: Scene, route: Route, pixel: ToPixel): void {
  const { selected, pointed, colours, now } = scene;
  const isChosen = route.id === selected || route.id === pointed;
  const isBack = selected !== undefined && !isChosen;
  const opacity = isChosen
    ? 1
    : (route.look === 'done' || route.look === 'failed' ? ENDED : 1) * (isBack ? NOT_CHOSEN : 1);
  const hue = colours[HUE[route.look]];
  const pen = { context, hue, ground: colours.surface, opacity, scale: isChosen ? 1.35 : 1 };
  const parcel = parcelOf(route, now);
  for (const leg of route.legs) {
    drawLine(pen, pixel(leg.from), pixel(leg.to), leg.state);
    if (leg.state === 'current') drawLine(pen, pixel(leg.from), pixel(parcel), 'done');
  }
  context.globalAlpha = opacity;
  context.setLineDash([]);
  for (const { to } of route.legs.slice(0, -1)) drawHandoff(pen, pixel(to));
  drawOrigin(pen, pixel(route.origin));
  drawDestination(pen, pixel(route.destination));
  drawParcel(pen, pixel(parcel), route.look, parcel.isOverdue);
}

interface Pen {
  readonly context: CanvasRenderingContext2D;
  readonly hue: string;
  readonly ground: string;
  readonly opacity: number;
  readonly scale: number;
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

function drawHandoff({ context, hue, ground, scale }: Pen, { x, y }: Point): void {
  context.beginPath();
  context.arc(x, y, 2.5 * scale, 0, 2 * Math.PI);
  context.fillStyle = ground;
  context.fill();
  context.lineWidth = 1.25;
  context.strokeStyle = hue;
  context.stroke();
}

function drawOrigin({ context, hue, scale }: Pen, { x, y }: Point): void {
  context.beginPath();
  context.arc(x, y, 2.5 * scale, 0, 2 * Math.PI);
  context.fillStyle = hue;
  context.fill();
}

/** A pin whose tip is the place. */
function drawDestination({ context, hue, ground, scale }: Pen, { x, y }: Point): void {
  const radius = 4 * scale;
  const middle = y - 2.4 * radius;
  context.beginPath();
  context.arc(x, middle, radius, 0.8 * Math.PI, 0.2 * Math.PI);
  context.lineTo(x, y);
  context.closePath();
  context.fillStyle = ground;
  context.fill();
  context.lineWidth = 1.5;
  context.strokeStyle = hue;
  context.stroke();
}

/** In the shapes of the list: a ring, a half disc, a disc, a diamond; past its estimate, a broken ring. */
function drawParcel({ context, hue, ground, scale }: Pen, { x, y }: Point, look: Look, isOverdue: boolean): void {
  const radius = 5 * scale;
  disc(context, x, y, radius + 2.5);
  context.fillStyle = ground;
  context.fill();
  context.fillStyle = hue;
  context.strokeStyle = hue;
  context.lineWidth = 2;
  if (look === 'failed') {
    context.beginPath();
    context.moveTo(x, y - radius);
    context.lineTo(x + radius, y);
    context.lineTo(x, y + radius);
    context.lineTo(x - radius, y);
    context.fill();
    return;
  }
  if (isOverdue) context.setLineDash([radius * 0.9, radius * 0.67]);
  disc(context, x, y, radius);
  context.stroke();
  if (look === 'done') context.fill();
  if (look === 'moving' && !isOverdue) {
    context.beginPath();
    context.arc(x, y, radius, Math.PI / 2, 1.5 * Math.PI);
    context.fill();
  }
  context.setLineDash([]);
}

function disc(context: CanvasRenderingContext2D, x: number, y: number, radius: number): void {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
}
