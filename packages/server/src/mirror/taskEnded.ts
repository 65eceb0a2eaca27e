import type { FailureReason } from '@legwork/protocol/contract';
import type { Trx } from '../db/connect.js';
import { failOpenLegs } from '../db/digitalClaims.js';
import { taskSubject } from '../db/outbox.js';
import { lockTask, markTaskEnded } from '../db/digitalTasks.js';
import { appendEvent } from '../db/events.js';

/**
 * Projects that the ledger shows the task cancelled or reclaimed: it is failed for good, and so are its legs that are not
 * completed. False when the mirror has it already. Rules M-9, M-60.
 */
export async function recordTaskEnded(
  trx: Trx,
  taskId: string,
  failureReason: FailureReason,
  endSignature: string,
): Promise<boolean> {
  await lockTask(trx, taskId);
  if (!(await markTaskEnded(trx, taskId, failureReason, endSignature))) return false;
  await failOpenLegs(trx, taskId, failureReason);
  await appendEvent(trx, 'TASK_FAILED', taskSubject(taskId), { taskId, failureReason });
  return true;
}
