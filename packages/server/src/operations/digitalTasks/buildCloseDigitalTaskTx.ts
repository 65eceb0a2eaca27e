import { isTerminal, type operations } from '@legwork/protocol';
import { readTaskAccount } from '../../chain/accounts.js';
import { closeTaskInstruction } from '../../chain/taskInstructions.js';
import { forWallet, requireOpenAccount, requireOwnFunds, wrongStatus } from '../exits.js';
import type { Run } from '../implement.js';
import { requireTask, TASK } from './requireTask.js';

export const buildCloseDigitalTaskTx: Run<typeof operations.buildCloseDigitalTaskTx> = async (
  { db, chain },
  { taskId },
) => {
  const task = await requireTask(db, taskId);
  if (!isTerminal('task', task.status)) {
    throw wrongStatus(TASK, `the task is ${task.status}; its account can be closed once it is completed or failed`);
  }
  requireOwnFunds(TASK, task);
  requireOpenAccount(TASK, await readTaskAccount(chain, task.on_chain_task));
  const built = await forWallet(chain, task.funder_pubkey, (signer) => closeTaskInstruction(chain, task, signer));
  return { answer: { taskId, ...built } };
};
