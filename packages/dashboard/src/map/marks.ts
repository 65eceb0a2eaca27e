import type { Point } from './geometry.js';

/** How some routes are drawn. */
export interface Pen {
  readonly context: CanvasRenderingContext2D;
  readonly hue: string;
  /** What stands around a mark, so that lines end at it. */
  readonly ground: string;
  readonly opacity: number;
  readonly scale: number;
}

// Marks of one kind are one path: a path each costs several times as much.

export function drawHandoffs(pen: Pen, at: readonly Point[]): void {
  discs(pen, at, 2.5 * pen.scale);
  fill(pen, pen.ground);
  stroke(pen, 1.25);
}

export function drawOrigins(pen: Pen, at: readonly Point[]): void {
  discs(pen, at, 2.5 * pen.scale);
  fill(pen, pen.hue);
}

/** Pins whose tips are the places. */
export function drawDestinations(pen: Pen, at: readonly Point[]): void {
  const radius = 4 * pen.scale;
  pen.context.beginPath();
  for (const { x, y } of at) {
    pen.context.moveTo(x, y);
    pen.context.arc(x, y - 2.4 * radius, radius, 0.8 * Math.PI, 0.2 * Math.PI);
    pen.context.closePath();
  }
  fill(pen, pen.ground);
  stroke(pen, 1.5);
}

/** The shapes of a parcel, as in lists: a ring, a half disc, a disc, a diamond; past its estimate, a broken ring. */
export type Shape = 'ring' | 'half' | 'disc' | 'diamond' | 'broken';

export function drawParcels(pen: Pen, shape: Shape, at: readonly Point[]): void {
  if (at.length === 0) return;
  const { context } = pen;
  const radius = 5 * pen.scale;
  discs(pen, at, radius + 2.5);
  fill(pen, pen.ground);
  if (shape === 'diamond') {
    diamonds(pen, at, radius);
    fill(pen, pen.hue);
    return;
  }
  if (shape === 'broken') context.setLineDash([radius * 0.9, radius * 0.67]);
  discs(pen, at, radius);
  stroke(pen, 2);
  context.setLineDash([]);
  if (shape === 'disc') fill(pen, pen.hue);
  if (shape !== 'half') return;
  context.beginPath();
  for (const { x, y } of at) {
    context.moveTo(x, y + radius);
    context.arc(x, y, radius, Math.PI / 2, 1.5 * Math.PI);
  }
  fill(pen, pen.hue);
}

function diamonds({ context }: Pen, at: readonly Point[], radius: number): void {
  context.beginPath();
  for (const { x, y } of at) {
    context.moveTo(x, y - radius);
    context.lineTo(x + radius, y);
    context.lineTo(x, y + radius);
    context.lineTo(x - radius, y);
  }
}

function discs({ context }: Pen, at: readonly Point[], radius: number): void {
  context.beginPath();
  for (const { x, y } of at) {
    context.moveTo(x + radius, y);
    context.arc(x, y, radius, 0, 2 * Math.PI);
  }
}

function fill({ context, opacity }: Pen, style: string): void {
  context.globalAlpha = opacity;
  context.fillStyle = style;
  context.fill();
}

function stroke({ context, hue, opacity }: Pen, width: number): void {
  context.globalAlpha = opacity;
  context.strokeStyle = hue;
  context.lineWidth = width;
  context.stroke();
}
