import { canTransition, type operations, type RelayError } from '@legwork/protocol/contract';
import type { ListedTaskRow } from '../../db/digitalTasks.js';
import { cancelTaskInstruction } from '../../ledger/taskInstructions.js';
import { ended, forWallet, wrongStatus } from '../exits.js';
import { requireNotHalted } from '../guards.js';
import type { Run } from '../run.js';
import { requireTask, TASK } from './guards.js';

export const buildCancelDigitalTaskTx: Run<typeof operations.buildCancelDigitalTaskTx> = async (
  { db, ledger },
  { taskId },
) => {
  const task = await requireTask(db, taskId);
  await requireNotHalted(db, TASK, taskId, 'taskId');
  if (!canTransition('task', task.status, 'cancelled')) throw cannotCancel(task);
  const built = await forWallet(ledger, task.shipper_pubkey, (signer) => cancelTaskInstruction(ledger, task, signer));
  return { answer: { taskId, ...built } };
};

function cannotCancel(task: ListedTaskRow): RelayError {
  if (task.status !== 'in_progress') {
    return wrongStatus(TASK, `the task is ${ended(task)} and its escrow is paid out; there is nothing to cancel`);
  }
  return wrongStatus(
    TASK,
    'the task is in_progress: agents work on it or were paid, and it can be cancelled only while it is listed; ' +
      `unless it is completed, it can be reclaimed from ${task.deadline.toISOString()} (build-reclaim-tx)`,
  );
}
