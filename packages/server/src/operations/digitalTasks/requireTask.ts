import { RelayError } from '@legwork/protocol/contract';
import type { Db, Trx } from '../../db/connect.js';
import { findTask, isTaskListed, type ListedTaskRow } from '../../db/digitalTasks.js';
import type { DigitalTaskRow } from '../../db/schema.js';
import type { Named } from '../exits.js';

/** How refusals name a digital task. */
export const TASK = { field: 'taskId', noun: 'task' } as const satisfies Named;

/** The listed task in what was read; a draft is not one yet. @throws RelayError `not_found` */
export function listedTask(row: DigitalTaskRow | undefined): ListedTaskRow {
  if (!row || !isTaskListed(row))
    throw RelayError.field(
      'not_found',
      'taskId',
      'no digital task has this id, or it is a draft that is not listed yet',
    );
  return row;
}

/** The task that the path names. @throws RelayError `not_found` */
export async function requireTask(db: Db | Trx, taskId: string): Promise<ListedTaskRow> {
  return listedTask(await findTask(db, taskId));
}
