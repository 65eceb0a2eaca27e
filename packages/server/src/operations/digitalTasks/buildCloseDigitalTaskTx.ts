import { isTerminal, type operations } from '@legwork/protocol/contract';
import { readTaskAccount } from '../../ledger/accounts.js';
import { closeTaskInstruction } from '../../ledger/taskInstructions.js';
import { forWallet, requireOpenAccount, requireOwnFunds, wrongStatus } from '../exits.js';
import { requireNotHalted } from '../guards.js';
import type { Run } from '../run.js';
import { requireTask, TASK } from './guards.js';

export const buildCloseDigitalTaskTx: Run<typeof operations.buildCloseDigitalTaskTx> = async (
  { db, ledger },
  { taskId },
) => {
  const task = await requireTask(db, taskId);
  await requireNotHalted(db, TASK, taskId, 'taskId');
  if (!isTerminal('task', task.status)) {
    throw wrongStatus(TASK, `the task is ${task.status}; its account can be closed once it is completed or failed`);
  }
  requireOwnFunds(TASK, task);
  requireOpenAccount(TASK, await readTaskAccount(ledger, task.on_chain_task));
  const built = await forWallet(ledger, task.funder_pubkey, (signer) => closeTaskInstruction(ledger, task, signer));
  return { answer: { taskId, ...built } };
};
