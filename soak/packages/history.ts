import type { Address } from '@solana/kit';
import type { Due } from '../audit/histories.js';
import type { CarriedPackage } from './couriers.js';

/** The transactions that there have to be between the listing of a package and its end: one formation, one confirmation a leg. */
export function carriedBy(ended: CarriedPackage, coordinator: Address): Due[] {
  const { listing } = ended;
  const { swarm, shipperPubkey } = listing;
  if (swarm?.formSignature == null) return [];
  const formation: Due = [['formSwarm', ...swarm.legs.map(() => 'assignLeg')], coordinator, swarm.formSignature];
  if (ended.bound) return [formation, ...ended.bound.moves];
  const confirmations = swarm.legs.flatMap(({ legIndex, confirmSignature }): Due[] => {
    const recipient = swarm.legs[legIndex + 1]?.agentPubkey ?? shipperPubkey;
    return confirmSignature === null ? [] : [[['confirmLeg'], recipient, confirmSignature]];
  });
  return [formation, ...confirmations];
}
