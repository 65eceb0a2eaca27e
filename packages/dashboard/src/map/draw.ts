import type { Colours } from './style.js';
import { pixelOf, type Point, seen, turnsSeen, type View } from './geometry.js';
import { drawDestinations, drawHandoffs, drawOrigins, drawParcels, type Pen, type Shape } from './marks.js';
import { fadedSteps, type LegState, type Look, type Parcel, parcelOf, type Route } from './route.js';
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
const SHAPE: Readonly<Record<Look, Shape>> = { open: 'ring', moving: 'half', done: 'disc', failed: 'diamond' };
const SHAPES: readonly Shape[] = ['ring', 'broken', 'half', 'disc', 'diamond'];

interface Stroke {
  readonly width: number;
  readonly dash: number[];
  readonly opacity: number;
}
const WALKED: Stroke = { width: 2, dash: [], opacity: 0.9 };
const STROKES: readonly (Stroke & { readonly state: LegState })[] = [
  { state: 'offered', width: 1.25, dash: [3, 4], opacity: 0.75 },
  { state: 'to come', width: 1.5, dash: [5, 4], opacity: 0.7 },
  { state: 'current', width: 2, dash: [], opacity: 0.4 },
  { state: 'done', ...WALKED },
];
/** What has ended, and what is not the chosen one, stands back. */
const ENDED = 0.45;
const NOT_CHOSEN = 0.3;
/** What is shorter than this on the screen is drawn as its parcel alone, pixels. */
const SHORTEST_PX = 16;
/** Pins and lines reach over the edge of what they belong to, pixels. */
const MARGIN_PX = 24;

/** Draws what stands still while parcels move: the grid, over it the lines, over these their pins. */
export function drawStill(context: CanvasRenderingContext2D, view: View, scene: Scene): void {
  context.clearRect(0, 0, view.width, view.height);
  drawGrid(context, view, scene.colours);
  const groups = groupsInSight(context, view, scene);
  for (const { pen, drawn } of groups)
    for (const stroke of STROKES) drawLines(pen, stroke, linesOf(drawn, stroke.state));
  context.setLineDash([]);
  for (const { pen, drawn } of groups) drawPins(pen, drawn);
}

/** Draws what has been walked, over it what stands still, over that the parcels. */
export function drawMoving(
  context: CanvasRenderingContext2D,
  view: View,
  scene: Scene,
  still: CanvasImageSource,
): void {
  context.globalAlpha = 1;
  context.clearRect(0, 0, view.width, view.height);
  const groups = groupsInSight(context, view, scene);
  for (const { pen, drawn } of groups) drawLines(pen, WALKED, walkedOf(drawn));
  context.globalAlpha = 1;
  context.drawImage(still, 0, 0, view.width, view.height);
  const { heaps, single } = heapsOf(groups);
  for (const { pen, drawn } of single) drawParcelsOf(pen, drawn);
  drawHeaps(context, heaps, scene.colours);
}

/** Parcels that lie on each other, as one mark. */
interface Heap extends Point {
  readonly count: number;
}

/** Parcels within so many pixels are a heap from so many on. */
const [HEAP_PX, HEAP_COUNT] = [24, 4];

/** Which parcels are drawn as heaps, and what is left; the chosen ones are never hidden in one. Rule D-21. */
function heapsOf(groups: readonly Group[]): { heaps: Heap[]; single: Group[] } {
  const cells = new Map<string, { x: number; y: number; of: Set<Drawn> }>();
  for (const { pen, drawn } of groups) {
    if (pen.scale > 1) continue;
    for (const each of drawn) {
      const { x, y } = each.toPixel(each.parcel);
      const key = `${Math.floor(x / HEAP_PX)} ${Math.floor(y / HEAP_PX)}`;
      const cell = cells.get(key) ?? { x: 0, y: 0, of: new Set() };
      cells.set(key, { x: cell.x + x, y: cell.y + y, of: cell.of.add(each) });
    }
  }
  const many = [...cells.values()].filter(({ of }) => of.size >= HEAP_COUNT);
  const hidden = new Set(many.flatMap(({ of }) => [...of]));
  return {
    heaps: many.map(({ x, y, of }) => ({ x: x / of.size, y: y / of.size, count: of.size })),
    single: groups.map(({ pen, drawn }) => ({ pen, drawn: drawn.filter((each) => !hidden.has(each)) })),
  };
}

function drawHeaps(context: CanvasRenderingContext2D, heaps: readonly Heap[], { land, text }: Colours): void {
  context.globalAlpha = 1;
  context.font = '600 11px system-ui, sans-serif';
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  for (const { x, y, count } of heaps) {
    context.beginPath();
    context.arc(x, y, 11, 0, 2 * Math.PI);
    context.fillStyle = text;
    context.fill();
    context.fillStyle = land;
    context.fillText(String(count), x, y + 0.5);
  }
}

/** A route in one turn of the world. */
interface Drawn {
  readonly route: Route;
  readonly parcel: Parcel;
  readonly toPixel: (point: Point) => Point;
  readonly isShort: boolean;
}

interface Group {
  readonly pen: Pen;
  readonly drawn: Drawn[];
}

/** What is in sight, by how it is drawn; the chosen ones come last, over the others. */
function groupsInSight(context: CanvasRenderingContext2D, view: View, scene: Scene): Group[] {
  const sight = seen(view, MARGIN_PX);
  const [others, chosen] = [new Map<string, Group>(), new Map<string, Group>()];
  for (const route of scene.routes) {
    const isChosen = route.id === scene.selected || route.id === scene.pointed;
    const groups = isChosen ? chosen : others;
    const faded = fadedSteps(route, scene.now);
    const key = `${route.look} ${faded}`;
    for (const turn of turnsSeen(route.box, sight)) {
      const group = groups.get(key) ?? { pen: penOf(context, scene, { look: route.look, faded }, isChosen), drawn: [] };
      groups.set(key, group);
      group.drawn.push(inTurn(route, turn, view, scene.now));
    }
  }
  return [...others.values(), ...chosen.values()];
}

function inTurn(route: Route, turn: number, view: View, now: number): Drawn {
  const { left, right, top, bottom } = route.box;
  return {
    route,
    parcel: parcelOf(route, now),
    toPixel: ({ x, y }) => pixelOf(view, { x: x + turn, y }),
    isShort: Math.max(right - left, bottom - top) * view.world < SHORTEST_PX,
  };
}

/** What a step of fading leaves. */
const FADED = 0.7;

interface Looks {
  readonly look: Look;
  readonly faded: number;
}

function penOf(context: CanvasRenderingContext2D, scene: Scene, { look, faded }: Looks, isChosen: boolean): Pen {
  const { colours, selected } = scene;
  const ended = look === 'done' || look === 'failed' ? ENDED * FADED ** faded : 1;
  const behind = ended * (selected === undefined ? 1 : NOT_CHOSEN);
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

type Line = readonly [from: Point, to: Point];

function drawLines({ context, hue, opacity, scale }: Pen, stroke: Stroke, lines: readonly Line[]): void {
  context.beginPath();
  for (const [from, to] of lines) {
    context.moveTo(from.x, from.y);
    context.lineTo(to.x, to.y);
  }
  context.globalAlpha = opacity * stroke.opacity;
  context.strokeStyle = hue;
  context.lineWidth = stroke.width * scale;
  context.setLineDash(stroke.dash);
  context.stroke();
}

function linesOf(drawn: readonly Drawn[], state: LegState): Line[] {
  return drawn.flatMap(({ route, toPixel, isShort }) =>
    isShort
      ? []
      : route.legs.filter((leg) => leg.state === state).map(({ from, to }): Line => [toPixel(from), toPixel(to)]),
  );
}

function walkedOf(drawn: readonly Drawn[]): Line[] {
  return drawn.flatMap(({ route: { walk }, parcel, toPixel, isShort }): Line[] =>
    walk && !isShort ? [[toPixel(walk.leg.from), toPixel(parcel)]] : [],
  );
}

function drawPins(pen: Pen, drawn: readonly Drawn[]): void {
  const long = drawn.filter(({ isShort }) => !isShort);
  const places = (of: (route: Route) => readonly Point[]) =>
    long.flatMap(({ route, toPixel }) => of(route).map(toPixel));
  drawHandoffs(
    pen,
    places(({ legs }) => legs.slice(0, -1).map(({ to }) => to)),
  );
  drawOrigins(
    pen,
    places(({ origin }) => [origin]),
  );
  drawDestinations(
    pen,
    places(({ destination }) => [destination]),
  );
}

function drawParcelsOf(pen: Pen, drawn: readonly Drawn[]): void {
  const shapeOf = ({ route, parcel }: Drawn): Shape => (parcel.isOverdue ? 'broken' : SHAPE[route.look]);
  for (const shape of SHAPES) {
    const those = drawn.filter((each) => shapeOf(each) === shape);
    drawParcels(
      pen,
      shape,
      those.map(({ parcel, toPixel }) => toPixel(parcel)),
    );
  }
}
