import type { operations } from '@legwork/protocol/contract';
import type { Run } from '../run.js';
import { readTask } from './view.js';

export const getDigitalTask: Run<typeof operations.getDigitalTask> = async (context, { taskId }) => {
  return { answer: await readTask(context, taskId) };
};
