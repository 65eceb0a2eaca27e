import { type Bid, lamportsToSolNumber } from '@legwork/protocol/contract';
import type { BidWithFate } from '../../db/bids.js';
import type { BidRow, PackageRow } from '../../db/schema.js';

/** @param sealed whether to hide cost and reasoning, as while the bidding window is open */
export function viewBid(row: BidWithFate, sealed: boolean): Bid {
  return { ...viewOffer(row, sealed), status: statusOf(row) };
}

/** What the agent offered, without what became of it. */
export function viewOffer(row: BidRow, sealed: boolean): Omit<Bid, 'status'> {
  return {
    id: row.id,
    packageId: row.package_id,
    legId: row.leg_id,
    agentPubkey: row.agent_pubkey,
    pickupLat: row.pickup_lat,
    pickupLng: row.pickup_lng,
    dropoffLat: row.dropoff_lat,
    dropoffLng: row.dropoff_lng,
    distanceKm: row.distance_km,
    estimatedDurationMin: row.estimated_duration_min,
    costSol: sealed ? null : lamportsToSolNumber(row.cost_lamports),
    costLamports: sealed ? null : row.cost_lamports,
    reasoning: sealed ? null : row.reasoning,
    signed: row.signed,
    expiresAt: row.expires_at,
    createdAt: row.created_at,
  };
}

function statusOf(row: BidWithFate): Bid['status'] {
  if (row.chosen_in !== null) return 'chosen';
  if (row.ended_because !== null) return row.ended_because;
  return row.is_expired ? 'expired' : 'live';
}

/** Whether the bidding window is open, and bidders' costs are hidden from each other. Rule M-35. */
export function isBiddingOpen(
  { bidding_closes_at: closesAt }: Pick<PackageRow, 'bidding_closes_at'>,
  now: Date,
): boolean {
  return closesAt !== null && now < closesAt;
}
