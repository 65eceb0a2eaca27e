import { createUuid, lamportsToSolNumber, operations, parseSol, RelayError } from '@legwork/protocol/contract';
import {
  bidExpiresAtMs,
  checkBid,
  checkReceivable,
  expectedPaymentLamports,
  MAX_LIVE_BIDS_PER_AGENT,
} from '@legwork/protocol/rules';
import { clientKey } from '../../api/limits.js';
import type { AppContext } from '../../context.js';
import { standingOf } from '../../coordinator/chooseChain.js';
import { overBudget, withinBudget } from '../../coordinator/newcomers.js';
import { endBid, findRivals, insertBid, type NewBid } from '../../db/bids.js';
import { standingInMirror } from '../../db/reputations.js';
import { packageSubject } from '../../db/subjects.js';
import { inTransaction, lineUp } from '../../db/transaction.js';
import type { Trx } from '../../db/connect.js';
import { lockPackage } from '../../db/packages.js';
import type { BidRow, PackageRow } from '../../db/schema.js';
import { keepBindingCall, type KeptCall } from '../../db/signedCalls.js';
import { appendEvent } from '../../db/events.js';
import { requireNotHalted, requirePlainAccount, requireWallet } from '../guards.js';
import { listedPackage, PACKAGE } from '../packages/guards.js';
import type { Caller, Run } from '../run.js';
import { callToKeep } from '../signedCalls.js';
import { placeOpeningBid } from './openingBid.js';
import { requireQualified } from '../qualified.js';
import { isBiddingOpen } from './view.js';

type Input = Parameters<Run<typeof operations.submitBid>>[1];

export const submitBid: Run<typeof operations.submitBid> = async (context, input, caller) => {
  requireWallet(context, 'agentPubkey', input.agentPubkey);
  await requirePlainAccount(context, input.agentPubkey);
  const { bid, parcel } = await placeBid(context, input, caller);
  context.wakers[input.legId === undefined ? 'evaluator' : 'keeper'].wake();
  context.wakers.sequencer.wake();

  const costLamports = bid.cost_lamports;
  const standing = await standingInMirror(context.db, input.agentPubkey);
  const rho = standingOf(context.config, standing);
  const candidate = { agent_pubkey: bid.agent_pubkey, client: bid.client, is_newcomer: standing.is_newcomer };
  const isConsidered = (await withinBudget(context, context.db, [candidate])).length > 0;
  return {
    answer: {
      id: bid.id,
      packageId: parcel.id,
      agentPubkey: bid.agent_pubkey,
      costSol: lamportsToSolNumber(costLamports),
      costLamports,
      // Who takes a vacant leg is paid what it asks.
      expectedPaymentLamports: bid.leg_id
        ? costLamports
        : expectedPaymentLamports(parcel.max_budget_lamports, { costLamports, rho }),
      expiresAt: bid.expires_at,
      createdAt: bid.created_at,
      warning: isConsidered ? null : overBudget(bid.agent_pubkey),
    },
  };
};

/** @throws RelayError when a rule of bids refuses it */
function requireGoodBid(context: AppContext, input: Input, parcel: PackageRow, now: Date): void {
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

async function placeBid(
  context: AppContext,
  input: Input,
  caller: Caller,
): Promise<{ bid: BidRow; parcel: PackageRow }> {
  const call = callToKeep(caller, operations.submitBid, input);
  return inTransaction(context.db, async (trx) => {
    await lineUp(trx, input.packageId);
    const parcel = listedPackage(await lockPackage(trx, input.packageId));
    await requireNotHalted(trx, PACKAGE, parcel.id, 'packageId');
    const now = context.clock();
    const signed = call !== undefined;
    await requireQualified(trx, parcel, { agentPubkey: input.agentPubkey, signed });
    requireGoodBid(context, input, parcel, now);
    const stored = {
      id: createUuid(),
      package_id: parcel.id,
      leg_id: input.legId ?? null,
      agent_pubkey: input.agentPubkey,
      pickup_lat: input.pickupLat,
      pickup_lng: input.pickupLng,
      dropoff_lat: input.dropoffLat,
      dropoff_lng: input.dropoffLng,
      distance_km: input.distanceKm,
      estimated_duration_min: input.estimatedDurationMin,
      cost_lamports: parseSol(input.costSol),
      reasoning: input.reasoning ?? null,
      signed,
      call_signature: call?.signature ?? null,
      client: clientKey(caller.ip),
      expires_at: new Date(bidExpiresAtMs(now.getTime(), input.expiresInSec, parcel.bidding_closes_at?.getTime())),
    };
    const { legId } = input;
    const bid =
      legId === undefined
        ? await storeBid(trx, stored, call)
        : await storeOpeningBid(trx, { parcel, legId, now }, stored, call);
    await appendEvent(trx, 'BID_STORED', packageSubject(parcel.id), {
      packageId: parcel.id,
      bidId: bid.id,
      agentPubkey: bid.agent_pubkey,
      costLamports: isBiddingOpen(parcel, now) ? undefined : bid.cost_lamports,
    });
    return { bid, parcel };
  });
}

/**
 * Signed bids are counted apart from unsigned ones, which anybody can make in the agent's name. Rule M-37.
 *
 * @throws RelayError `too_many_bids`
 */
function requireRoom(bid: NewBid, live: number): void {
  if (live < MAX_LIVE_BIDS_PER_AGENT) return;
  throw RelayError.field(
    'too_many_bids',
    'packageId',
    `has ${live} live bids of ${bid.agent_pubkey}, the most there may be; withdraw one, bid again for the places of one ` +
      'of them to replace it, or wait until one expires',
  );
}

/** Stores a bid for a vacant leg. It is signed: its package has terms. */
async function storeOpeningBid(
  trx: Trx,
  asked: { parcel: PackageRow; legId: string; now: Date },
  bid: NewBid,
  call: KeptCall | undefined,
): Promise<BidRow> {
  if (call) await keepBindingCall(trx, call);
  return placeOpeningBid(trx, asked, bid);
}

/**
 * Stores the bid, which makes an evaluation due, and ends the agent's live bid for the same pickup and drop-off. The caller
 * holds the package's lock.
 *
 * @throws RelayError `signed_before` when an unsigned bid would replace a signed one, `too_many_bids`
 */
async function storeBid(trx: Trx, bid: NewBid, call: KeptCall | undefined): Promise<BidRow> {
  const { same, others } = await findRivals(trx, bid);
  if (same?.isStanding && same.signed && !bid.signed) {
    throw RelayError.field(
      'signed_before',
      'agentPubkey',
      `has a signed bid (${same.id}) for these places, which an unsigned one does not replace; sign the request`,
    );
  }
  if (same) await endBid(trx, same.id, 'replaced');
  requireRoom(bid, others);
  if (call) await keepBindingCall(trx, call);
  return insertBid(trx, bid);
}
