import type { FailureReason, Lamports, TaskStatus } from '@legwork/protocol/contract';
import { type Insertable, sql } from 'kysely';
import type { Db, Trx } from './connect.js';
import type { DigitalLegsTable, DigitalTaskRow, DigitalTasksTable } from './schema.js';
import { markReturned } from './sponsorships.js';
import { INITIAL_STATUS, transition } from './transition.js';

/** A digital task that the ledger knows: everything but a draft. */
export type ListedTaskRow = DigitalTaskRow & { status: Exclude<TaskStatus, 'draft'> };

export function isTaskListed(row: DigitalTaskRow): row is ListedTaskRow {
  return row.status !== 'draft';
}

export async function findTask(db: Db | Trx, id: string): Promise<DigitalTaskRow | undefined> {
  return db.selectFrom('digital_tasks').selectAll().where('id', '=', id).executeTakeFirst();
}

/**
 * Reads the task and keeps everybody else from changing it until the transaction ends. Whoever decides anything about its legs
 * does this first.
 */
export async function lockTask(trx: Trx, id: string): Promise<DigitalTaskRow | undefined> {
  return trx.selectFrom('digital_tasks').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

/** The task whose account is at the address; undefined: no draft was made for it. */
export async function taskAt(trx: Trx, onChainTask: string): Promise<DigitalTaskRow | undefined> {
  return trx.selectFrom('digital_tasks').selectAll().where('on_chain_task', '=', onChainTask).executeTakeFirst();
}

/** The task that an earlier try of the same request made. */
export async function findTaskByRequestKey(db: Db | Trx, requestKey: string): Promise<DigitalTaskRow | undefined> {
  return db.selectFrom('digital_tasks').selectAll().where('request_key', '=', requestKey).executeTakeFirst();
}

/** A digital task that no listing is known of yet, and its legs. */
export type NewTask = Omit<Insertable<DigitalTasksTable>, 'status'>;
export type NewDigitalLeg = Omit<Insertable<DigitalLegsTable>, 'status'>;

export async function insertTaskDraft(trx: Trx, draft: NewTask, legs: NewDigitalLeg[]): Promise<void> {
  await trx
    .insertInto('digital_tasks')
    .values({ ...draft, status: INITIAL_STATUS.task })
    .execute();
  await trx
    .insertInto('digital_legs')
    .values(legs.map((leg) => ({ ...leg, status: INITIAL_STATUS.digitalLeg })))
    .execute();
}

/** Listed; false when it was already. */
export async function markTaskListed(trx: Trx, id: string, listSignature: string): Promise<boolean> {
  const columns = { list_signature: listSignature, listed_at: sql<Date>`now()` };
  return (await transition(trx, 'task', id, 'listing_confirmed', { columns })) !== undefined;
}

/** Under way; nothing happens when it is already. */
export async function markTaskInProgress(trx: Trx, id: string): Promise<void> {
  await transition(trx, 'task', id, 'leg_assigned');
}

/** Listed again once nothing of it is completed and nobody is at work; nothing happens otherwise. Rule M-60. */
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

/** Completed; false when it was already. */
export async function markTaskCompleted(
  trx: Trx,
  id: string,
  settleSignature: string,
  refundLamports: Lamports,
): Promise<boolean> {
  const columns = { settle_signature: settleSignature, refund_lamports: refundLamports };
  return (await transition(trx, 'task', id, 'settled', { columns })) !== undefined;
}

/** Failed, for good; false when it is over already. */
export async function markTaskEnded(
  trx: Trx,
  id: string,
  reason: FailureReason,
  endSignature: string,
): Promise<boolean> {
  const columns = { failure_reason: reason, end_signature: endSignature };
  return (await transition(trx, 'task', id, reason, { columns })) !== undefined;
}

/** Notes that its account is closed, and so what the coordinator advanced for it returned; false when that was noted already. */
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
