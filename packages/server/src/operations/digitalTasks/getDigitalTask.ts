import type { operations } from '@agent-relay/protocol';
import { inTransaction } from '../../db/transaction.js';
import type { Run } from '../implement.js';
import { requireTask } from './requireTask.js';
import { viewTaskDetail } from './viewDigitalTask.js';

export const getDigitalTask: Run<typeof operations.getDigitalTask> = async (context, { taskId }) => {
  // Task and legs of one moment: a leg that is given back in between would not go with the status of its task.
  const answer = await inTransaction(
    context.db,
    async (trx) => viewTaskDetail({ ...context, db: trx }, await requireTask(trx, taskId)),
    'repeatable read',
  );
  return { answer };
};
