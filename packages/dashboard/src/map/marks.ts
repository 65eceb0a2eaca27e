import type { Point } from './geometry.js';
import type { Look } from './route.js';

/** How a route is drawn. */
export interface Pen {
  readonly context: CanvasRenderingContext2D;
  readonly hue: string;
  /** What stands around a mark, so that lines end at it. */
  readonly ground: string;
  readonly opacity: number;
  readonly scale: number;
}

export function drawHandoff({ context, hue, ground, scale }: Pen, { x, y }: Point): void {
  context.beginPath();
  context.arc(x, y, 2.5 * scale, 0, 2 * Math.PI);
  context.fillStyle = ground;
  context.fill();
  context.lineWidth = 1.25;
  context.strokeStyle = hue;
  context.stroke();
}

export function drawOrigin({ context, hue, scale }: Pen, { x, y }: Point): void {
  context.beginPath();
  context.arc(x, y, 2.5 * scale, 0, 2 * Math.PI);
  context.fillStyle = hue;
  context.fill();
}

/** A pin whose tip is the place. */
export function drawDestination({ context, hue, ground, scale }: Pen, { x, y }: Point): void {
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
export function drawParcel(
  { context, hue, ground, scale }: Pen,
  { x, y }: Point,
  look: Look,
  isOverdue: boolean,
): void {
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
