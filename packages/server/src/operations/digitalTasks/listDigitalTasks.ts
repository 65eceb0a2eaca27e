import type { operations } from '@agent-relay/protocol';
import { countTasks, legsByTask, pageOfTasks } from '../../db/digitalTaskList.js';
import { cutPage, idPosition, readCursor } from '../cursor.js';
import type { Run } from '../implement.js';
import { viewTask } from './viewDigitalTask.js';

export const listDigitalTasks: Run<typeof operations.listDigitalTasks> = async ({ db, clock }, input) => {
  const { status, shipper, open, limit, cursor } = input;
  const now = clock();
  const filter = { status, shipper, openAt: open === true ? now : undefined };
  const [before] = readCursor(idPosition, cursor) ?? [];
  const rows = await pageOfTasks(db, filter, { before, limit: limit + 1 });
  const { page, nextCursor } = cutPage(rows, limit, (row) => [row.id]);
  const legs = await legsByTask(
    db,
    page.map((row) => row.id),
  );
  return {
    answer: page.map((row) => viewTask(row, legs.get(row.id) ?? [], now)),
    nextCursor,
    total: () => countTasks(db, filter),
  };
};
