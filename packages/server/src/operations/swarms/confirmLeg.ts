import { RelayError, type operations } from '@legwork/protocol/contract';
import { confirms, type LegInSwarm } from '../../mirror/legConfirmed.js';
import { recipientOf } from '../../ledger/walletTransactions.js';
import type { AppContext } from '../../context.js';
import type { Run } from '../run.js';
import { poll } from '../poll.js';
import { landProof, type Proof, readProof } from '../landProof.js';
import { requireLeg, requireTurn } from './findLeg.js';
import { mirrorConfirmation, mirrorEarlierLegs } from './mirrorConfirmations.js';

function requireRecipient({ leg, swarm, item }: LegInSwarm, pubkey: string | undefined): void {
  const recipient = recipientOf(swarm, leg, item);
  if (pubkey === recipient) return;
  const who = recipient === item.shipper_pubkey ? 'the shipper' : `the courier of leg ${leg.leg_index + 1}`;
  throw RelayError.field('wrong_recipient', 'X-Pubkey', `this leg is confirmed by ${who}, ${recipient}`);
}

/** An answer waits no longer than this for the settlement. Rule S-70. */
const ANSWER_WITHIN_MS = 5_000;

/** The leg when its package is settled, if it is the last one; as it is after 5 seconds in any case. */
function untilSettled({ db }: AppContext, legId: string): Promise<LegInSwarm> {
  return poll(
    () => requireLeg(db, legId),
    ({ leg, swarm }) => leg.leg_index < swarm.total_legs - 1 || swarm.status !== 'active',
    ANSWER_WITHIN_MS,
  );
}

const BUILT_BY = 'POST /swarms/legs/:legId/build-confirm-tx';

/** Judges the confirmation by its transaction, not by the leg's account: settlement closes that. */
async function requireConfirmation(context: AppContext, found: LegInSwarm, proof: Proof): Promise<void> {
  await landProof(context.ledger, proof, BUILT_BY, (instructions, field) => {
    if (instructions.some((instruction) => confirms(instruction, found))) return;
    throw RelayError.field(
      'wrong_transaction',
      field,
      `is of a transaction that does not confirm this leg; give the one that ${BUILT_BY} answered`,
    );
  });
}

/** @throws RelayError `wrong_transaction` when another one confirmed the leg */
function requireSame({ leg }: LegInSwarm, { signature, field }: Proof): void {
  if (leg.confirm_signature === signature) return;
  throw RelayError.field('wrong_transaction', field, `this leg was confirmed by transaction ${leg.confirm_signature}`);
}

export const confirmLeg: Run<typeof operations.confirmLeg> = async (context, { legId, ...given }, caller) => {
  const seen = await requireLeg(context.db, legId);
  requireRecipient(seen, caller.pubkey);
  const proof = readProof(context.ledger, given);
  const found = await mirrorEarlierLegs(context, seen);
  if (found.leg.status === 'pending') {
    requireTurn(found);
    await requireConfirmation(context, found, proof);
    await mirrorConfirmation(context, found, proof.signature);
  }
  requireSame(await requireLeg(context.db, legId), proof);
  const { leg, swarm } = await untilSettled(context, legId);
  return {
    answer: { legId, status: leg.status, swarmStatus: swarm.status, settleSignature: swarm.settle_signature },
  };
};
