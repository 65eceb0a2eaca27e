import { toLamports } from '@legwork/protocol/contract';
import type { Trx } from '../db/connect.js';
import { paidFor } from '../db/digitalLegs.js';
import { taskSubject } from '../db/outbox.js';
import { lockTask, markTaskCompleted } from '../db/digitalTasks.js';
import { appendEvent } from '../db/events.js';

/**
 * Projects that the ledger shows the task settled: it is completed and the rest of its budget back at the funder. False when
 * the mirror has it already. Rules M-9, M-59.
 */
export async function recordTaskSettled(trx: Trx, taskId: string, settleSignature: string): Promise<boolean> {
  const task = await lockTask(trx, taskId);
  if (!task) return false;
  const refundLamports = toLamports(task.max_budget_lamports - (await paidFor(trx, taskId)));
  if (!(await markTaskCompleted(trx, taskId, settleSignature, refundLamports))) return false;
  await appendEvent(trx, 'TASK_COMPLETED', taskSubject(taskId), { taskId, settleSignature, refundLamports });
  return true;
}
