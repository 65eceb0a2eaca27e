import { type FailureReason, type Lamports, statusesBefore, toLamports } from '@legwork/protocol/contract';
import { type Insertable, sql } from 'kysely';
import type { Db, Trx } from './connect.js';
import type { BarredAgentsTable, DigitalLegRow } from './schema.js';

/** A leg without its result, which may be large: whoever only decides about legs does not read it. */
export type LegWithoutResult = Omit<DigitalLegRow, 'result'>;

/** The columns of {@link LegWithoutResult}. */
export const LEG_WITHOUT_RESULT = [
  'digital_legs.id',
  'digital_legs.task_id',
  'digital_legs.leg_index',
  'digital_legs.instruction',
  'digital_legs.status',
  'digital_legs.on_chain_leg',
  'digital_legs.claim',
  'digital_legs.agent_pubkey',
  'digital_legs.bid_lamports',
  'digital_legs.signed',
  'digital_legs.client',
  'digital_legs.claimed_at',
  'digital_legs.turn_at',
  'digital_legs.assign_signature',
  'digital_legs.due_at',
  'digital_legs.release_reason',
  'digital_legs.result_hash',
  'digital_legs.confirm_signature',
  'digital_legs.payment_lamports',
  'digital_legs.completed_at',
  'digital_legs.held_elsewhere',
] as const;

/** One claim of a leg: what was decided about another one is void. */
export type LegClaim = Pick<DigitalLegRow, 'id' | 'claim'>;

/** The legs of a task, in order. */
export async function legsOf(db: Db | Trx, taskId: string): Promise<LegWithoutResult[]> {
  return db
    .selectFrom('digital_legs')
    .select(LEG_WITHOUT_RESULT)
    .where('task_id', '=', taskId)
    .orderBy('leg_index')
    .execute();
}

/** The legs of a task, in order, with what was handed in for them. */
export async function legsWithResultsOf(db: Db | Trx, taskId: string): Promise<DigitalLegRow[]> {
  return db.selectFrom('digital_legs').selectAll().where('task_id', '=', taskId).orderBy('leg_index').execute();
}

export async function findDigitalLeg(db: Db | Trx, id: string): Promise<LegWithoutResult | undefined> {
  return db.selectFrom('digital_legs').select(LEG_WITHOUT_RESULT).where('id', '=', id).executeTakeFirst();
}

/** What was handed in for the leg; null: nothing yet. */
export async function readResult(db: Db, id: string): Promise<string | null> {
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

/** Notes which agent has the leg on-chain without a claim here; null: none any more. Rule S-50. */
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

/** pending -> in_progress, and the agent's clock starts; undefined when it was assigned already, or the claim is void. */
export async function markAssigned(
  trx: Trx,
  { id, claim }: LegClaim,
  { signature, claimTimeoutSec }: { signature: string; claimTimeoutSec: number },
): Promise<LegWithoutResult | undefined> {
  return trx
    .updateTable('digital_legs')
    .set({
      status: 'in_progress',
      client: null,
      assign_signature: signature,
      due_at: sql<Date>`now() + make_interval(secs => ${claimTimeoutSec})`,
    })
    .where('id', '=', id)
    .where('claim', '=', claim)
    .where('agent_pubkey', 'is not', null)
    .where('status', 'in', statusesBefore('digitalLeg', 'assigned'))
    .returning(LEG_WITHOUT_RESULT)
    .executeTakeFirst();
}

/** What a leg that nobody has holds of its last claim. */
const NO_CLAIM = {
  agent_pubkey: null,
  bid_lamports: null,
  signed: null,
  client: null,
  claimed_at: null,
  turn_at: null,
  assign_signature: null,
  due_at: null,
  release_reason: null,
  result: null,
  result_hash: null,
} as const;

/** in_progress -> pending, open to others; false when it is not this claim's any more. */
export async function markReleased(trx: Trx, { id, claim }: LegClaim): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('digital_legs')
    .set({ status: 'pending', ...NO_CLAIM })
    .where('id', '=', id)
    .where('claim', '=', claim)
    .where('status', 'in', statusesBefore('digitalLeg', 'released'))
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Ends a claim that the ledger never took, with what was handed in for it; false when there is none such any more. */
export async function voidClaim(trx: Trx, { id, claim }: LegClaim): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('digital_legs')
    .set(NO_CLAIM)
    .where('id', '=', id)
    .where('claim', '=', claim)
    .where('agent_pubkey', 'is not', null)
    .where('status', '=', 'pending')
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/**
 * Notes that the claim is to be released; false when a result came before, a release was decided before, or the claim is
 * void. Rule M-57.
 */
export async function markReleaseDecided(
  trx: Trx,
  { id, claim }: LegClaim,
  reason: NonNullable<DigitalLegRow['release_reason']>,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('digital_legs')
    .set({ release_reason: reason })
    .where('id', '=', id)
    .where('claim', '=', claim)
    .where('agent_pubkey', 'is not', null)
    .where('status', 'in', ['pending', 'in_progress'])
    .where('result', 'is', null)
    .where('release_reason', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/**
 * in_progress -> completed, with the hash that the ledger shows and no result but the one that it proves; false when it was
 * completed already, or the claim is void.
 */
export async function markConfirmed(
  trx: Trx,
  { id, claim }: LegClaim,
  { signature, resultHash, paymentLamports }: { signature: string; resultHash: string; paymentLamports: Lamports },
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('digital_legs')
    .set({
      status: 'completed',
      result: sql<string | null>`case when result_hash = ${resultHash} then result end`,
      result_hash: resultHash,
      confirm_signature: signature,
      payment_lamports: paymentLamports,
      completed_at: sql<Date>`now()`,
    })
    .where('id', '=', id)
    .where('claim', '=', claim)
    .where('status', 'in', statusesBefore('digitalLeg', 'confirmed'))
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** The legs of a task that ended, other than the completed ones -> failed. */
export async function failOpenLegs(trx: Trx, taskId: string, reason: FailureReason): Promise<void> {
  await trx
    .updateTable('digital_legs')
    .set({ status: 'failed', turn_at: null })
    .where('task_id', '=', taskId)
    .where('status', 'in', statusesBefore('digitalLeg', reason))
    .execute();
}

/** What the agents of the task were paid. */
export async function paidFor(db: Db | Trx, taskId: string): Promise<Lamports> {
  const { paid } = await db
    .selectFrom('digital_legs')
    .select(sql<bigint>`coalesce(sum(payment_lamports), 0)::int8`.as('paid'))
    .where('task_id', '=', taskId)
    .executeTakeFirstOrThrow();
  return toLamports(paid);
}

/** A task with a reserved leg whose turn has come, and its assignment not decided yet. */
export type DueReservation = Pick<DigitalLegRow, 'task_id'>;

/** Those waiting longest first. */
export async function dueReservations(db: Db, limit: number): Promise<DueReservation[]> {
  return db
    .selectFrom('digital_legs')
    .select('task_id')
    .where('turn_at', 'is not', null)
    .orderBy('turn_at')
    .limit(limit)
    .execute();
}

/** The turn of the leg has come; nothing happens when nobody reserved it. */
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

/** Its assignment is decided. */
export async function clearTurn(trx: Trx, id: string): Promise<void> {
  await trx.updateTable('digital_legs').set({ turn_at: null }).where('id', '=', id).execute();
}

/** A claim whose agent's time is up, by the database's clock. */
export type DueClaim = LegClaim & Pick<DigitalLegRow, 'task_id'>;

/** Assigned legs without a result whose time is up and for which no release was decided, the longest due first. */
export async function dueClaims(db: Db, limit: number): Promise<DueClaim[]> {
  return db
    .selectFrom('digital_legs')
    .select(['id', 'claim', 'task_id'])
    .where('status', '=', 'in_progress')
    .where('due_at', '<=', sql<Date>`now()`)
    .where('result', 'is', null)
    .where('release_reason', 'is', null)
    .orderBy('due_at')
    .limit(limit)
    .execute();
}
