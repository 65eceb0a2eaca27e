import { type FailureReason, type Lamports, MOST_COUNTED, type TaskStatus } from '@legwork/protocol/contract';
import { MIN_DEADLINE_SEC } from '@legwork/protocol/rules';
import { type Insertable, type SelectQueryBuilder, sql } from 'kysely';
import type { Db, Trx } from '../db/connect.js';
import type { Database, DigitalLegRow, DigitalLegsTable, DigitalTaskRow, DigitalTasksTable } from '../db/schema.js';
import { markReturned } from '../money/sponsorshipRows.js';
import { personal, withPersonal } from '../db/sealing.js';
import { INITIAL_STATUS, transition } from '../db/transition.js';
import { type Found, isFound, setMarks } from '../work/workRows.js';
import type { Marks } from '../work/words.js';

/** A digital task that the ledger knows: everything but a draft. */
export type ListedTaskRow = DigitalTaskRow & { status: Exclude<TaskStatus, 'draft'> };

export function isTaskListed(row: DigitalTaskRow): row is ListedTaskRow {
  return row.status !== 'draft';
}

export async function findTask(db: Db | Trx, id: string): Promise<DigitalTaskRow | undefined> {
  return db.selectFrom('digital_tasks').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Reads the task and locks it until the transaction ends. A caller that decides anything about its legs does this first. */
export async function lockTask(trx: Trx, id: string): Promise<DigitalTaskRow | undefined> {
  return trx.selectFrom('digital_tasks').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

/** Reads the tasks whose accounts are at the addresses, and locks them, in one order everywhere, until the transaction ends. */
export async function lockTasksAt(trx: Trx, addresses: readonly string[]): Promise<DigitalTaskRow[]> {
  if (addresses.length === 0) return [];
  return trx
    .selectFrom('digital_tasks')
    .selectAll()
    .where('on_chain_task', 'in', addresses)
    .orderBy('id')
    .forUpdate()
    .execute();
}

/** Finds the task that an earlier try of the same request made. */
export async function findTaskByRequestKey(db: Db | Trx, requestKey: string): Promise<DigitalTaskRow | undefined> {
  return db.selectFrom('digital_tasks').selectAll().where('request_key', '=', requestKey).executeTakeFirst();
}

/** A digital task that no listing is known of yet, and its legs. */
export type NewTask = Omit<Insertable<DigitalTasksTable>, 'status' | ShownColumn> & Pick<DigitalTaskRow, ShownColumn>;
type ShownColumn = 'asset' | 'terms' | 'requirements' | 'title' | 'description';
export type NewDigitalLeg = Omit<Insertable<DigitalLegsTable>, 'status' | 'instruction'> &
  Pick<DigitalLegRow, 'instruction'> & { marks?: Marks };

type Described = Pick<DigitalTaskRow, 'title' | 'description'> & { salt?: string | null };

/** The digital task as it is stored. */
export const sealedTask = <Row extends Described>(row: Row) => ({
  ...withPersonal<Row>(row, { salt: null } as Partial<Row>),
  title: personal(row.title),
  description: personal(row.description),
});

export async function insertTaskDraft(
  trx: Trx,
  { terms, requirements, ...draft }: NewTask,
  legs: NewDigitalLeg[],
): Promise<void> {
  const json = { terms: terms && JSON.stringify(terms), requirements: requirements && JSON.stringify(requirements) };
  await trx
    .insertInto('digital_tasks')
    .values({
      ...sealedTask(draft),
      ...json,
      status: INITIAL_STATUS.task,
    })
    .execute();
  await trx
    .insertInto('digital_legs')
    .values(
      legs.map(({ marks: _marks, ...leg }) => ({
        ...leg,
        instruction: personal(leg.instruction),
        status: INITIAL_STATUS.digitalLeg,
      })),
    )
    .execute();
  for (const { id, marks } of legs) if (marks) await setMarks(trx, id, marks);
}

/** @returns false when the task was listed already */
export async function markTaskListed(trx: Trx, id: string, listSignature: string): Promise<boolean> {
  const columns = { list_signature: listSignature, listed_at: sql<Date>`now()` };
  return (await transition(trx, 'task', id, 'listing_confirmed', { columns })) !== undefined;
}

/** Does nothing when the task is under way already. */
export async function markTaskInProgress(trx: Trx, id: string): Promise<void> {
  await transition(trx, 'task', id, 'leg_assigned');
}

/** Counts an assignment that the ledger shows of a task with terms. @returns the number that its leg has */
export async function countAssignment(trx: Trx, id: string): Promise<number> {
  const { formation } = await trx
    .updateTable('digital_tasks')
    .set((eb) => ({ formation: eb('formation', '+', 1) }))
    .where('id', '=', id)
    .returning('formation')
    .executeTakeFirstOrThrow();
  return formation;
}

/** Lists the task again if none of its legs is completed and nobody is at work on one. Rule M-60. */
export async function markTaskListedAgain(trx: Trx, id: string): Promise<void> {
  await transition(trx, 'task', id, 'all_released', {
    fence: (eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('digital_legs')
            .select('digital_legs.id')
            .whereRef('digital_legs.task_id', '=', 'digital_tasks.id')
            .where('digital_legs.status', 'in', ['in_progress', 'completed']),
        ),
      ),
  });
}

/** @returns false when the task was completed already */
export async function markTaskCompleted(
  trx: Trx,
  id: string,
  settleSignature: string,
  refundLamports: Lamports,
): Promise<boolean> {
  const columns = { settle_signature: settleSignature, refund_lamports: refundLamports };
  return (await transition(trx, 'task', id, 'settled', { columns })) !== undefined;
}

/** Fails the task for good. @returns false when it is over already */
export async function markTaskEnded(
  trx: Trx,
  id: string,
  reason: FailureReason,
  endSignature: string,
): Promise<boolean> {
  const columns = { failure_reason: reason, end_signature: endSignature };
  return (await transition(trx, 'task', id, reason, { columns })) !== undefined;
}

/** Records that its account is closed, and so the coordinator's money is back. @returns false when that was recorded already */
export async function markTaskClosed(trx: Trx, id: string, closeSignature: string): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('digital_tasks')
    .set({ close_signature: closeSignature })
    .where('id', '=', id)
    .where('close_signature', 'is', null)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  await markReturned(trx, id);
  return true;
}

/** Which digital tasks a list shows. */
export interface TaskFilter {
  status: ListedTaskRow['status'] | undefined;
  shipper: string | undefined;
  /** Only tasks with a leg that can be claimed at this instant. */
  openAt: Date | undefined;
  /** The result of a search for work; undefined: nothing is searched for. */
  found?: Found | undefined;
}

/** True if a leg of the task can be claimed at the instant. Rule M-54. */
const hasOpenLeg = (at: Date) => sql<boolean>`(
  digital_tasks.status in ('listed', 'in_progress')
  and digital_tasks.deadline >= ${at}::timestamptz
    + make_interval(secs => coalesce((terms ->> 'handoffSec')::int4 + (terms ->> 'carrySec')::int4, claim_timeout_sec)
      + ${sql.lit(MIN_DEADLINE_SEC)})
  and exists (
    select from digital_legs
    where task_id = digital_tasks.id and digital_legs.status = 'pending' and agent_pubkey is null
      and held_elsewhere is null))`;

function filtered(
  db: Db | Trx,
  { status, shipper, openAt, found }: TaskFilter,
): SelectQueryBuilder<Database, 'digital_tasks', object> {
  let query = db.selectFrom('digital_tasks').where('digital_tasks.status', '<>', 'draft');
  if (status !== undefined) query = query.where('digital_tasks.status', '=', status);
  if (shipper !== undefined) query = query.where('shipper_pubkey', '=', shipper);
  if (openAt !== undefined) query = query.where(hasOpenLeg(openAt));
  return found ? query.where(isFound(found)) : query;
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

/** How many digital tasks all pages of the list have, at most {@link MOST_COUNTED}. */
export async function countTasks(db: Db, filter: TaskFilter): Promise<number> {
  const { count } = await db
    .selectFrom(filtered(db, filter).select('digital_tasks.id').limit(MOST_COUNTED).as('some'))
    .select((eb) => eb.fn.countAll<bigint>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}
