import { pagePath } from '@legwork/protocol/contract';
import type { AppContext } from '../context.js';
import { taskSubject } from '../db/listings.js';
import { addIntent } from '../db/outbox.js';
import { inTransaction } from '../db/transaction.js';
import { requireExiting } from '../listings/exits.js';
import { TASK } from '../listings/kinds.js';
import { isSponsored } from '../money/sponsorshipRows.js';
import { A2aError } from './errors.js';
import type { A2aCall } from './methods.js';
import { type A2aTask, hasEnded } from './taskView.js';

export const isNoLongerListed = ({ status }: A2aTask): boolean => status.state !== 'TASK_STATE_SUBMITTED';

/**
 * Refuses to cancel what is not the coordinator's money, what is not the caller's, and what is worked on. The money of others comes
 * out of its escrow by their wallets alone.
 *
 * @throws A2aError `TASK_NOT_CANCELABLE`; LegworkError `ledger_reverted`
 */
export async function requireCancelable({ context, identity }: A2aCall, task: A2aTask): Promise<void> {
  const { publicUrl } = context;
  const { id, contextId: poster } = task;
  if (isNoLongerListed(task)) throw new A2aError('TASK_NOT_CANCELABLE', notCanceled(task));
  const { signer } = identity;
  const isAdvanced = await isSponsored(context.db, id);
  if (!isAdvanced || signer?.pubkey !== poster) {
    const signed = isAdvanced ? ', or by signing this call with its key' : '';
    throw new A2aError(
      'TASK_NOT_CANCELABLE',
      `Only its poster ${poster} cancels a task: with the wallet on the page ${publicUrl}${pagePath('task', id)}, or by signing what ` +
        `POST ${publicUrl}/digital-tasks/${id}/build-cancel-tx answers${signed}.`,
    );
  }
  await requireExiting(context, TASK, id);
}

/** Has the coordinator take its money back; asked again in the same state, it does so once. */
export async function askToCancel({ db, wakers }: AppContext, { id, status }: A2aTask): Promise<void> {
  const key = `cancel_task:${status.message.messageId}`;
  await inTransaction(db, (trx) => addIntent(trx, { kind: 'cancel_task', subject: taskSubject(id), key, taskId: id }));
  wakers.outbox.wake();
}

/** Why a task is not cancelled, or not yet. */
export function notCanceled(task: A2aTask): string {
  if (hasEnded(task)) return `The task is over (${task.status.state}).`;
  return isNoLongerListed(task)
    ? 'An agent works on the task, or was paid: its escrow opens after its deadline.'
    : 'The ledger has not shown the cancellation yet; it goes on, and GetTask shows it.';
}
