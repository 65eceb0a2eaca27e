import { createUuid, type operations, parseSol, RelayError } from '@legwork/protocol/contract';
import { bidExpiresAtMs, checkBid, checkReceivable, MAX_LIVE_BIDS_PER_AGENT } from '@legwork/protocol/rules';
import type { AppContext } from '../../context.js';
import type { NewBid, OneOfAgent, Rivals } from '../../db/bids.js';
import { appendEvents, type NewEvent } from '../../db/events.js';
import { type ListedPackageRow, lockPackage } from '../../db/packages.js';
import type { PackageRow } from '../../db/schema.js';
import type { KeptCall } from '../../db/signedCalls.js';
import { packageSubject } from '../../db/subjects.js';
import { lineUp } from '../../db/transaction.js';
import type { Trx } from '../../db/connect.js';
import { requireNotHalted } from '../guards.js';
import { listedPackage, PACKAGE } from '../packages/guards.js';
import type { Run } from '../run.js';
import { isBiddingOpen } from './view.js';

/** A bid that nothing has been decided of yet. */
export interface Bidding {
  input: Parameters<Run<typeof operations.submitBid>>[1];
  /** The signed request, to be kept; undefined: nobody signed it. */
  call: KeptCall | undefined;
  /** The caller's address, as limits count it. */
  client: string;
}

/** Waits for the package's turn and locks it. @throws RelayError `not_found`, `ledger_reverted` */
export async function lockForBids(trx: Trx, packageId: string): Promise<ListedPackageRow> {
  const [, parcel] = await Promise.all([
    lineUp(trx, packageId),
    lockPackage(trx, packageId),
    requireNotHalted(trx, PACKAGE, packageId, 'packageId'),
  ]);
  return listedPackage(parcel);
}

/** What tells it from its agent's others. */
export function oneOfAgent({ input, call }: Bidding): OneOfAgent {
  return {
    agent_pubkey: input.agentPubkey,
    signed: call !== undefined,
    pickup_lat: input.pickupLat,
    pickup_lng: input.pickupLng,
    dropoff_lat: input.dropoffLat,
    dropoff_lng: input.dropoffLng,
  };
}

/** The bid as it is stored unless it is refused. */
export function newBid(bidding: Bidding, parcel: PackageRow, now: Date): NewBid {
  const { input, call, client } = bidding;
  return {
    ...oneOfAgent(bidding),
    id: createUuid(),
    package_id: parcel.id,
    leg_id: input.legId ?? null,
    distance_km: input.distanceKm,
    estimated_duration_min: input.estimatedDurationMin,
    cost_lamports: parseSol(input.costSol),
    reasoning: input.reasoning ?? null,
    call_signature: call?.signature ?? null,
    client,
    expires_at: new Date(bidExpiresAtMs(now.getTime(), input.expiresInSec, parcel.bidding_closes_at?.getTime())),
  };
}

/** @throws RelayError when a rule of bids refuses it */
export function requireGoodBid(context: AppContext, input: Bidding['input'], parcel: PackageRow, now: Date): void {
  const costLamports = parseSol(input.costSol);
  const fault =
    checkBid(
      {
        agentPubkey: input.agentPubkey,
        pickup: { lat: input.pickupLat, lng: input.pickupLng },
        dropoff: { lat: input.dropoffLat, lng: input.dropoffLng },
        distanceKm: input.distanceKm,
        costLamports,
        expiresInSec: input.expiresInSec,
      },
      {
        // A vacant leg takes bids while its package is in transit.
        status: input.legId === undefined ? parcel.status : 'listed',
        shipperPubkey: parcel.shipper_pubkey,
        budgetLamports: parcel.max_budget_lamports,
        deadlineMs: parcel.deadline.getTime(),
        biddingClosesAtMs: parcel.bidding_closes_at?.getTime(),
      },
      now.getTime(),
    ) ?? checkReceivable(costLamports, context.ledger.rentExemptMinimum);
  if (fault) throw RelayError.field(fault.code, fault.field, fault.message);
}

/**
 * Signed bids are counted apart from unsigned ones, which anybody can make in the agent's name. Rule M-37.
 *
 * @throws RelayError `signed_before` when an unsigned bid would replace a signed one, `too_many_bids`
 */
export function requireRoom(bid: NewBid, { same, others }: Rivals): void {
  if (same?.isStanding && same.signed && !bid.signed) {
    throw RelayError.field(
      'signed_before',
      'agentPubkey',
      `has a signed bid (${same.id}) for these places, which an unsigned one does not replace; sign the request`,
    );
  }
  if (others < MAX_LIVE_BIDS_PER_AGENT) return;
  throw RelayError.field(
    'too_many_bids',
    'packageId',
    `has ${others} live bids of ${bid.agent_pubkey}, the most there may be; withdraw one, bid again for the places of one ` +
      'of them to replace it, or wait until one expires',
  );
}

/** Tells of bids that are stored; what they cost is hidden while the bidding window is open. */
export async function tellOfBids(trx: Trx, parcel: PackageRow, bids: readonly NewBid[], now: Date): Promise<void> {
  const isHidden = isBiddingOpen(parcel, now);
  const events = bids.map(({ id, agent_pubkey, cost_lamports }): NewEvent => {
    const costLamports = isHidden ? undefined : cost_lamports;
    return {
      type: 'BID_STORED',
      payload: { packageId: parcel.id, bidId: id, agentPubkey: agent_pubkey, costLamports },
    };
  });
  await appendEvents(trx, packageSubject(parcel.id), events);
}
