import { type Relay, SOL, toLamports } from '@legwork/protocol/contract';
import { routeOf } from '../../src/map/route.js';

export const START = Date.UTC(2026, 10, 23, 7);
export const MINUTE = 60_000;

type Place = readonly [lat: number, lng: number];

/** A relay through these places, with its first `completed` legs done and the next one begun at {@link START}. */
export function relay(
  places: readonly Place[],
  {
    status = 'in_transit',
    completed = 0,
    minutes = 20,
  }: { status?: Relay['status']; completed?: number; minutes?: number } = {},
): Relay {
  const origin = places[0] ?? BERLIN;
  const destination = places.at(-1) ?? BERLIN;
  const isCarried = status === 'in_transit';
  const legs =
    status === 'listed'
      ? []
      : places.slice(1).map((to, index) => legOf(places[index] ?? origin, to, index < completed));
  return {
    id: `01a20632-04d5-7a30-8c04-${String(places.length).padStart(12, '0')}`,
    status,
    description: 'a violin',
    originLat: origin[0],
    originLng: origin[1],
    destLat: destination[0],
    destLng: destination[1],
    legs,
    completedLegs: completed,
    totalLegs: legs.length,
    holder: isCarried ? '11111111111111111111111111111112' : null,
    legStartedAt: isCarried ? new Date(START) : null,
    estimatedDurationMin: isCarried ? minutes : null,
    ...SOL,
    paid: toLamports(0n),
    paidLamports: toLamports(0n),
    total: null,
    totalLamports: null,
    maxBudget: toLamports(1n),
    maxBudgetLamports: toLamports(1n),
    listedAt: new Date(START),
  };
}

function legOf([pickupLat, pickupLng]: Place, [dropoffLat, dropoffLng]: Place, isDone: boolean): Relay['legs'][number] {
  return {
    agentPubkey: '11111111111111111111111111111112',
    pickupLat,
    pickupLng,
    dropoffLat,
    dropoffLng,
    status: isDone ? 'completed' : 'pending',
    stage: null,
    completedAt: isDone ? new Date(START) : null,
  };
}

export const route = (...given: Parameters<typeof relay>) => routeOf(relay(...given));

export const BERLIN = [52.52, 13.405] as const;
export const POTSDAM = [52.4, 13.06] as const;
export const TOKYO = [35.68, 139.69] as const;
export const HONOLULU = [21.31, -157.86] as const;
