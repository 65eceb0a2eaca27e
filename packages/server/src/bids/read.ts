import { type Assets, inAsset, lamportsOf, solOf } from '../ledger/assets.js';
import { type Bid, type AgentBid, toLamports } from '@legwork/protocol/contract';
import { type BidWithFate, pageOfBids } from './bidRows.js';
import type { BidRow, PackageRow } from '../db/schema.js';
import { cutPage, idPosition, readCursor } from '../operations/cursor.js';
import { requirePackage } from '../listings/kinds.js';
import type { AppContext } from '../context.js';
import type { Caller, In, Out } from '../operations/run.js';
import { type AgentBidRow, pageOfAgentBids } from './agentBidRows.js';

/** By what a bid is shown. */
interface ShownBid {
  assets: Assets;
  /** The listing, whose asset the cost counts. */
  parcel: { asset: number };
  /** True if cost and reasoning are hidden, as while the bidding window is open. */
  sealed: boolean;
}

export function viewBid(shown: ShownBid, row: BidWithFate): Bid {
  return { ...viewOffer(shown, row), status: statusOf(row) };
}

/** The offer of the agent, without its outcome. */
function viewOffer({ assets, parcel, sealed }: ShownBid, row: BidRow): Omit<Bid, 'status'> {
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
    ...inAsset(assets, parcel),
    cost: sealed ? null : row.cost_lamports,
    costSol: sealed ? null : solOf(parcel, row.cost_lamports),
    costLamports: sealed ? null : lamportsOf(parcel, row.cost_lamports),
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

/** Reports whether the bidding window is open, and bidders' costs are hidden from each other. Rule M-35. */
export function isBiddingOpen(
  { bidding_closes_at: closesAt }: Pick<PackageRow, 'bidding_closes_at'>,
  now: Date,
): boolean {
  return closesAt !== null && now < closesAt;
}

export async function listBids(
  { db, ledger, clock }: AppContext,
  input: In<'listBids'>,
  caller: Caller,
): Out<'listBids'> {
  const [before] = readCursor(idPosition, input.cursor) ?? [];
  const parcel = await requirePackage(db, input.packageId);
  const isOpen = isBiddingOpen(parcel, clock());
  const rows = await pageOfBids(db, { packageId: parcel.id, before, limit: input.limit + 1 });
  const { page, nextCursor } = cutPage(rows, input.limit, (row) => [row.id]);
  return {
    answer: page.map((row) =>
      viewBid({ assets: ledger.assets, parcel, sealed: isOpen && row.agent_pubkey !== caller.pubkey }, row),
    ),
    nextCursor,
  };
}

export async function listAgentBids(
  { db, ledger, clock }: AppContext,
  input: In<'listAgentBids'>,
  caller: Caller,
): Out<'listAgentBids'> {
  const { agentPubkey, limit } = input;
  const [before] = readCursor(idPosition, input.cursor) ?? [];
  const rows = await pageOfAgentBids(db, { agentPubkey, before, limit: limit + 1 });
  const { page, nextCursor } = cutPage(rows, limit, (row) => [row.id]);
  const [isOwn, now] = [caller.pubkey === agentPubkey, clock()];
  return { answer: page.map((row) => viewAgentBid(ledger.assets, row, !isOwn && isBiddingOpen(row, now))), nextCursor };
}

function viewAgentBid(assets: Assets, row: AgentBidRow, sealed: boolean): AgentBid {
  const { chosen_as: leg, winner } = row;
  const fate = fateOf(row);
  return {
    ...viewOffer({ assets, parcel: row, sealed }, row),
    fate,
    chosenAs: leg && {
      swarmId: leg.swarmId,
      legId: leg.legId,
      legIndex: leg.legIndex,
      payment: toLamports(BigInt(leg.payment)),
      paymentLamports: lamportsOf(row, toLamports(BigInt(leg.payment))),
    },
    lostTo:
      fate === 'lost' && winner
        ? {
            swarmId: winner.swarmId,
            totalLegs: winner.totalLegs,
            cost: toLamports(BigInt(winner.cost)),
            costLamports: lamportsOf(row, toLamports(BigInt(winner.cost))),
            total: toLamports(BigInt(winner.total)),
            totalLamports: lamportsOf(row, toLamports(BigInt(winner.total))),
          }
        : null,
    packageStatus: row.package_status,
    packageDescription: row.package_description,
  };
}

/** Rule S-135. */
function fateOf(row: AgentBidRow): AgentBid['fate'] {
  if (row.chosen_as !== null) return 'chosen';
  if (row.stood_at_end) return 'lost';
  return row.ended_because ?? (row.is_expired ? 'expired' : 'live');
}
