import { EARTH_RADIUS_KM } from '@legwork/protocol/rules';
import { degrees, seen, type View } from './geometry.js';
import { locale } from '../language.js';

const EQUATOR_KM = 2 * Math.PI * EARTH_RADIUS_KM;

/** Kilometres that the width of the world means at a latitude, on the Mercator square. */
const worldKm = (lat: number): number => EQUATOR_KM * Math.cos((lat * Math.PI) / 180);

/** A bar of the scale is at least this long, pixels. */
const SHORTEST_BAR_PX = 72;
/** The grid is of use where one can tell streets apart, kilometres between its lines. */
const WIDEST_GRID_KM = 5;

export interface Scale {
  /** 1, 2 or 5, times a power of ten. */
  readonly km: number;
  /** How long that is on the screen, in the middle of the view. */
  readonly px: number;
}

export function scaleOf(view: View): Scale {
  const pxPerKm = view.world / worldKm(degrees(view.center).lat);
  const least = SHORTEST_BAR_PX / pxPerKm;
  const power = 10 ** Math.floor(Math.log10(least));
  const km = [1, 2, 5, 10].map((step) => step * power).find((step) => step >= least) ?? least;
  return { km, px: km * pxPerKm };
}

/** `5,000 km`, `5 km`, `200 m`. */
export const lengthText = (km: number): string =>
  km >= 1 ? `${Math.round(km).toLocaleString(locale)} km` : `${Math.round(km * 1000)} m`;

/** Lines of a grid on the Mercator square, a whole number of kilometres apart; none further out than a city. */
export interface Grid {
  readonly x: readonly number[];
  readonly y: readonly number[];
}

/** They stand still while the map is moved: their distance is that at the whole degree of latitude next to the middle. */
export function gridOf(view: View): Grid {
  const { km } = scaleOf(view);
  if (km > WIDEST_GRID_KM) return { x: [], y: [] };
  const step = km / worldKm(Math.round(degrees(view.center).lat));
  const { left, right, top, bottom } = seen(view);
  return { x: multiples(step, left, right), y: multiples(step, top, bottom) };
}

function multiples(step: number, from: number, to: number): number[] {
  const first = Math.ceil(from / step);
  return Array.from({ length: Math.max(0, Math.floor(to / step) - first + 1) }, (_, index) => (first + index) * step);
}
