import { estimatedDurationMin } from '../geo.js';
import type { RouteBid, RoutePackage } from './types.js';

/** Whole minutes that a leg takes of those until the deadline: its way, and with terms one handoff window. Rule T-65. */
export function legMinutes(
  { clocks }: Pick<RoutePackage, 'clocks'>,
  { distanceKm }: Pick<RouteBid, 'distanceKm'>,
): number {
  return estimatedDurationMin(distanceKm) + (clocks === undefined ? 0 : Math.ceil(clocks.handoffSec / 60));
}

/** Reports whether the leg leaves its courier as much time as it takes: its way is at most half of the carry window. */
export function fitsCarry(
  { clocks }: Pick<RoutePackage, 'clocks'>,
  { distanceKm }: Pick<RouteBid, 'distanceKm'>,
): boolean {
  return clocks === undefined || estimatedDurationMin(distanceKm) * 120 <= clocks.carrySec;
}
