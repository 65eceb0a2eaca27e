import { findTransactionOf } from '@legwork/program-client/history';
import type { AppContext } from '../../context.js';
import { mirrorReputations } from '../../db/reputations.js';
import { inTransaction } from '../../db/transaction.js';
import { readReputations } from '../../ledger/reputation.js';
import { confirms, type LegInSwarm, recordLegConfirmed } from '../../mirror/package.js';
import { requireLeg } from './guards.js';

/** The signature of the transaction that confirmed the leg on the ledger, from any sender; undefined: there is none. */
export async function findConfirmation({ ledger }: AppContext, found: LegInSwarm): Promise<string | undefined> {
  // A swarm that was never formed has no confirmations; those at its addresses may belong to another formation.
  if (found.swarm.form_signature === null) return undefined;
  return findTransactionOf(ledger, found.leg.on_chain_leg, (instruction) => confirms(instruction, found));
}

/** Completes the leg in the mirror by the transaction that confirmed it. */
export async function mirrorConfirmation(context: AppContext, found: LegInSwarm, signature: string): Promise<void> {
  const readings = await readReputations(context.ledger, [found.leg.agent_pubkey]);
  await inTransaction(context.db, async (trx) => {
    if (await recordLegConfirmed(trx, found, signature)) await mirrorReputations(trx, readings);
  });
  context.wakers.outbox.wake();
  context.wakers.sequencer.wake();
}

/**
 * Completes, in order, the earlier legs that are confirmed on the ledger and not in the mirror yet, so that a courier who
 * confirmed and did not report holds up no other.
 *
 * @returns the leg as the mirror shows it afterwards
 */
export async function mirrorEarlierLegs(context: AppContext, found: LegInSwarm): Promise<LegInSwarm> {
  const { leg, swarm, parcel } = found;
  const earlier = swarm.legs.filter(({ leg_index, status }) => leg_index < leg.leg_index && status === 'pending');
  if (earlier.length === 0) return found;
  for (const one of earlier) {
    const signature = await findConfirmation(context, { leg: one, swarm, parcel });
    if (signature === undefined) break;
    await mirrorConfirmation(context, { leg: one, swarm, parcel }, signature);
  }
  return requireLeg(context.db, leg.id);
}
