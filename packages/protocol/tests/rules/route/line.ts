import { toLamports } from '../../../src/contract/money.js';
import { findBestRoute } from '../../../src/rules/route/bestRoute.js';
import type { RouteBid, RoutePackage } from '../../../src/rules/route/types.js';

export const NOW = Date.UTC(2026, 0, 1);
export const MINUTE = 60_000;
/** Stops three kilometres apart on a line: a handoff is possible only at one and the same stop. */
export const stop = (index: number) => ({ lat: 52.5 + index * 0.027, lng: 13.4 });
export const idOf = (index: number) => `0190${index.toString(16).padStart(4, '0')}-0000-7000-8000-000000000000`;

export interface Offer {
  readonly from: number;
  readonly to: number;
  readonly cost: bigint;
  readonly agent?: number;
  readonly rho?: number;
  readonly km?: number;
}

export function bidsOf(offers: readonly Offer[]): RouteBid[] {
  return offers.map(({ from, to, cost, agent, rho = 50, km = 1 }, index) => ({
    id: idOf(index),
    agentPubkey: `agent ${agent ?? index + 100}`,
    pickup: stop(from),
    dropoff: stop(to),
    distanceKm: km,
    costLamports: toLamports(cost),
    rho,
  }));
}

export function packageOver(stops: number, budget: bigint, minutes = 600): RoutePackage {
  return {
    origin: stop(0),
    destination: stop(stops),
    budgetLamports: toLamports(budget),
    shipperPubkey: 'shipper',
    deadlineMs: NOW + minutes * MINUTE,
  };
}

export const still = { evaluatedAtMs: NOW, now: () => 0 };
export const idsOf = (target: RoutePackage, bids: readonly RouteBid[]) =>
  findBestRoute(target, bids, still).bids.map((bid) => bid.id);
export const chosen = (target: RoutePackage, offers: readonly Offer[]) =>
  idsOf(target, bidsOf(offers)).map((id) => Number.parseInt(id.slice(4, 8), 16));
