import { type Relay, SOL, toLamports } from '@legwork/protocol/contract';
import { anEvent } from './anEvent.js';

export const agents = Array.from({ length: 7 }, (_, at) => String(at + 1).repeat(32));

/** A package of so many legs, with the first courier. */
export function aRelay(legs: number, changed: Partial<Relay> = {}): Relay {
  return {
    id: anEvent('LEG_CONFIRMED').packageId,
    status: 'in_transit',
    description: 'a violin',
    originLat: 52.5,
    originLng: 13.4,
    destLat: 52.3,
    destLng: 13.5,
    legs: Array.from({ length: legs }, (_, at) => ({
      agentPubkey: agents[at] ?? '',
      pickupLat: 52.5 - at / 10,
      pickupLng: 13.4,
      dropoffLat: 52.4 - at / 10,
      dropoffLng: 13.4,
      status: 'pending',
      stage: null,
      completedAt: null,
    })),
    completedLegs: 0,
    totalLegs: legs,
    holder: agents[0] ?? null,
    legStartedAt: new Date(0),
    estimatedDurationMin: 20,
    ...SOL,
    paid: toLamports(0n),
    paidLamports: toLamports(0n),
    total: toLamports(BigInt(legs)),
    totalLamports: toLamports(BigInt(legs)),
    maxBudget: toLamports(100n),
    maxBudgetLamports: toLamports(100n),
    listedAt: new Date(0),
    ...changed,
  };
}
