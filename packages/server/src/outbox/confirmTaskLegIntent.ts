import { LegStatus } from '@legwork/program-client';
import type { AppContext } from '../context.js';
import { finishIntent, type LeasedIntent } from '../db/outbox.js';
import { inTransaction } from '../db/transaction.js';
import { readTaskLegAccount } from '../ledger/accounts.js';
import type { Ledger } from '../ledger/ledger.js';
import { findTransactionOf } from '@legwork/program-client/history';
import { readLedgerTime } from '../ledger/ledgerClock.js';
import { confirmedHash, recordTaskLegConfirmed } from '../mirror/taskLegConfirmed.js';
import { confirmTaskLegInstruction, type HeldLeg } from '../ledger/taskInstructions.js';
import type { TransactionFailure } from '../ledger/transactionFailure.js';
import { type HeldClaim, legIntent } from './legIntent.js';
import { tryAgain } from './tryAgain.js';

async function findConfirmation(ledger: Ledger, { leg }: HeldClaim): Promise<string | undefined> {
  const account = await readTaskLegAccount(ledger, leg.on_chain_leg);
  const isOurs = account?.status === LegStatus.Completed && account.agent === leg.agent_pubkey;
  if (!isOurs) return undefined;
  return findTransactionOf(
    ledger,
    leg.on_chain_leg,
    (instruction) => confirmedHash(instruction, leg) === leg.result_hash,
  );
}

function hashOf({ id, result_hash: resultHash }: HeldLeg): string {
  if (resultHash === null) throw new Error(`leg ${id} has no result`);
  return resultHash;
}

/**
 * What an agent has earned is owed to it, unless it made its own account unable to take it: past the deadline that does not
 * hold up what others have in escrow.
 */
async function refused(
  context: AppContext,
  intent: LeasedIntent,
  { task, leg }: HeldClaim,
  failure: TransactionFailure,
): Promise<void> {
  const isPayable = failure.relayError !== 'PayeeCannotReceive';
  if (isPayable || (await readLedgerTime(context.ledger)) < task.deadline) return tryAgain(context, intent, failure);
  await inTransaction(context.db, (trx) => finishIntent(trx, intent, failure.reason));
  context.log.warn({ taskId: task.id, legId: leg.id, agent: leg.agent_pubkey }, 'an agent cannot receive its payment');
}

/** Pays an agent for its result. Rule M-59. */
export const confirmTaskLegIntent = legIntent({
  due: 'in_progress',
  async instruction({ ledger }, { task, leg }) {
    return confirmTaskLegInstruction(ledger, task, { ...leg, result_hash: hashOf(leg) });
  },
  find: findConfirmation,
  record: (trx, leg, confirmed) => recordTaskLegConfirmed(trx, leg, { ...confirmed, resultHash: hashOf(leg) }),
  refused,
});
