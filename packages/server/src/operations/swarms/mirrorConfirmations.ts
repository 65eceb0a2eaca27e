import { findTransactionOf } from '@legwork/program-client/history';
import { confirms, type LegInSwarm, recordLegConfirmed } from '../../mirror/legConfirmed.js';
import { readReputations } from '../../ledger/reputationReadings.js';
import type { AppContext } from '../../context.js';
import { mirrorReputations } from '../../db/reputations.js';
import { inTransaction } from '../../db/transaction.js';
import { requireLeg } from './findLeg.js';

/** The transaction by which the ledger shows the leg confirmed, whoever sent it; undefined: it shows none. */
export async function findConfirmation({ ledger }: AppContext, found: LegInSwarm): Promise<string | undefined> {
  // What was never formed has no confirmations; the same addresses may hold those of the formation that was.
  if (found.swarm.form_signature === null) return undefined;
  return findTransactionOf(ledger, found.leg.on_chain_leg, (instruction) => confirms(instruction, found));
}

/** Completes the leg in the mirror, by the transaction that confirmed it. */
export async function mirrorConfirmation(context: AppContext, found: LegInSwarm, signature: string): Promise<void> {
  const readings = await readReputations(context.ledger, [found.leg.agent_pubkey]);
  await inTransaction(context.db, async (trx) => {
    if (await recordLegConfirmed(trx, found, signature)) await mirrorReputations(trx, readings);
  });
  context.wakers.outbox.wake();
  context.wakers.sequencer.wake();
}

/**
 * Completes the legs before this one that the ledger shows confirmed and the mirror does not show yet, in order, so that
 * nobody waits for a courier who confirmed and did not report.
 *
 * @returns the leg as the mirror shows it then
 */
export async function mirrorEarlierLegs(context: AppContext, found: LegInSwarm): Promise<LegInSwarm> {
  const { leg, swarm, item } = found;
  const earlier = swarm.legs.filter(({ leg_index, status }) => leg_index < leg.leg_index && status === 'pending');
  if (earlier.length === 0) return found;
  for (const one of earlier) {
    const signature = await findConfirmation(context, { leg: one, swarm, item });
    if (signature === undefined) break;
    await mirrorConfirmation(context, { leg: one, swarm, item }, signature);
  }
  return requireLeg(context.db, leg.id);
}
