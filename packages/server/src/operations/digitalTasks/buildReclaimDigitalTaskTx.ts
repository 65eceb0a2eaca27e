import { TaskStatus } from '@legwork/program-client';
import { canTransition, type operations, type RelayError } from '@legwork/protocol';
import { readAssignedLegs, readTaskAccount } from '../../chain/accounts.js';
import type { Chain } from '../../chain/chain.js';
import { reclaimTaskInstruction } from '../../chain/taskInstructions.js';
import { legsOf } from '../../db/digitalLegs.js';
import type { ListedTaskRow } from '../../db/digitalTasks.js';
import { ended, forWallet, requireDeadlinePassed, wrongStatus } from '../exits.js';
import type { Run } from '../implement.js';
import { requireTask, TASK } from './requireTask.js';

const CANCEL_INSTEAD = 'nobody works on it, so it is cancelled instead, at any time (build-cancel-tx)';

function cannotReclaim(task: ListedTaskRow): RelayError {
  if (task.status === 'listed') return wrongStatus(TASK, `the task is listed: ${CANCEL_INSTEAD}`);
  return wrongStatus(TASK, `the task is ${ended(task)} and its escrow is paid out; there is nothing to reclaim`);
}

/** What the program would refuse, by what the ledger shows now. @throws RelayError `invalid_status` */
async function requireUnderWay(chain: Chain, task: ListedTaskRow): Promise<void> {
  const account = await readTaskAccount(chain, task.on_chain_task);
  if (account?.status === TaskStatus.Listed) {
    throw wrongStatus(TASK, `the ledger shows the task as listed: ${CANCEL_INSTEAD}`);
  }
  if (account?.status !== TaskStatus.InProgress) {
    throw wrongStatus(TASK, 'the ledger shows that the task is over; read it again in a moment');
  }
  if (account.completedLegs === account.numLegs) {
    throw wrongStatus(
      TASK,
      'every leg is completed, so the task is settled instead; the coordinator does that by itself',
    );
  }
}

export const buildReclaimDigitalTaskTx: Run<typeof operations.buildReclaimDigitalTaskTx> = async (
  { db, chain },
  { taskId },
) => {
  const task = await requireTask(db, taskId);
  if (!canTransition('task', task.status, 'reclaimed')) throw cannotReclaim(task);
  await requireUnderWay(chain, task);
  await requireDeadlinePassed(chain, TASK, task);
  const legs = await legsOf(db, taskId);
  const assigned = await readAssignedLegs(
    chain,
    legs.map((leg) => leg.on_chain_leg),
  );
  const built = await forWallet(chain, task.shipper_pubkey, (signer) =>
    reclaimTaskInstruction(chain, task, assigned, signer),
  );
  return { answer: { taskId, ...built } };
};
