import { type operations, RelayError } from '@legwork/protocol/contract';
import type { AppContext } from '../../context.js';
import { readFinality } from '../../db/finality.js';
import { readConfirmation } from '../../db/legs.js';
import { packageSubject } from '../../db/subjects.js';
import { recipientsOf } from '../../ledger/packageInstructions.js';
import { catchUp } from '../../mirror/applyLanded.js';
import { confirms, hasOpenLegsBefore, type LegInSwarm } from '../../mirror/package.js';
import { requireNotHalted } from '../guards.js';
import { PACKAGE } from '../packages/guards.js';
import { poll } from '../../waiting.js';
import { landProof, type Proof, readProof } from '../proof.js';
import type { Run } from '../run.js';
import { requireLeg, requireTurn } from './guards.js';

/** How long an answer waits for the settlement. Rule S-70. */
const ANSWER_WITHIN_MS = 5_000;

const BUILT_BY = 'POST /swarms/legs/:legId/build-confirm-tx';

export const confirmLeg: Run<typeof operations.confirmLeg> = async (context, { legId, ...given }, caller) => {
  const seen = await requireLeg(context.db, legId);
  requireRecipient(seen, caller.pubkey);
  await requireNotHalted(context.db, PACKAGE, seen.parcel.id, 'legId');
  const proof = readProof(context.ledger, given);
  const found = await withEarlierLegs(context, seen);
  if (found.leg.status === 'pending') {
    requireTurn(found);
    await landConfirmation(context, found, proof);
  }
  const settled = await untilSettled(context, found, proof);
  const {
    status,
    confirm_signature: signature,
    swarm_status: swarmStatus,
    settle_signature: settleSignature,
  } = settled;
  requireSame(signature, proof);
  const finality = await readFinality(context.db, packageSubject(found.parcel.id), signature);
  return { answer: { legId, status, finality, swarmStatus, settleSignature } };
};

/** The leg after its predecessors: a courier who confirmed and did not report it holds up no other. */
async function withEarlierLegs(context: AppContext, seen: LegInSwarm): Promise<LegInSwarm> {
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
  throw RelayError.field('wrong_recipient', 'X-Pubkey', `this leg is confirmed by ${who}, ${recipients.join(' or ')}`);
}

/** The leg; the last one once its package is settled, or as it is after 5 seconds. */
function untilSettled({ db, mirrored }: AppContext, { leg: { id }, parcel }: LegInSwarm, { signature }: Proof) {
  const isOver = (leg: Awaited<ReturnType<typeof readConfirmation>>) =>
    leg.confirm_signature !== signature || !leg.is_last || leg.swarm_status !== 'active';
  const hint = { of: mirrored, name: packageSubject(parcel.id) };
  return poll(() => readConfirmation(db, id), isOver, ANSWER_WITHIN_MS, hint);
}

/** Checks the confirmation by its transaction, not by the leg's account, which settlement closes. */
async function landConfirmation(context: AppContext, found: LegInSwarm, proof: Proof): Promise<void> {
  await landProof(context, proof, {
    builtBy: BUILT_BY,
    judge(instructions, field) {
      if (instructions.some((instruction) => confirms(instruction, found))) return;
      throw RelayError.field(
        'wrong_transaction',
        field,
        `is of a transaction that does not confirm this leg; give the one that ${BUILT_BY} answered`,
      );
    },
  });
}

/** @throws RelayError `wrong_transaction` when another one confirmed the leg */
function requireSame(confirmedBy: string | null, { signature, field }: Proof): void {
  if (confirmedBy === signature) return;
  throw RelayError.field('wrong_transaction', field, `this leg was confirmed by transaction ${confirmedBy}`);
}
