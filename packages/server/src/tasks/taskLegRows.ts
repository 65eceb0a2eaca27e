import { LEG_WITHOUT_RESULT, type LegWithoutResult } from '../db/schema/tasks.js';
import { type Lamports, toLamports } from '@legwork/protocol/contract';
import { type Insertable, sql } from 'kysely';
import type { Db, Trx } from '../db/connect.js';
import { isHalted } from '../db/finality.js';
import { type BarredAgentsTable, type DigitalLegRow } from '../db/schema.js';

/** One claim of a leg: what was decided about another one is void. */
export type LegClaim = Pick<DigitalLegRow, 'id' | 'claim' | 'task_id'>;

/** Nothing is decided about the legs of a halted task. */
const isOfHaltedTask = isHalted(sql`'task:' || digital_legs.task_id`);

/** The legs of a task, in order. */
export async function legsOf(db: Db | Trx, taskId: string): Promise<LegWithoutResult[]> {
  return db
    .selectFrom('digital_legs')
    .select(LEG_WITHOUT_RESULT)
    .where('task_id', '=', taskId)
    .orderBy('leg_index')
    .execute();
}

/** The legs of the task that were paid, in order. */
export async function paidDigitalLegs(trx: Trx, taskId: string) {
  return trx
    .selectFrom('digital_legs')
    .select(['leg_index', 'agent_pubkey', 'payment_lamports', 'confirm_signature'])
    .where('task_id', '=', taskId)
    .where('status', '=', 'completed')
    .where('payment_lamports', '>', toLamports(0n))
    .orderBy('leg_index')
    .$narrowType<{ agent_pubkey: string; payment_lamports: Lamports; confirm_signature: string }>()
    .execute();
}

/** The legs of a task, in order, with what was handed in for them. */
export async function legsWithResultsOf(db: Db | Trx, taskId: string): Promise<DigitalLegRow[]> {
  return db.selectFrom('digital_legs').selectAll().where('task_id', '=', taskId).orderBy('leg_index').execute();
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

export async function findDigitalLeg(db: Db | Trx, id: string): Promise<LegWithoutResult | undefined> {
  return db.selectFrom('digital_legs').select(LEG_WITHOUT_RESULT).where('id', '=', id).executeTakeFirst();
}

/** Reads what was handed in for the leg; null: nothing yet. */
export async function readResult(db: Db | Trx, id: string): Promise<string | null> {
  const leg = await db.selectFrom('digital_legs').select('result').where('id', '=', id).executeTakeFirst();
  return leg?.result ?? null;
}

/** The agents that get no leg of the task any more. */
export async function barredAgents(db: Db | Trx, taskId: string): Promise<string[]> {
  const rows = await db.selectFrom('barred_agents').select('agent_pubkey').where('task_id', '=', taskId).execute();
  return rows.map((row) => row.agent_pubkey);
}

/** Bars the agent from the task; the first reason stands. Rules M-57, M-61. */
export async function bar(trx: Trx, barred: Insertable<BarredAgentsTable>): Promise<void> {
  await trx
    .insertInto('barred_agents')
    .values(barred)
    .onConflict((conflict) => conflict.columns(['task_id', 'agent_pubkey']).doNothing())
    .execute();
}

/** Records which agent holds the leg on-chain without a claim here; null: none any more. Rule S-50. */
export async function noteHeldElsewhere(trx: Trx, id: string, agentPubkey: string | null): Promise<void> {
  await trx.updateTable('digital_legs').set({ held_elsewhere: agentPubkey }).where('id', '=', id).execute();
}

/** The releases of the leg that the ledger has shown. */
export async function releasesOf(
  trx: Trx,
  legId: string,
): Promise<{ agent_pubkey: string; release_signature: string | null }[]> {
  return trx
    .selectFrom('barred_agents')
    .select(['agent_pubkey', 'release_signature'])
    .where('leg_id', '=', legId)
    .where('release_signature', 'is not', null)
    .execute();
}

/** How many legs of the task are not completed. */
export async function countOpen(trx: Trx, taskId: string): Promise<number> {
  const { open } = await trx
    .selectFrom('digital_legs')
    .select((eb) => eb.fn.countAll<bigint>().as('open'))
    .where('task_id', '=', taskId)
    .where('status', '<>', 'completed')
    .executeTakeFirstOrThrow();
  return Number(open);
}

/** A task with a reserved leg whose turn has come and whose assignment is not decided yet. */
export type DueReservation = Pick<DigitalLegRow, 'task_id'>;

/** @returns those that wait longest first */
export async function dueReservations(db: Db, limit: number): Promise<DueReservation[]> {
  return db
    .selectFrom('digital_legs')
    .select('task_id')
    .where('turn_at', 'is not', null)
    .where((eb) => eb.not(isOfHaltedTask))
    .orderBy('turn_at')
    .limit(limit)
    .execute();
}

/** Records that the leg's turn has come, if an agent reserved it. */
export async function markTurn(trx: Trx, taskId: string, legIndex: number): Promise<void> {
  await trx
    .updateTable('digital_legs')
    .set({ turn_at: sql<Date>`now()` })
    .where('task_id', '=', taskId)
    .where('leg_index', '=', legIndex)
    .where('status', '=', 'pending')
    .where('agent_pubkey', 'is not', null)
    .execute();
}

/** The leg's assignment is decided: it no longer waits for it. */
export async function clearTurn(trx: Trx, id: string): Promise<void> {
  await trx.updateTable('digital_legs').set({ turn_at: null }).where('id', '=', id).execute();
}

/**
 * Assigned legs for which no release was decided: without a result when their time is up, the longest due first; with terms, when they
 * are vacant.
 */
export async function dueClaims(db: Db, limit: number): Promise<LegClaim[]> {
  return db
    .selectFrom('digital_legs')
    .select(['id', 'claim', 'task_id'])
    .where('status', '=', 'in_progress')
    .where((eb) =>
      eb.or([
        eb('stage', '=', 'vacant'),
        eb.and([eb('stage', 'is', null), eb('due_at', '<=', sql<Date>`now()`), eb('result', 'is', null)]),
      ]),
    )
    .where('release_reason', 'is', null)
    .where((eb) => eb.not(isOfHaltedTask))
    .orderBy('due_at')
    .limit(limit)
    .execute();
}
