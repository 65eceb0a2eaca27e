import { createUuid, lamportsToSolNumber, parseSol, RelayError, type operations } from '@legwork/protocol/contract';
import { bidExpiresAtMs, checkBid, checkReceivable, expectedPaymentLamports } from '@legwork/protocol/rules';
import { standingOf } from '../../coordinator/chooseChain.js';
import { overBudget, withinBudget } from '../../coordinator/newcomers.js';
import type { AppContext } from '../../context.js';
import { standingInMirror } from '../../db/reputations.js';
import { inTransaction, lineUp } from '../../db/transaction.js';
import { lockPackage } from '../../db/packages.js';
import type { BidRow, PackageRow } from '../../db/schema.js';
import { appendEvent } from '../../db/events.js';
import { listedPackage } from '../packages/requirePackage.js';
import { clientKey } from '../../api/limits.js';
import type { Caller, Run } from '../run.js';
import { requirePlainAccount } from '../requirePlainAccount.js';
import { requireWallet } from '../requireWallet.js';
import { isBiddingOpen } from './biddingWindow.js';
import { storeBid } from './storeBid.js';

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
        biddingClosesAtMs: item.bidding_closes_at?.getTime(),
      },
      now.getTime(),
    ) ?? checkReceivable(costLamports, context.ledger.rentExemptMinimum);
  if (fault) throw RelayError.field(fault.code, fault.field, fault.message);
}

async function placeBid(
  context: AppContext,
  input: Input,
  { pubkey, ip }: Caller,
): Promise<{ bid: BidRow; item: PackageRow }> {
  return inTransaction(context.db, async (trx) => {
    await lineUp(trx, input.packageId);
    const item = listedPackage(await lockPackage(trx, input.packageId));
    const now = context.clock();
    requireGoodBid(context, input, item, now);
    const bid = await storeBid(trx, {
      id: createUuid(),
      package_id: item.id,
      agent_pubkey: input.agentPubkey,
      pickup_lat: input.pickupLat,
      pickup_lng: input.pickupLng,
      dropoff_lat: input.dropoffLat,
      dropoff_lng: input.dropoffLng,
      distance_km: input.distanceKm,
      estimated_duration_min: input.estimatedDurationMin,
      cost_lamports: parseSol(input.costSol),
      reasoning: input.reasoning ?? null,
      signed: pubkey === input.agentPubkey,
      client: clientKey(ip),
      expires_at: new Date(bidExpiresAtMs(now.getTime(), input.expiresInSec, item.bidding_closes_at?.getTime())),
    });
    await appendEvent(trx, 'BID_STORED', `package:${item.id}`, {
      packageId: item.id,
      bidId: bid.id,
      agentPubkey: bid.agent_pubkey,
      costLamports: isBiddingOpen(item, now) ? undefined : bid.cost_lamports,
    });
    return { bid, item };
  });
}

export const submitBid: Run<typeof operations.submitBid> = async (context, input, caller) => {
  requireWallet(context, 'agentPubkey', input.agentPubkey);
  await requirePlainAccount(context, input.agentPubkey);
  const { bid, item } = await placeBid(context, input, caller);
  context.wakers.evaluator.wake();
  context.wakers.sequencer.wake();

  const costLamports = bid.cost_lamports;
  const standing = await standingInMirror(context.db, input.agentPubkey);
  const rho = standingOf(context.config, standing);
  const candidate = { agent_pubkey: bid.agent_pubkey, client: bid.client, is_newcomer: standing.is_newcomer };
  const isConsidered = (await withinBudget(context, context.db, [candidate])).length > 0;
  return {
    answer: {
      id: bid.id,
      packageId: item.id,
      agentPubkey: bid.agent_pubkey,
      costSol: lamportsToSolNumber(costLamports),
      costLamports,
      expectedPaymentLamports: expectedPaymentLamports(item.max_budget_lamports, { costLamports, rho }),
      expiresAt: bid.expires_at,
      createdAt: bid.created_at,
      warning: isConsidered ? null : overBudget(bid.agent_pubkey),
    },
  };
};
