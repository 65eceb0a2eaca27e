import type { AppContext } from '../../context.js';
import { type DueClaim, dueClaims, findDigitalLeg } from '../../db/digitalLegs.js';
import { lockTask } from '../../db/digitalTasks.js';
import { inTransaction } from '../../db/transaction.js';
import { type Loop, startLoop } from '../../loop.js';
import { decideRelease } from './taskWork.js';

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

/** Decides the release of legs whose agents handed in nothing in time. Answers whether there may be more. Rule M-57. */
export async function releaseOverdue(context: AppContext): Promise<boolean> {
  const due = await dueClaims(context.db, BATCH);
  let released = 0;
  for (const claim of due) if (await timeOut(context, claim)) released += 1;
  if (released > 0) {
    context.wake.outbox();
    context.log.info({ released }, 'legs are taken from agents whose time is up');
  }
  return due.length === BATCH;
}

/** Starts watching the time of assigned legs. What is due follows from the database and its clock alone. */
export function startClaimTimeouts(context: AppContext): Loop {
  return startLoop({
    name: 'claim timeouts',
    log: context.log,
    pollMs: POLL_MS,
    turn: () => releaseOverdue(context),
  });
}
