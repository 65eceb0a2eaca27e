import { RelayError, type operations } from '@agent-relay/protocol';
import { readReputations } from '../../chain/reputationReadings.js';
import { recipientOf } from '../../chain/walletTransactions.js';
import type { AppContext } from '../../context.js';
import { addIntent } from '../../db/outbox.js';
import { lockPackage } from '../../db/packages.js';
import { mirrorReputations } from '../../db/reputations.js';
import { markLegCompleted } from '../../db/swarms.js';
import { inTransaction } from '../../db/transaction.js';
import { appendEvent } from '../../events/appendEvent.js';
import type { Run } from '../implement.js';
import { requireLanded } from '../requireLanded.js';
import { type LegInSwarm, requireLeg, requireTurn } from './findLeg.js';

function requireRecipient({ leg, swarm, item }: LegInSwarm, pubkey: string | undefined): void {
  const recipient = recipientOf(swarm, leg, item);
  if (pubkey === recipient) return;
  const who = recipient === item.shipper_pubkey ? 'the shipper' : `the courier of leg ${leg.leg_index + 1}`;
  throw RelayError.field('wrong_recipient', 'X-Pubkey', `this leg is confirmed by ${who}, ${recipient}`);
}

const BUILT_BY = 'POST /swarms/legs/:legId/build-confirm-tx';

/** Judges the confirmation by its transaction, not by the leg's account: settlement closes that. */
async function requireConfirmation(
  context: AppContext,
  { leg, swarm, item }: LegInSwarm,
  signature: string,
): Promise<void> {
  const instructions = await requireLanded(context.chain, signature, BUILT_BY);
  const confirms = instructions.some(
    (instruction) =>
      instruction.name === 'confirmLeg' &&
      instruction.accounts.package.address === item.on_chain_package &&
      instruction.accounts.swarm.address === swarm.on_chain_swarm &&
      instruction.accounts.leg.address === leg.on_chain_leg &&
      instruction.data.formation === swarm.formation,
  );
  if (!confirms) {
    throw RelayError.field(
      'wrong_transaction',
      'signature',
      `is of a transaction that does not confirm this leg; give the one that ${BUILT_BY} answered`,
    );
  }
}

/** Completes the leg in the mirror; after the last one decides the settlement. */
async function complete(context: AppContext, found: LegInSwarm, signature: string): Promise<void> {
  const { leg, swarm, item } = found;
  const readings = await readReputations(context.chain, [leg.agent_pubkey]);
  await inTransaction(context.db, async (trx) => {
    await lockPackage(trx, item.id);
    if (!(await markLegCompleted(trx, leg.id, signature))) return;
    await mirrorReputations(trx, readings);
    await appendEvent(trx, 'LEG_CONFIRMED', `package:${item.id}`, {
      packageId: item.id,
      swarmId: swarm.id,
      legId: leg.id,
      legIndex: leg.leg_index,
      agentPubkey: leg.agent_pubkey,
      paymentLamports: leg.agreed_payment_lamports,
      signature,
    });
    if (leg.leg_index === swarm.total_legs - 1) {
      await addIntent(trx, {
        kind: 'settle',
        subject: `package:${item.id}`,
        key: `settle:${swarm.id}`,
        swarmId: swarm.id,
      });
    }
  });
  context.wake.outbox();
  context.wake.sequencer();
}

export const confirmLeg: Run<typeof operations.confirmLeg> = async (context, { legId, signature }, caller) => {
  const found = await requireLeg(context.db, legId);
  requireRecipient(found, caller.pubkey);
  if (found.leg.status === 'pending') {
    requireTurn(found);
    await requireConfirmation(context, found, signature);
    await complete(context, found, signature);
  }
  const { leg, swarm } = await requireLeg(context.db, legId);
  if (leg.confirm_signature !== signature) {
    throw RelayError.field(
      'wrong_transaction',
      'signature',
      `this leg was confirmed by transaction ${leg.confirm_signature}`,
    );
  }
  return {
    answer: { legId, status: leg.status, swarmStatus: swarm.status, settleSignature: swarm.settle_signature },
  };
};
