import { canTransition, type operations, type RelayError, isTerminal } from '@legwork/protocol/contract';
import type { ListedTaskRow } from './taskRows.js';
import { cancelTaskInstruction, reclaimTaskInstruction, closeTaskInstruction } from '../ledger/taskInstructions.js';
import {
  ended,
  forWallet,
  wrongStatus,
  requireDeadlinePassed,
  requireNoneOwed,
  requireOpenAccount,
  requireOwnFunds,
} from '../operations/exits.js';
import { requireNotHalted } from '../operations/guards.js';
import type { Run } from '../operations/run.js';
import { requireTask, TASK } from './guards.js';
import { TaskStatus } from '@legwork/program-client';
import { legsOf } from './taskLegRows.js';
import { readAssignedLegs, readTaskAccount } from '../ledger/accounts.js';
import type { Ledger } from '../ledger/ledger.js';

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

const CANCEL_INSTEAD = 'nobody works on it, so it is cancelled instead, at any time (build-cancel-tx)';

export const buildReclaimDigitalTaskTx: Run<typeof operations.buildReclaimDigitalTaskTx> = async (
  { db, ledger },
  { taskId },
) => {
  const task = await requireTask(db, taskId);
  await requireNotHalted(db, TASK, taskId, 'taskId');
  if (!canTransition('task', task.status, 'reclaimed')) throw cannotReclaim(task);
  await requireUnderWay(ledger, task);
  const legs = await legsOf(db, taskId);
  if (!isUntouched(task, legs)) await requireDeadlinePassed(ledger, TASK, task);
  requireNoneOwed(TASK, legs);
  const assigned = await readAssignedLegs(
    ledger,
    legs.map((leg) => leg.on_chain_leg),
  );
  const built = await forWallet(ledger, task.shipper_pubkey, (signer) =>
    reclaimTaskInstruction(ledger, task, assigned, signer),
  );
  return { answer: { taskId, ...built } };
};

/** With terms, a task whose first leg nobody has accepted is reclaimed at once. Rule T-101. */
function isUntouched({ terms }: ListedTaskRow, [first]: Awaited<ReturnType<typeof legsOf>>): boolean {
  return terms !== null && (first?.stage === 'pending' || first?.stage === 'vacant');
}

function cannotReclaim(task: ListedTaskRow): RelayError {
  if (task.status === 'listed') return wrongStatus(TASK, `the task is listed: ${CANCEL_INSTEAD}`);
  return wrongStatus(TASK, `the task is ${ended(task)} and its escrow is paid out; there is nothing to reclaim`);
}

/** Refuses what the program would refuse, by what the ledger shows now. @throws RelayError `invalid_status` */
async function requireUnderWay(ledger: Ledger, task: ListedTaskRow): Promise<void> {
  const account = await readTaskAccount(ledger, task.on_chain_task);
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
