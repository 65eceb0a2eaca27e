import { TaskStatus } from '@legwork/program-client';
import { canTransition, type LegworkError } from '@legwork/protocol/contract';
import { readAssignedLegs, readTaskAccount } from '../ledger/accounts.js';
import type { Ledger } from '../ledger/ledger.js';
import { reclaimTaskInstruction } from '../ledger/taskInstructions.js';
import {
  buildCancellation,
  buildClosing,
  exitSigner,
  forWallet,
  paidOut,
  requireDeadlinePassed,
  requireExiting,
  requireNoneOwed,
  wrongStatus,
} from '../listings/exits.js';
import { TASK } from '../listings/kinds.js';
import type { AppContext } from '../context.js';
import type { In, Out } from '../operations/run.js';
import { legsOf } from './taskLegRows.js';
import type { ListedTaskRow } from './taskRows.js';

export async function buildCancelDigitalTaskTx(
  context: AppContext,
  { taskId, ...by }: In<'buildCancelDigitalTaskTx'>,
): Out<'buildCancelDigitalTaskTx'> {
  return { answer: { taskId, ...(await buildCancellation(context, TASK, taskId, by)) } };
}

const CANCEL_INSTEAD = 'nobody works on it, so it is cancelled instead, at any time (build-cancel-tx)';

export async function buildReclaimDigitalTaskTx(
  context: AppContext,
  { taskId, ...by }: In<'buildReclaimDigitalTaskTx'>,
): Out<'buildReclaimDigitalTaskTx'> {
  const { db, ledger } = context;
  const { row: task, since } = await requireExiting(context, TASK, taskId);
  if (!canTransition('task', task.status, 'reclaimed')) throw cannotReclaim(task);
  await requireUnderWay(ledger, task, since);
  const legs = await legsOf(db, taskId);
  if (!isUntouched(task, legs)) await requireDeadlinePassed(ledger, TASK, task);
  requireNoneOwed(TASK, legs);
  const assigned = await readAssignedLegs(
    ledger,
    legs.map((leg) => leg.on_chain_leg),
  );
  const signerPubkey = await exitSigner(ledger, task, by);
  const built = await forWallet(ledger, signerPubkey, task, (signer) =>
    reclaimTaskInstruction(ledger, task, assigned, signer),
  );
  return { answer: { taskId, ...built } };
}

/** With terms, a task whose first leg nobody has accepted is reclaimed at once. Rule T-101. */
function isUntouched({ terms }: ListedTaskRow, [first]: Awaited<ReturnType<typeof legsOf>>): boolean {
  return terms !== null && (first?.stage === 'pending' || first?.stage === 'vacant');
}

function cannotReclaim(task: ListedTaskRow): LegworkError {
  if (task.status === 'listed') return wrongStatus(TASK, `the task is listed: ${CANCEL_INSTEAD}`);
  return paidOut(TASK, task, 'reclaim');
}

/** Refuses what the program would refuse, by what the ledger shows now. @throws LegworkError `invalid_status` */
async function requireUnderWay(ledger: Ledger, task: ListedTaskRow, since: bigint | undefined): Promise<void> {
  const account = await readTaskAccount(ledger, task.on_chain_task, since);
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

export async function buildCloseDigitalTaskTx(
  context: AppContext,
  { taskId, ...by }: In<'buildCloseDigitalTaskTx'>,
): Out<'buildCloseDigitalTaskTx'> {
  return { answer: { taskId, ...(await buildClosing(context, TASK, taskId, by)) } };
}
