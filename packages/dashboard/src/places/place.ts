import type { Coordinate } from '@legwork/protocol/rules';

/** A place with the name that people know it by. */
export interface Place extends Coordinate {
  readonly name: string;
}

/** A latitude and a longitude as they are typed, such as `52.5208, 13.4095`; undefined: something else. */
export function degreesIn(text: string): Place | undefined {
  const match = /^\s*(-?\d{1,2}(?:\.\d+)?)[\s,;]+(-?\d{1,3}(?:\.\d+)?)\s*$/u.exec(text);
  const [lat, lng] = [Number(match?.[1]), Number(match?.[2])];
  return match !== null && Math.abs(lat) <= 90 && Math.abs(lng) <= 180 ? { name: text.trim(), lat, lng } : undefined;
}

const DIGITS = 4;

/** The degrees of a point, to some ten metres. */
export const degreesOf = ({ lat, lng }: Coordinate): string => `${lat.toFixed(DIGITS)}, ${lng.toFixed(DIGITS)}`;
