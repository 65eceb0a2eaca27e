import { MIN_DEADLINE_SEC } from '@legwork/protocol/rules';
import { type SelectQueryBuilder, sql } from 'kysely';
import type { Db, Trx } from './connect.js';
import { LEG_WITHOUT_RESULT, type LegWithoutResult } from './digitalLegs.js';
import { isTaskListed, type ListedTaskRow } from './digitalTasks.js';
import type { Database } from './schema.js';

/** Which digital tasks a list shows. */
export interface TaskFilter {
  status: ListedTaskRow['status'] | undefined;
  shipper: string | undefined;
  /** Only tasks with a leg that can be claimed at this instant. */
  openAt: Date | undefined;
}

/** Whether a leg of the task can be claimed at the instant. Rule M-54. */
const hasOpenLeg = (at: Date) => sql<boolean>`(
  digital_tasks.status in ('listed', 'in_progress')
  and digital_tasks.deadline >= ${at}::timestamptz
    + make_interval(secs => digital_tasks.claim_timeout_sec + ${sql.lit(MIN_DEADLINE_SEC)})
  and exists (
    select from digital_legs
    where task_id = digital_tasks.id and digital_legs.status = 'pending' and agent_pubkey is null
      and held_elsewhere is null))`;

function filtered(
  db: Db | Trx,
  { status, shipper, openAt }: TaskFilter,
): SelectQueryBuilder<Database, 'digital_tasks', object> {
  let query = db.selectFrom('digital_tasks').where('digital_tasks.status', '<>', 'draft');
  if (status !== undefined) query = query.where('digital_tasks.status', '=', status);
  if (shipper !== undefined) query = query.where('shipper_pubkey', '=', shipper);
  if (openAt !== undefined) query = query.where(hasOpenLeg(openAt));
  return query;
}

/** A page of digital tasks, newest first (UUIDv7 ids grow with time); `before` is the last id of the page before. */
export async function pageOfTasks(
  db: Db | Trx,
  filter: TaskFilter,
  page: { before: string | undefined; limit: number },
): Promise<ListedTaskRow[]> {
  let query = filtered(db, filter).selectAll().orderBy('digital_tasks.id', 'desc').limit(page.limit);
  if (page.before !== undefined) query = query.where('digital_tasks.id', '<', page.before);
  return (await query.execute()).filter(isTaskListed);
}

/** How many digital tasks all pages of the list have. */
export async function countTasks(db: Db, filter: TaskFilter): Promise<number> {
  const { count } = await filtered(db, filter)
    .select((eb) => eb.fn.countAll<bigint>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** The legs of these tasks by task, each task's in order, without their results. */
export async function legsByTask(db: Db | Trx, taskIds: readonly string[]): Promise<Map<string, LegWithoutResult[]>> {
  const legs = new Map<string, LegWithoutResult[]>(taskIds.map((id) => [id, []]));
  if (taskIds.length === 0) return legs;
  const rows = await db
    .selectFrom('digital_legs')
    .select(LEG_WITHOUT_RESULT)
    .where('task_id', 'in', taskIds)
    .orderBy('leg_index')
    .execute();
  for (const row of rows) legs.get(row.task_id)?.push(row);
  return legs;
}
