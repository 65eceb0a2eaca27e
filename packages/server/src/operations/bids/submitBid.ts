import {
  bidExpiresAtMs,
  checkBid,
  checkReceivable,
  createUuid,
  expectedPaymentLamports,
  lamportsToSolNumber,
  parseSol,
  RelayError,
  type operations,
} from '@agent-relay/protocol';
import { standingOf } from '../../chain/coordinator/chooseChain.js';
import type { AppContext } from '../../context.js';
import { replaceBid, standingInMirror } from '../../db/bids.js';
import { isListed, lockPackage, scheduleEvaluation } from '../../db/packages.js';
import type { PackageRow } from '../../db/schema.js';
import { inTransaction } from '../../db/transaction.js';
import { appendEvent } from '../../events/appendEvent.js';
import type { Run } from '../implement.js';
import { requireWallet } from '../requireWallet.js';
import { requireCourierAccount } from './requireCourierAccount.js';

type Input = Parameters<Run<typeof operations.submitBid>>[1];

/** @throws RelayError when a rule of bids refuses it */
function requireGoodBid(context: AppContext, input: Input, item: PackageRow, now: Date): void {
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
        status: item.status,
        shipperPubkey: item.shipper_pubkey,
        budgetLamports: item.max_budget_lamports,
        deadlineMs: item.deadline.getTime(),
      },
      now.getTime(),
    ) ?? checkReceivable(costLamports, context.chain.rentExemptMinimum);
  if (fault) throw RelayError.field(fault.code, fault.field, fault.message);
}

export const submitBid: Run<typeof operations.submitBid> = async (context, input) => {
  requireWallet(context, 'agentPubkey', input.agentPubkey);
  await requireCourierAccount(context, input.agentPubkey);
  const costLamports = parseSol(input.costSol);
  const stored = await inTransaction(context.db, async (trx) => {
    const item = await lockPackage(trx, input.packageId);
    if (!item || !isListed(item)) throw RelayError.field('not_found', 'packageId', 'no listed package has this id');
    const now = context.clock();
    requireGoodBid(context, input, item, now);
    const bid = await replaceBid(trx, {
      id: createUuid(),
      package_id: item.id,
      agent_pubkey: input.agentPubkey,
      pickup_lat: input.pickupLat,
      pickup_lng: input.pickupLng,
      dropoff_lat: input.dropoffLat,
      dropoff_lng: input.dropoffLng,
      distance_km: input.distanceKm,
      estimated_duration_min: input.estimatedDurationMin,
      cost_lamports: costLamports,
      reasoning: input.reasoning ?? null,
      expires_at: new Date(bidExpiresAtMs(now.getTime(), input.expiresInSec)),
    });
    await scheduleEvaluation(trx, item.id);
    await appendEvent(trx, 'BID_STORED', `package:${item.id}`, {
      packageId: item.id,
      bidId: bid.id,
      agentPubkey: bid.agent_pubkey,
      costLamports: bid.cost_lamports,
    });
    return { bid, item };
  });
  context.wake.evaluator();
  context.wake.sequencer();

  const rho = standingOf(context.config, await standingInMirror(context.db, input.agentPubkey));
  return {
    answer: {
      id: stored.bid.id,
      packageId: stored.item.id,
      agentPubkey: stored.bid.agent_pubkey,
      costSol: lamportsToSolNumber(stored.bid.cost_lamports),
      costLamports: stored.bid.cost_lamports,
      expectedPaymentLamports: expectedPaymentLamports(stored.item.max_budget_lamports, { costLamports, rho }),
      expiresAt: stored.bid.expires_at,
      createdAt: stored.bid.created_at,
    },
  };
};
