import type { LegWithoutResult } from '../db/schema/tasks.js';
import { NONCE_WINDOW_MS, type ProvenCall, proveCall, signedAt, type SignedCall } from '@legwork/protocol/contract';
import {
  allocatePayments,
  chainFault,
  isBidStanding,
  packageTermsHash,
  provesBid,
  provesLegClaim,
  signaturesAskedFor,
} from '@legwork/protocol/rules';
import { isSurelyGood } from '../api/signedRequest.js';
import type { AppContext } from '../context.js';
import {
  type Chosen,
  claimOfLeg,
  type Considered,
  formation,
  isSealed,
  listing,
  type ListingDraft,
  replacement,
} from '../coordinator/decisions.js';
import { type ChosenBid, type Word, wordOfClaim } from '../db/decisions.js';
import { hadLeg, priceOf } from '../legs/openingRows.js';
import type { LeasedIntent } from '../db/outbox.js';
import type { DecisionRow, LegRow, PackageRow } from '../db/schema.js';
import { readWord } from '../identity/signedCalls.js';
import type { SwarmWithLegs } from '../packages/swarmRows.js';
import { clocksOf } from '../ledger/terms.js';

/** The rows that an intent's transaction is made of. */
export type Signable = Formation | Opening | Claim | { draft: ListingDraft };

interface Formation {
  parcel: PackageRow;
  swarm: SwarmWithLegs;
  /** Those that its legs were made of, in carrying order. */
  bids: readonly ChosenBid[];
}

/** A vacant leg, and the bid that gets it. */
interface Opening {
  opening: { parcel: PackageRow; swarm: SwarmWithLegs; leg: LegRow };
  bid: ChosenBid;
}

interface Claim {
  leg: LegWithoutResult & { agent_pubkey: string };
}

/** The rows are not what the coordinator decided: somebody else wrote them. Nothing is signed. */
export class UndecidedError extends Error {
  override readonly name = 'UndecidedError';
}

/** It was decided before this coordinator's decisions were kept, and is to be decided again. Rule M-77. */
export class OutdatedDecisionError extends Error {
  override readonly name = 'OutdatedDecisionError';
}

/**
 * Makes sure that the coordinator decided what is about to be signed: the MAC of its decision over these rows, and where agents
 * are bound, their own signatures, the chain and its payments. It does not choose again. Rule M-76.
 *
 * Settling, cancelling, reclaiming and closing take no decision: no matter who asks for them, the program sends the money to the funder
 * and the rent to those who paid it (P-21, P-50, P-56, P-67, P-89, P-91, P-95, P-97).
 *
 * @throws UndecidedError, OutdatedDecisionError
 */
export async function verifyDecision(context: AppContext, intent: LeasedIntent, rows: Signable): Promise<void> {
  const decision = decisionFor(context, intent);
  const chosen = 'opening' in rows ? await chosenForOpening(context, rows) : chosenIn(intent, rows);
  if (decision.chosen !== JSON.stringify(chosen)) {
    throw new UndecidedError(`what is to be signed is not what was decided at ${decision.decided_at.toISOString()}`);
  }
  const fault = await faultOf(context, decision, rows);
  if (fault !== undefined) throw new UndecidedError(fault);
}

function decisionFor({ ledger }: AppContext, { decision: kept, kind, subject, unique_key }: LeasedIntent): DecisionRow {
  if (kept === null) throw new UndecidedError('nobody decided it');
  const decision = { ...kept, decided_at: new Date(kept.decided_at) };
  const isOwn = decision.kind === kind && decision.subject === subject && decision.unique_key === unique_key;
  if (!isOwn || !isSealed(ledger.decisionKey, decision)) {
    throw new UndecidedError('its decision is not one that the coordinator made');
  }
  if (decision.chosen === null) throw new OutdatedDecisionError('it was decided before decisions were kept');
  return decision;
}

async function chosenForOpening({ db }: AppContext, { opening, bid }: Opening): Promise<Chosen> {
  const maxCostLamports = await priceOf(db, opening.leg);
  return replacement({ ...opening, bid, maxCostLamports });
}

function chosenIn({ kind }: LeasedIntent, rows: Exclude<Signable, Opening>): Chosen {
  if ('swarm' in rows) return formation(rows.parcel, rows.swarm, rows.swarm.legs);
  return 'leg' in rows ? claimOfLeg(kind, rows.leg) : listing(rows.draft);
}

async function faultOf(context: AppContext, decision: DecisionRow, rows: Signable): Promise<string | undefined> {
  if ('swarm' in rows) return formationFault(context, decision, rows);
  if ('opening' in rows) return openingFault(context, decision, rows);
  // A release and a payment follow from an assignment, which the ledger shows.
  return 'leg' in rows && decision.kind === 'assign_task_leg' ? claimFault(context, decision, rows) : undefined;
}

/** Why the rules make no such swarm of the bids as their agents signed them; undefined: they do. */
async function formationFault(
  context: AppContext,
  decision: DecisionRow,
  { parcel, swarm, bids }: Formation,
): Promise<string | undefined> {
  const isOfBids = swarm.legs.every((leg, index) => isOfBid(leg, bids[index], parcel));
  if (!isOfBids || bids.length !== swarm.legs.length) return 'its legs are not its bids';
  for (const bid of bids) {
    const fault = await bidFault(context, decision, bid);
    if (fault !== undefined) return `bid ${bid.id} ${fault}`;
  }
  return chainAndPaymentsFault(decision, { parcel, swarm, bids });
}

/** Why the bid, as its agent signed it, does not get the vacant leg; undefined: it does. */
async function openingFault(context: AppContext, decision: DecisionRow, { opening, bid }: Opening) {
  const { leg, parcel, swarm } = opening;
  if (bid.leg_id !== leg.id || bid.package_id !== parcel.id) return `bid ${bid.id} is for another leg`;
  const maxCostLamports = await priceOf(context.db, leg);
  if (bid.cost_lamports > maxCostLamports) return `bid ${bid.id} asks more than the leg may cost`;
  if (await hadLeg(context.db, swarm.id, bid.agent_pubkey)) return `bid ${bid.id} is of a courier of this package`;
  if (!bid.signed) return `bid ${bid.id} is not signed`;
  const fault = await bidFault(context, decision, bid);
  return fault === undefined ? undefined : `bid ${bid.id} ${fault}`;
}

const COPIED = [
  'agent_pubkey',
  'pickup_lat',
  'pickup_lng',
  'dropoff_lat',
  'dropoff_lng',
  'distance_km',
  'cost_lamports',
] as const;

function isOfBid(leg: LegRow, bid: ChosenBid | undefined, parcel: PackageRow): boolean {
  return bid?.id === leg.bid_id && bid.package_id === parcel.id && COPIED.every((name) => bid[name] === leg[name]);
}

/** The longest that a bid can stand: until a bidding window closes, and a day. */
const OLD_BIDS_STAND_MS = 48 * 3_600_000;
/** The longest that a claim can wait for its turn: until the deadline. */
const OLD_CLAIMS_WAIT_MS = 180 * 24 * 3_600_000;

async function bidFault(context: AppContext, decision: DecisionRow, bid: ChosenBid): Promise<string | undefined> {
  if (!isBidStanding(bid.expires_at.getTime(), decision.decided_at.getTime())) return 'had expired';
  if (bid.signed && bid.call === null) {
    const isOld = bid.expires_at.getTime() < context.decisionsSince.getTime() + OLD_BIDS_STAND_MS;
    return isOld ? undefined : 'is said to be signed, and no call proves it';
  }
  const isProven = (call: ProvenCall) => provesBid(call, storedBid(bid));
  return wordFault(context, decision, { ...bid, isProven });
}

const storedBid = (bid: ChosenBid) => ({
  packageId: bid.package_id,
  legId: bid.leg_id,
  agentPubkey: bid.agent_pubkey,
  pickup: { lat: bid.pickup_lat, lng: bid.pickup_lng },
  dropoff: { lat: bid.dropoff_lat, lng: bid.dropoff_lng },
  distanceKm: bid.distance_km,
  costLamports: bid.cost_lamports,
  expiresAtMs: bid.expires_at.getTime(),
});

/** Why the parcel, the chain and the payments do not belong together by the rules; undefined: they do. */
function chainAndPaymentsFault(decision: DecisionRow, { parcel, swarm, bids }: Formation): string | undefined {
  const origin = { lat: parcel.origin_lat, lng: parcel.origin_lng };
  const destination = { lat: parcel.dest_lat, lng: parcel.dest_lng };
  const { description, weight_kg: weightKg, volume_litres: volumeLitres, max_budget_lamports: budgetLamports } = parcel;
  const { requirements, salt, private_hashes: privateHashes } = parcel;
  const size = { weightKg, volumeLitres };
  const hash = packageTermsHash({ description, origin, destination, ...size, requirements, salt, privateHashes });
  if (hash.hex !== parcel.terms_hash) return 'its package is not the one that was listed';
  const rhos = new Map(JSON.parse(decision.considered ?? '[]') as Considered[]);
  const chain = bids.flatMap((bid) => {
    const rho = rhos.get(bid.id);
    return rho === undefined ? [] : [{ ...storedBid(bid), id: bid.id, rho }];
  });
  if (chain.length < bids.length) return 'a bid of it was not considered';
  const shipperPubkey = parcel.shipper_pubkey;
  const clocks = parcel.terms === null ? undefined : clocksOf(parcel.terms);
  const deadlineMs = parcel.deadline.getTime();
  const target = { origin, destination, budgetLamports, shipperPubkey, deadlineMs, clocks };
  const fault = chainFault(target, chain, decision.decided_at.getTime());
  if (fault !== undefined) return `of its chain, ${fault}`;
  const payments = allocatePayments({ budgetLamports, bids: chain }).map((payment) => payment.paymentLamports);
  const isPaid = swarm.legs.every((leg, index) => leg.agreed_payment_lamports === payments[index]);
  const total = payments.reduce((sum, payment) => sum + payment, 0n);
  return isPaid && total === swarm.total_lamports ? undefined : 'its payments are not those of its bids';
}

async function claimFault(context: AppContext, decision: DecisionRow, { leg }: Claim): Promise<string | undefined> {
  const named = { taskId: leg.task_id, legId: leg.id, agentPubkey: leg.agent_pubkey };
  const word = await wordOfClaim(context.db, leg.id);
  const lastMs = context.decisionsSince.getTime() + OLD_CLAIMS_WAIT_MS;
  const isOld = leg.claimed_at !== null && leg.claimed_at < context.decisionsSince;
  if (leg.signed && word.call === null && isOld && decision.decided_at.getTime() < lastMs) return undefined;
  const isProven = (call: ProvenCall) => provesLegClaim(call, named);
  return wordFault(context, decision, { ...leg, ...word, signed: leg.signed ?? false, isProven });
}

/** A row that binds an agent, with what is kept of the agent's word. */
interface BindingRow extends Word {
  agent_pubkey: string;
  signed: boolean;
  isProven: (call: ProvenCall) => boolean;
}

/**
 * Why the agent is not bound: what it signed is something else, or it had signed before and let no unsigned call bind it. Keys that
 * have signed are known by their calls alone, not by what the database says of them. Rules M-38, S-16.
 *
 * @throws OutdatedDecisionError when unsigned calls bind nobody any more
 */
async function wordFault(context: AppContext, decision: DecisionRow, row: BindingRow): Promise<string | undefined> {
  if (row.call !== null) {
    const call = prove(row.call);
    return call && row.isProven(call) ? undefined : 'is not what its agent signed';
  }
  const { unsignedCalls } = context.config;
  if (unsignedCalls === 'none' && !row.signed) throw new OutdatedDecisionError('unsigned calls bind nobody any more');
  if (!row.has_signed) return undefined;
  const { first, profiles } = await readWord(context.db, row.agent_pubkey);
  const at = decision.decided_at.getTime();
  const asked = askedForAt(profiles, at);
  const hadSigned = first !== undefined && isSurelyBefore(signedAt(first, isSurelyGood), at);
  const isBound = unsignedCalls === 'all' ? asked !== true : asked === false || !hadSigned;
  return isBound ? undefined : 'is not signed, and its agent takes part by signed calls only';
}

const prove = (call: SignedCall) => proveCall(call, isSurelyGood);

/** Its time is by the clock of its signer. */
function isSurelyBefore(signedAtMs: number | undefined, atMs: number): boolean {
  return signedAtMs !== undefined && signedAtMs + NONCE_WINDOW_MS < atMs;
}

/** The key's choice by its profile at that instant; of two answers that may have been the last, unsigned calls. */
function askedForAt(profiles: readonly SignedCall[], atMs: number): boolean | undefined {
  // By the time that was signed, whatever the database says of their order.
  const calls = profiles.flatMap((profile) => prove(profile) ?? []).sort((a, b) => b.signedAtMs - a.signedAtMs);
  for (const call of calls) {
    const asked = signaturesAskedFor(call);
    if (asked === undefined || call.signedAtMs - NONCE_WINDOW_MS > atMs) continue;
    if (!asked || isSurelyBefore(call.signedAtMs, atMs)) return asked;
  }
  return undefined;
}
