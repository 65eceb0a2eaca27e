import { estimatedDurationMin } from '@legwork/sdk';
import type { Bid, PackageView } from '@legwork/sdk';
import type { Policy } from '../policy/policy.js';
import type { LegalBid } from './advice.js';
import type { Load } from './parcels.js';
import { priceOf } from './price.js';
import type { Road } from './price.js';
import { bestStretch } from './stretch.js';
import type { Errand, Stretch } from './stretch.js';
import { isInTime } from './trip.js';

/** Who looks, and what it carries, or may have to carry, already. */
export interface Looker {
  readonly pubkey: string;
  readonly policy: Pick<Policy, 'courier' | 'limits'>;
  readonly carried: Load;
}

/** The stretch of a listed package that this courier could go, by places, hours and vehicle; undefined: none. */
export function stretchOf(
  parcel: PackageView,
  bids: readonly Bid[],
  { pubkey, policy: { courier }, carried }: Looker,
  nowMs: number,
): Stretch | undefined {
  if (!courier || parcel.shipperPubkey === pubkey || parcel.status !== 'listed') return undefined;
  if (parcel.finality === 'reverted' || parcel.deadline.getTime() <= nowMs) return undefined;
  if (carried.kg + parcel.weightKg > courier.vehicle.maxKg) return undefined;
  if (carried.litres + parcel.volumeLitres > courier.vehicle.maxLitres) return undefined;
  const others = bids.filter(({ agentPubkey }) => agentPubkey !== pubkey);
  return bestStretch(errandOf(parcel, others), courier);
}

/** A package's way, and where bids on it start and end. */
export function errandOf({ originLat, originLng, destLat, destLng }: PackageView, bids: readonly Bid[]): Errand {
  return {
    origin: { lat: originLat, lng: originLng },
    destination: { lat: destLat, lng: destLng },
    bids: bids.map(({ pickupLat, pickupLng, dropoffLat, dropoffLng }) => ({
      pickup: { lat: pickupLat, lng: pickupLng },
      dropoff: { lat: dropoffLat, lng: dropoffLng },
    })),
  };
}

/** The bid on a stretch; undefined when there is no time for it, or it is not worth it. */
export function legalBid(
  parcel: PackageView,
  stretch: Stretch,
  road: Road,
  policy: Looker['policy'],
  nowMs: number,
): LegalBid | undefined {
  // The service counts every leg at the same speed (M-20), the courier at its own.
  const minutes = Math.max(road.durationMin, estimatedDurationMin(road.distanceKm));
  if (!isInTime(stretch.way ?? {}, minutes, parcel.deadline.getTime(), nowMs)) return undefined;
  const price = priceOf(road, stretch.share, parcel.maxBudgetLamports, policy);
  return (
    price && {
      packageId: parcel.id,
      pickup: stretch.pickup,
      dropoff: stretch.dropoff,
      ...road,
      price,
      parcel: {
        description: parcel.description,
        weightKg: parcel.weightKg,
        volumeLitres: parcel.volumeLitres,
        maxBudgetLamports: parcel.maxBudgetLamports,
        deadline: parcel.deadline,
      },
    }
  );
}
