import { assetOf, inAsset, lamportsOf, type ListedAsset, requireSaidIn, solOf, told } from '../ledger/assets.js';
import { amountOf, operations, createUuid, LegworkError, formatSol, toLamports } from '@legwork/protocol/contract';
import {
  expectedPaymentLamports,
  bidExpiresAtMs,
  checkBid,
  checkReceivable,
  MAX_LIVE_BIDS_PER_AGENT,
} from '@legwork/protocol/rules';
import { clientKey } from '../api/limits.js';
import { standingOf } from '../coordinator/chooseChain.js';
import { overBudget } from '../coordinator/newcomers.js';
import { requireDocument, requirePlainAccount, requireWallet, requireNotHalted } from '../operations/guards.js';
import { balanceOf } from '../ledger/accounts.js';
import type { Caller, In, Out } from '../operations/run.js';
import { callToKeep, type KeptCall } from '../identity/signedCalls.js';
import { placeForLeg } from './place.js';
import type { AppContext } from '../context.js';
import type { NewBid, OneOfAgent, Rivals } from './bidRows.js';
import { appendEvents, type NewEvent } from '../db/events.js';
import { type ListedPackageRow, lockPackage } from '../packages/packageRows.js';
import type { PackageRow } from '../db/schema.js';
import { packageSubject } from '../db/listings.js';
import { lineUp } from '../db/transaction.js';
import type { Trx } from '../db/connect.js';
import { listed, PACKAGE } from '../listings/kinds.js';
import { isBiddingOpen } from './read.js';
import { readTerms } from '../ledger/terms.js';

export async function submitBid(context: AppContext, input: In<'submitBid'>, caller: Caller): Out<'submitBid'> {
  const { agentPubkey, packageId, legId } = input;
  requireWallet(context, 'agentPubkey', agentPubkey);
  await requirePlainAccount(context, agentPubkey);
  const call = callToKeep(caller, operations.submitBid, input);
  const bidding: Bidding = { input, call, client: clientKey(caller.ip) };
  // Unsigned bids in an agent's name do not take the turns of its signed ones.
  const turn = { line: packageId, name: `${call ? 'signed' : 'unsigned'} ${agentPubkey}` };
  const { bid, parcel, standing, isConsidered } =
    legId === undefined ? await context.bids.run(bidding, turn) : await placeForLeg(context, bidding, legId);
  if (legId !== undefined) context.wakers.keeper.wake();
  // Without a bidding window it is due now.
  else context.wakers.evaluator.wake(parcel.bidding_closes_at === null ? packageId : undefined);
  context.wakers.sequencer.wake();

  const costLamports = bid.cost_lamports;
  const { assets } = context.ledger;
  const rho = standingOf(context.config, standing);
  // The taker of a vacant leg is paid its full ask.
  const expected =
    legId === undefined ? expectedPaymentLamports(parcel.max_budget_lamports, { costLamports, rho }) : costLamports;
  return {
    answer: {
      id: bid.id,
      packageId,
      agentPubkey,
      ...inAsset(assets, parcel),
      cost: costLamports,
      costSol: solOf(parcel, costLamports),
      costLamports: lamportsOf(parcel, costLamports),
      expectedPayment: expected,
      expectedPaymentLamports: lamportsOf(parcel, expected),
      expiresAt: bid.expires_at,
      createdAt: bid.created_at,
      warning: isConsidered ? await stakeWarning(context, parcel, agentPubkey) : overBudget(agentPubkey),
    },
  };
}

/** A bid that nothing has been decided of yet. */
export interface Bidding {
  input: In<'submitBid'>;
  /** The signed request, to be kept; undefined: nobody signed it. */
  call: KeptCall | undefined;
  /** The caller's address, as limits count it. */
  client: string;
}

/** Waits for the package's turn and locks it. @throws LegworkError `not_found`, `ledger_reverted` */
export async function lockForBids(trx: Trx, packageId: string): Promise<ListedPackageRow> {
  const [, parcel] = await Promise.all([
    lineUp(trx, packageId),
    lockPackage(trx, packageId),
    requireNotHalted(trx, PACKAGE, packageId, 'packageId'),
  ]);
  return listed(PACKAGE, parcel);
}

/** The columns that tell it from its agent's others. */
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
    cost_lamports: amountOf(input.costSol, input.cost),
    reasoning: input.reasoning ?? null,
    call_signature: call?.signature ?? null,
    client,
    expires_at: new Date(bidExpiresAtMs(now.getTime(), input.expiresInSec, parcel.bidding_closes_at?.getTime())),
  };
}

/** @throws LegworkError when a rule of bids refuses it */
export function requireGoodBid(context: AppContext, input: Bidding['input'], parcel: PackageRow, now: Date): void {
  const costLamports = amountOf(input.costSol, input.cost);
  const asset = assetOf(context.ledger.assets, parcel);
  requireDocument(parcel, PACKAGE);
  requireSaidIn(asset, 'cost', input.costSol);
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
        asset,
        deadlineMs: parcel.deadline.getTime(),
        biddingClosesAtMs: parcel.bidding_closes_at?.getTime(),
      },
      now.getTime(),
    ) ??
    // A token account can receive any amount.
    (asset.token === null ? checkReceivable(costLamports, context.ledger.rentExemptMinimum) : undefined);
  if (fault) throw LegworkError.field(fault.code, fault.field, fault.message);
}

/**
 * Signed bids are counted apart from unsigned ones, which anybody can make in the agent's name. Rule M-37.
 *
 * @throws LegworkError `signed_before` when an unsigned bid would replace a signed one, `too_many_bids`
 */
export function requireRoom(bid: NewBid, { same, others }: Rivals): void {
  if (same?.isStanding && same.signed && !bid.signed) {
    throw LegworkError.field(
      'signed_before',
      'agentPubkey',
      `has a signed bid (${same.id}) for these places, which an unsigned one does not replace; sign the request`,
    );
  }
  if (others < MAX_LIVE_BIDS_PER_AGENT) return;
  throw LegworkError.field(
    'too_many_bids',
    'packageId',
    `has ${others} live bids of ${bid.agent_pubkey}, the most there may be; withdraw one, bid again for the places of one ` +
      'of them to replace it, or wait until one expires',
  );
}

/** Tells of bids that are stored; what they cost is hidden while the bidding window is open. */
export function tellOfBids(
  trx: Trx,
  { parcel, asset }: { parcel: PackageRow; asset: ListedAsset },
  bids: readonly NewBid[],
  now: Date,
): void {
  const isHidden = isBiddingOpen(parcel, now);
  const events = bids.map(({ id, agent_pubkey, cost_lamports }): NewEvent => {
    const cost = isHidden ? { costLamports: undefined } : told('cost', asset, cost_lamports);
    return {
      type: 'BID_STORED',
      payload: { packageId: parcel.id, bidId: id, agentPubkey: agent_pubkey, ...cost },
    };
  });
  appendEvents(trx, packageSubject(parcel.id), events);
}

/** The fee of an acceptance, lamports: one signature. */
const FEE_LAMPORTS = 5_000n;

/**
 * The warning to a bidder whose wallet cannot pay the stake as things stand: the bid is considered, and a leg not accepted in time
 * goes to others. Rule S-167.
 *
 * @returns null: it can, or nothing is staked, or the ledger does not say what it has
 */
async function stakeWarning(
  { ledger }: Pick<AppContext, 'ledger'>,
  parcel: Pick<PackageRow, 'asset' | 'terms'>,
  agentPubkey: string,
): Promise<string | null> {
  const { asset, terms } = parcel;
  if (terms === null || assetOf(ledger.assets, { asset }).token !== null) return null;
  const { stake: stakeLamports, handoffSec } = readTerms(terms, parcel);
  const held = await balanceOf(ledger, agentPubkey);
  if (held === undefined) return null;
  // The remainder has to be nothing, or at least the rent minimum.
  const left = held - stakeLamports - FEE_LAMPORTS;
  if (left === 0n || left >= ledger.rentExemptMinimum) return null;
  const needed = toLamports(stakeLamports + FEE_LAMPORTS + ledger.rentExemptMinimum);
  return (
    `${agentPubkey} has ${formatSol(toLamports(held))} SOL, and who wins a leg stakes ${formatSol(stakeLamports)} SOL when it accepts, ` +
    `within ${handoffSec} seconds of being given the leg: have ${formatSol(needed)} SOL by then, with the fee and the rent minimum of a ` +
    'wallet, or anyone can take the leg from you'
  );
}
