import type { AppContext } from '../context.js';
import {
  type DueClaim,
  dueClaims,
  findDigitalLeg,
  legsOf,
  type DueReservation,
  dueReservations,
} from '../db/digitalLegs.js';
import { lockTask } from '../db/digitalTasks.js';
import { inTransaction } from '../db/transaction.js';
import { type Loop, startLoop } from '../loop.js';
import { decideRelease, endClaim, giveWork } from './taskWork.js';

const POLL_MS = 1_000;
const BATCH = 50;

/** Whether the release was decided: the claim may have ended, or its result come, while the task's lock was waited for. */
async function timeOut({ db }: AppContext, due: DueClaim): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    await lockTask(trx, due.task_id);
    const leg = await findDigitalLeg(trx, due.id);
    if (leg?.status !== 'in_progress' || leg.claim !== due.claim) return false;
    return decideRelease(trx, leg, 'timeout');
  });
}

/** Decides the release of legs whose agents handed in nothing in time. Returns whether there may be more. Rule M-57. */
export async function releaseOverdue(context: AppContext): Promise<boolean> {
  const due = await dueClaims(context.db, BATCH);
  let released = 0;
  for (const claim of due) if (await timeOut(context, claim)) released += 1;
  if (released > 0) {
    context.wakers.outbox.wake();
    context.log.info({ released }, 'legs are taken from agents whose time is up');
  }
  return due.length === BATCH;
}

/** Whether the reservation is settled: its agent has the work, or has it no more. One that the funds do not cover waits. */
async function comeDue(context: AppContext, { task_id: taskId }: DueReservation): Promise<boolean> {
  return inTransaction(context.db, async (trx) => {
    const task = await lockTask(trx, taskId);
    if (!task) return false;
    const legs = await legsOf(trx, taskId);
    const { given, leg } = await giveWork(context, trx, task, legs);
    if (given === 'over_budget' && leg !== undefined) await endClaim(trx, leg, 'lapsed');
    return given !== 'no_means';
  });
}

/** Gives reserved legs whose turn has come to their agents. Returns whether there may be more at once. Rule M-56. */
export async function giveDueWork(context: AppContext): Promise<boolean> {
  const due = await dueReservations(context.db, BATCH);
  let waiting = 0;
  for (const reservation of due) if (!(await comeDue(context, reservation))) waiting += 1;
  if (waiting < due.length) {
    context.wakers.outbox.wake();
    context.wakers.sequencer.wake();
  }
  return due.length === BATCH && waiting === 0;
}

/** Starts looking after claims: time that is up, turns that have come. What is due follows from the database alone. */
export function startTaskClaims(context: AppContext): Loop {
  return startLoop({
    name: 'task claims',
    log: context.log,
    pollMs: POLL_MS,
    waker: context.wakers.taskClaims,
    async round() {
      const [released, given] = [await releaseOverdue(context), await giveDueWork(context)];
      return released || given;
    },
  });
}
