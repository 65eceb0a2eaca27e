import { RelayError } from '@legwork/protocol/contract';
import type { Db, Trx } from '../../db/connect.js';
import { type LegWithoutResult, legsOf } from '../../db/digitalLegs.js';
import { type ListedTaskRow, lockTask } from '../../db/digitalTasks.js';
import { listedTask, requireTask } from './requireTask.js';

/** What a path names: a leg of a task. */
interface Path {
  taskId: string;
  legId: string;
}

/** A leg with its task and all legs of that, in order. */
export interface LegInTask {
  task: ListedTaskRow;
  legs: LegWithoutResult[];
  leg: LegWithoutResult;
}

function pick(task: ListedTaskRow, legs: LegWithoutResult[], legId: string): LegInTask {
  const leg = legs.find((candidate) => candidate.id === legId);
  if (!leg) throw RelayError.field('not_found', 'legId', 'the task has no leg with this id');
  return { task, legs, leg };
}

/** The leg as it is now. @throws RelayError `not_found` */
export async function requireLegOf(db: Db, { taskId, legId }: Path): Promise<LegInTask> {
  const task = await requireTask(db, taskId);
  return pick(task, await legsOf(db, taskId), legId);
}

/** The leg, which nobody else changes until the transaction ends. @throws RelayError `not_found` */
export async function lockLegOf(trx: Trx, { taskId, legId }: Path): Promise<LegInTask> {
  const task = listedTask(await lockTask(trx, taskId));
  return pick(task, await legsOf(trx, taskId), legId);
}
