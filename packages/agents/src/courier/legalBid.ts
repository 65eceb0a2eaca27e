import { estimatedDurationMin } from '@legwork/sdk';
import type { Bid, PackageView } from '@legwork/sdk';
import { withSlack } from '../engine/agreement.js';
import type { Tell } from '../engine/reasons.js';
import type { Policy } from '../policy/policy.js';
import type { LegalBid } from './advice.js';
import type { Load } from './parcels.js';
import { priceOf } from './price.js';
import type { Road } from './price.js';
import type { Errand, Stretch } from './stretch.js';
import { isInTime } from './trip.js';

/** Who looks, and what it carries, or may have to carry, already. */
export interface Looker {
  readonly pubkey: string;
  readonly policy: Pick<Policy, 'courier' | 'limits'>;
  readonly carried: Load;
}

/** Whether this courier could carry a listed package at all: it is not its own, and fits its vehicle beside what it carries. */
export function couldCarry(
  parcel: PackageView,
  { pubkey, policy: { courier }, carried }: Looker,
  nowMs: number,
  tell: Tell = nobody,
): boolean {
  if (!courier || parcel.shipperPubkey === pubkey || parcel.status !== 'listed') return false;
  if (parcel.finality === 'reverted' || parcel.deadline.getTime() <= nowMs) return false;
  const { maxKg, maxLitres } = courier.vehicle;
  const load = { kg: carried.kg + parcel.weightKg, litres: carried.litres + parcel.volumeLitres };
  if (load.kg <= maxKg && load.litres <= maxLitres) return true;
  const [what, most] =
    load.kg > maxKg ? [`${load.kg} kg`, `maxKg is ${maxKg}`] : [`${load.litres} l`, `maxLitres is ${maxLitres}`];
  tell('vehicle', `with it the vehicle would carry ${what}, but courier.vehicle.${most}`);
  return false;
}

const nobody: Tell = () => undefined;

/** A package's way, and where the bids of others on it start and end. */
export function errandOf(
  { originLat, originLng, destLat, destLng }: PackageView,
  bids: readonly Bid[],
  pubkey: string,
): Errand {
  const others = bids.filter(({ agentPubkey }) => agentPubkey !== pubkey);
  return {
    origin: { lat: originLat, lng: originLng },
    destination: { lat: destLat, lng: destLng },
    bids: others.map(({ pickupLat, pickupLng, dropoffLat, dropoffLng }) => ({
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
  tell: Tell = nobody,
): LegalBid | undefined {
  // The service counts every leg at the same speed (M-20), the courier at its own.
  const minutes = Math.max(road.durationMin, estimatedDurationMin(road.distanceKm));
  // A leg that it would not begin, it does not bid for.
  const needed = parcel.terms && policy.courier ? withSlack(minutes, policy.courier.slack) : minutes;
  if (!isInTime(stretch.way ?? {}, needed, parcel.deadline.getTime(), nowMs)) {
    const hours = stretch.way ? ', setting out on the days and in the hours of courier.itinerary' : '';
    tell('time', `${needed} minutes${hours} end after its deadline, ${parcel.deadline.toISOString()}`);
    return undefined;
  }
  const price = priceOf(road, stretch.share, parcel.maxBudgetLamports, policy, tell);
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
