import type { PackageDetail, PackageView } from '@legwork/sdk';
import type { Opening } from '../engine/market.js';
import type { CourierPolicy } from '../policy/policy.js';
import { bestStretch } from './stretch.js';
import type { Stretch } from './stretch.js';

/** A vacant leg as if it were a package of its own: its way, and the most that a bid may ask for all of it. */
export function asParcel(parcel: PackageDetail, { pickup, dropoff, maxCostLamports, closesAt }: Opening): PackageView {
  return {
    ...parcel,
    status: 'listed',
    originLat: pickup.lat,
    originLng: pickup.lng,
    destLat: dropoff.lat,
    destLng: dropoff.lng,
    maxBudgetLamports: maxCostLamports,
    biddingClosesAt: closesAt,
  };
}

/** The whole way of a vacant leg, if it suits the courier: its places are given. Rule A-35. */
export function wholeStretch({ pickup, dropoff }: Opening, courier: CourierPolicy): Stretch | undefined {
  const stretch = bestStretch({ origin: pickup, destination: dropoff, bids: [] }, courier);
  return stretch?.fit === 'whole' ? stretch : undefined;
}
