import type { DigitalTaskDetail } from '@legwork/protocol/contract';
import type { AppContext } from '../../context.js';
import { inTransaction } from '../../db/transaction.js';
import { requireTask } from './requireTask.js';
import { viewTaskDetail } from './viewDigitalTask.js';

/**
 * The task with its legs and results as they are at one moment: a leg that is given back in between would not go with the status
 * of its task.
 *
 * @throws RelayError `not_found`
 */
export function readTask(
  context: Pick<AppContext, 'db' | 'config' | 'clock'>,
  taskId: string,
): Promise<DigitalTaskDetail> {
  return inTransaction(
    context.db,
    async (trx) => viewTaskDetail({ ...context, db: trx }, await requireTask(trx, taskId)),
    'repeatable read',
  );
}
