import type { operations } from '@legwork/protocol/contract';
import { legsByTask } from '../../db/digitalLegs.js';
import { countTasks, pageOfTasks } from '../../db/digitalTasks.js';
import { readNotFinal } from '../../db/finality.js';
import { taskSubject } from '../../db/subjects.js';
import { inTransaction } from '../../db/transaction.js';
import { cutPage, idPosition, readCursor } from '../cursor.js';
import type { Run } from '../run.js';
import { viewTask } from './view.js';

export const listDigitalTasks: Run<typeof operations.listDigitalTasks> = async ({ db, clock }, input) => {
  const { status, shipper, open, limit, cursor } = input;
  const now = clock();
  const filter = { status, shipper, openAt: open === true ? now : undefined };
  const [before] = readCursor(idPosition, cursor) ?? [];
  // Tasks, legs and finality of one moment.
  const { page, nextCursor, legs, notFinal } = await inTransaction(
    db,
    async (trx) => {
      const cut = cutPage(await pageOfTasks(trx, filter, { before, limit: limit + 1 }), limit, (row) => [row.id]);
      const ids = cut.page.map((row) => row.id);
      return { ...cut, legs: await legsByTask(trx, ids), notFinal: await readNotFinal(trx, ids.map(taskSubject)) };
    },
    'repeatable read',
  );
  return {
    answer: page.map((row) => viewTask(row, legs.get(row.id) ?? [], { now, notFinal })),
    nextCursor,
    total: () => countTasks(db, filter),
  };
};
