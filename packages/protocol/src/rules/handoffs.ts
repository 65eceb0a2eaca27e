import type { PackageDetail } from '../contract/resources/package.js';
import type { Leg, Swarm } from '../contract/resources/swarm.js';
import type { LegStage } from '../contract/statuses.js';
import { isCosignedPickup } from './legMoves.js';

/** A swarm as far as it says whose move it is. */
export interface ActingSwarm extends Pick<Swarm, 'status'> {
  readonly legs: readonly Pick<Leg, 'legIndex' | 'status' | 'agentPubkey' | 'stage' | 'since'>[];
}

/** The leg under way: the first that is not completed; undefined: no chain carries the parcel. */
export function legUnderWay<L extends Pick<Leg, 'status'>>(
  swarm: (Pick<Swarm, 'status'> & { readonly legs: readonly L[] }) | null,
): L | undefined {
  return swarm?.status === 'active' ? swarm.legs.find(({ status }) => status === 'pending') : undefined;
}

/** Says whether the courier of a leg with terms has signed for its parcel. */
export function isPickedUp(stage: LegStage): boolean {
  return stage !== 'pending' && stage !== 'accepted' && stage !== 'vacant';
}

/** At the end of a leg the courier of the next one receives the parcel, after the last leg the shipper. Rule P-41. */
export function recipientOf(
  {
    swarm,
    shipperPubkey,
  }: Pick<PackageDetail, 'shipperPubkey'> & {
    readonly swarm: { readonly legs: readonly Pick<Leg, 'agentPubkey'>[] } | null;
  },
  { legIndex }: Pick<Leg, 'legIndex'>,
): { readonly role: 'courier' | 'shipper'; readonly pubkey: string } {
  const next = swarm?.legs[legIndex + 1];
  return next ? { role: 'courier', pubkey: next.agentPubkey } : { role: 'shipper', pubkey: shipperPubkey };
}

/** The leg at whose end a key receives the parcel: the one before its own, or, of the shipper, the last one. */
export function legToReceive({ swarm, shipperPubkey }: PackageDetail, own: string): Leg | undefined {
  const legs = swarm?.legs ?? [];
  return shipperPubkey === own ? legs.at(-1) : legs.find((_, index) => legs[index + 1]?.agentPubkey === own);
}

/**
 * The leg without terms at whose end a key receives the parcel now; undefined: there is none. A leg with terms has turns of its own, and
 * what the ledger took back waits.
 */
export function plainLegToReceive(
  parcel: Pick<PackageDetail, 'swarm' | 'shipperPubkey' | 'terms' | 'finality'>,
  own: string,
): Leg | undefined {
  const leg = legUnderWay(parcel.swarm);
  if (leg === undefined || parcel.terms !== null || parcel.finality === 'reverted') return undefined;
  return recipientOf(parcel, leg).pubkey === own ? leg : undefined;
}

/**
 * Tells what a shipper who stands by its parcel signs next, if it is so: that it hands the parcel to the first courier, where the
 * terms want that signature, or that the parcel has arrived. Undefined: it waits. A parcel that nobody has picked up has not arrived.
 */
export function shipperSigns(
  parcel: PackageDetail,
): { readonly what: 'pickup' | 'arrival'; readonly leg: Leg } | undefined {
  const leg = legUnderWay(parcel.swarm);
  if (leg === undefined) return undefined;
  const { stage, legIndex } = leg;
  if (stage === 'accepted' && isCosignedPickup(legIndex, parcel.terms)) return { what: 'pickup', leg };
  const isBrought = stage === null || stage === 'carried' || stage === 'claimed';
  return isBrought && recipientOf(parcel, leg).role === 'shipper' ? { what: 'arrival', leg } : undefined;
}
