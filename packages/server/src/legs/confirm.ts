import { LegworkError } from '@legwork/protocol/contract';
import { keyMoves, paysEarly } from '@legwork/protocol/rules';
import type { AppContext } from '../context.js';
import type { PackageRow } from '../db/schema.js';
import type { Db, Trx } from '../db/connect.js';
import { address, createNoopSigner, type Instruction } from '@solana/kit';
import { confirmLegInstruction } from '../ledger/moveInstructions.js';
import { clockedListing, ofPackage } from './moveRows.js';
import { packageOfLeg } from '../packages/packageRows.js';
import { swarmOfLeg } from '../packages/swarmRows.js';
import { inOrder } from '../db/transaction.js';
import { readLedgerTime } from '../ledger/ledger.js';
import { type LegInSwarm, confirms, hasOpenLegsBefore } from '../packages/mirrorPackage.js';
import { buildConfirmLeg, recipientsOf } from '../ledger/packageInstructions.js';
import { haltedError } from '../operations/guards.js';
import { PACKAGE } from '../listings/kinds.js';
import type { Caller, In, Out } from '../operations/run.js';
import { readFinality, readHalted } from '../db/finality.js';
import { readConfirmation } from './legRows.js';
import { packageSubject, subjectOfLeg } from '../db/listings.js';
import { catchUp } from '../mirror/applyLanded.js';
import { poll } from '../waiting.js';
import { landProof, type Proof, readProof } from '../operations/proof.js';

/** A leg, and whether the ledger took back what its package stands on. */
type Found = LegInSwarm & { isHalted: boolean };

/** @throws LegworkError `not_found` */
async function requireLeg(db: Db | Trx, legId: string): Promise<Found> {
  const [swarm, parcel, isHalted] = await inOrder(db, (on) =>
    Promise.all([swarmOfLeg(on, legId), packageOfLeg(on, legId), readHalted(on, subjectOfLeg(legId))]),
  );
  const leg = swarm?.legs.find((candidate) => candidate.id === legId);
  if (!swarm || !leg || !parcel) {
    throw LegworkError.field('not_found', 'legId', 'no leg has this id, or another courier took its place');
  }
  return { leg, swarm, parcel, isHalted };
}

/** @throws LegworkError `ledger_reverted` */
function refuseHalted({ isHalted }: Found): void {
  if (isHalted) throw haltedError(PACKAGE, 'legId');
}

/**
 * Refuses a leg whose turn it is not: the swarm must be active, and every earlier leg completed.
 *
 * @throws LegworkError `invalid_status`, `leg_out_of_order`
 */
function requireTurn({ leg, swarm }: LegInSwarm): void {
  if (swarm.status !== 'active') {
    throw LegworkError.field(
      'invalid_status',
      'legId',
      `the swarm of this leg is ${swarm.status}; a leg can be confirmed while its swarm is active`,
    );
  }
  const turn = swarm.legs.find((candidate) => candidate.status === 'pending');
  if (turn?.id !== leg.id) {
    const next = turn ? `leg ${turn.leg_index} (${turn.id}) is next` : 'every leg is completed';
    throw LegworkError.field(
      'leg_out_of_order',
      'legId',
      `legs are confirmed in order and this is leg ${leg.leg_index}; ${next}`,
    );
  }
}

/**
 * Refuses to build what the program would refuse: with terms, a leg is confirmed once it is carried, and the next courier has accepted.
 * Paying before anybody has the parcel is another build, for a caller that says so. Rule T-97.
 *
 * @throws LegworkError `invalid_status`
 */
async function requireConfirmable(
  { ledger }: AppContext,
  { leg, swarm, parcel }: LegInSwarm,
  recipient: string,
): Promise<void> {
  if (parcel.terms === null) return;
  const now = await readLedgerTime(ledger);
  const { actions } = keyMoves(clockedListing(parcel, swarm.legs), leg.leg_index, recipient, now.getTime());
  if (!actions.includes('confirm')) {
    throw LegworkError.field(
      'invalid_status',
      'legId',
      `is ${leg.stage} by the terms of its package, and ${recipient} cannot confirm it now; GET /turns?pubkey=${recipient} says what it can do`,
    );
  }
  if (leg.stage !== null && paysEarly('confirm', leg.stage)) {
    throw LegworkError.field(
      'invalid_status',
      'legId',
      `is of a parcel that nobody has picked up, and confirming pays ${leg.agent_pubkey} at once. Wait until the parcel is there; if you mean it, build it with POST /turns/build-tx and evenBeforePickup: true`,
    );
  }
}

/** The leg that can be confirmed now, and by whom. @throws LegworkError as `buildConfirmTx` */
async function requireConfirmation(context: AppContext, legId: string) {
  const found = await requireLeg(context.db, legId);
  refuseHalted(found);
  requireTurn(found);
  const [recipientPubkey] = recipientsOf(found.swarm, found.leg, found.parcel);
  await requireConfirmable(context, found, recipientPubkey);
  return { found, recipientPubkey };
}

/** The confirmation of a leg, if it can be confirmed now. @throws LegworkError as `buildConfirmTx` */
export async function confirmInstruction(
  context: AppContext,
  legId: string,
): Promise<{ about: PackageRow; instruction: Instruction }> {
  const { found, recipientPubkey } = await requireConfirmation(context, legId);
  const recipient = createNoopSigner(address(recipientPubkey));
  const instruction = await confirmLegInstruction(context.ledger, ofPackage(found), recipient);
  return { about: found.parcel, instruction };
}

export async function buildConfirmTx(context: AppContext, { legId }: In<'buildConfirmTx'>): Out<'buildConfirmTx'> {
  const { found, recipientPubkey } = await requireConfirmation(context, legId);
  const { leg, swarm } = found;
  return {
    answer: {
      legId,
      legIndex: leg.leg_index,
      isFinal: leg.leg_index === swarm.total_legs - 1,
      recipientPubkey,
      ...(await buildConfirmLeg(context.ledger, found)),
    },
  };
}

/** How long an answer waits for the settlement. Rule S-70. */
const ANSWER_WITHIN_MS = 5_000;

const BUILT_BY = 'POST /swarms/legs/:legId/build-confirm-tx';

export async function confirmLeg(
  context: AppContext,
  { legId, ...given }: In<'confirmLeg'>,
  caller: Caller,
): Out<'confirmLeg'> {
  const seen = await requireLeg(context.db, legId);
  requireRecipient(seen, caller.pubkey);
  refuseHalted(seen);
  const proof = readProof(context.ledger, given);
  const found = await withEarlierLegs(context, seen);
  if (found.leg.status === 'pending') {
    requireTurn(found);
    await landConfirmation(context, found, proof);
  }
  caller.tell?.('The confirmation is recorded; after the last leg the ledger is to settle the package.');
  const { leg, finality } = await untilSettled(context, found, proof);
  const { status, confirm_signature: signature, swarm_status: swarmStatus, settle_signature: settleSignature } = leg;
  requireSame(signature, proof);
  return { answer: { legId, status, finality, swarmStatus, settleSignature } };
}

/** The leg after its predecessors: a courier who confirmed and did not report it holds up no other. */
async function withEarlierLegs(context: AppContext, seen: Found): Promise<LegInSwarm> {
  const { leg, swarm, parcel } = seen;
  if (leg.status !== 'pending' || !hasOpenLegsBefore(swarm, leg.leg_index)) return seen;
  await catchUp(context, parcel.on_chain_package);
  return requireLeg(context.db, leg.id);
}

function requireRecipient({ leg, swarm, parcel }: LegInSwarm, pubkey: string | undefined): void {
  const recipients = recipientsOf(swarm, leg, parcel);
  if (pubkey !== undefined && recipients.includes(pubkey)) return;
  const isFinal = leg.leg_index === swarm.total_legs - 1;
  const last = parcel.terms?.receiverPubkey ? 'the receiver or the shipper' : 'the shipper';
  const who = isFinal ? last : `the courier of leg ${leg.leg_index + 1}`;
  throw LegworkError.field(
    'wrong_recipient',
    'X-Pubkey',
    `this leg is confirmed by ${who}, ${recipients.join(' or ')}`,
  );
}

/** The leg; the last one once its package is settled, or as it is after 5 seconds. */
async function untilSettled({ db, mirrored }: AppContext, { leg: { id }, parcel }: LegInSwarm, { signature }: Proof) {
  const subject = packageSubject(parcel.id);
  const isOver = (leg: Awaited<ReturnType<typeof readConfirmation>>) =>
    leg.confirm_signature !== signature || !leg.is_last || leg.swarm_status !== 'active';
  const leg = await poll(() => readConfirmation(db, id), isOver, ANSWER_WITHIN_MS, { of: mirrored, name: subject });
  return { leg, finality: await readFinality(db, subject, signature) };
}

/** Checks the confirmation by its transaction, not by the leg's account, which settlement closes. */
async function landConfirmation(context: AppContext, found: LegInSwarm, proof: Proof): Promise<void> {
  await landProof(context, proof, {
    builtBy: BUILT_BY,
    judge(instructions, field) {
      if (instructions.some((instruction) => confirms(instruction, found))) return;
      throw LegworkError.field(
        'wrong_transaction',
        field,
        `is of a transaction that does not confirm this leg; give the one that ${BUILT_BY} answered`,
      );
    },
  });
}

/** @throws LegworkError `wrong_transaction` when another one confirmed the leg */
function requireSame(confirmedBy: string | null, { signature, field }: Proof): void {
  if (confirmedBy === signature) return;
  throw LegworkError.field('wrong_transaction', field, `this leg was confirmed by transaction ${confirmedBy}`);
}

export async function mirrorLeg(context: AppContext, { legId, agentPubkey }: In<'mirrorLeg'>): Out<'mirrorLeg'> {
  const found = await requireLeg(context.db, legId);
  const recipients = recipientsOf(found.swarm, found.leg, found.parcel);
  const [recipientPubkey] = recipients;
  requireParty(found, recipients, agentPubkey);
  refuseHalted(found);
  if (found.leg.status === 'pending') await catchUp(context, found.parcel.on_chain_package);
  const { leg, swarm, parcel } = await requireLeg(context.db, legId);
  if (leg.status === 'pending') throw notConfirmed({ leg, swarm, parcel }, recipientPubkey);
  return {
    answer: {
      legId: leg.id,
      status: leg.status,
      finality: await readFinality(context.db, packageSubject(swarm.package_id), leg.confirm_signature),
      swarmStatus: swarm.status,
      confirmSignature: leg.confirm_signature,
      settleSignature: swarm.settle_signature,
      recipientPubkey,
    },
  };
}

/** @throws LegworkError `wrong_recipient` unless the agent hands the parcel over or receives it */
function requireParty({ leg }: LegInSwarm, recipients: readonly string[], agentPubkey: string): void {
  if (agentPubkey === leg.agent_pubkey || recipients.includes(agentPubkey)) return;
  throw LegworkError.field(
    'wrong_recipient',
    'agentPubkey',
    `this leg is carried by ${leg.agent_pubkey} and confirmed by ${recipients.join(' or ')}; give one of them`,
  );
}

function notConfirmed({ leg, swarm }: LegInSwarm, recipient: string): LegworkError {
  const way =
    swarm.status === 'active'
      ? `${recipient} signs and sends the transaction that POST /swarms/legs/${leg.id}/build-confirm-tx answers`
      : `its swarm is ${swarm.status}, and legs are confirmed, by ${recipient}, while it is active`;
  return LegworkError.field('not_confirmed_on_chain', 'legId', `the ledger shows no confirmation of this leg; ${way}`);
}
