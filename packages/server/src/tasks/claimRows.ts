import { LEG_WITHOUT_RESULT, type LegWithoutResult } from '../db/schema/tasks.js';
import { type FailureReason, type Lamports, toLamports } from '@legwork/protocol/contract';
import { type ExpressionBuilder, sql } from 'kysely';
import type { Db, Trx } from '../db/connect.js';
import { type LegClaim } from './taskLegRows.js';
import type { StageColumns } from '../legs/moveRows.js';
import type { Database, DigitalLegRow, DigitalTaskRow } from '../db/schema.js';
import { transition, transitionAll } from '../db/transition.js';
import { type Personal, personal } from '../db/sealing.js';

/** The claimant of a leg, and the manner of its claim. */
export interface NewClaim {
  agentPubkey: string;
  bidLamports: Lamports;
  signed: boolean;
  /** Its kept call; undefined: nobody signed it. */
  call?: { signature: string } | undefined;
  /** The address it comes from, as limits count it; null: the ledger alone shows the claim. */
  client: string | null;
}

/** Holds while the leg is still this claim's. */
const ofClaim = (claim: number) => (eb: ExpressionBuilder<Database, 'digital_legs'>) => eb('claim', '=', claim);

/** Gives an open leg to the agent, as a claim with a number of its own. @returns undefined when somebody has it. Rule M-54. */
export async function takeLeg(trx: Trx, legId: string, claim: NewClaim): Promise<LegWithoutResult | undefined> {
  return trx
    .updateTable('digital_legs')
    .set((eb) => ({
      claim: eb('claim', '+', 1),
      agent_pubkey: claim.agentPubkey,
      bid_lamports: claim.bidLamports,
      signed: claim.signed,
      call_signature: claim.call?.signature ?? null,
      client: claim.client,
      claimed_at: sql<Date>`now()`,
    }))
    .where('id', '=', legId)
    .where('status', '=', 'pending')
    .where('agent_pubkey', 'is', null)
    .returning(LEG_WITHOUT_RESULT)
    .executeTakeFirst();
}

/**
 * The agent's key signed for the claim: from now on only signed calls complete or release it. Rule S-60.
 *
 * @param callSignature of the kept call that claims the leg; undefined: another call was signed
 */
export async function markSigned(trx: Trx, { id, claim }: LegClaim, callSignature?: string): Promise<void> {
  await trx
    .updateTable('digital_legs')
    .set({ signed: true, ...(callSignature !== undefined && { call_signature: callSignature }) })
    .where('id', '=', id)
    .where('claim', '=', claim)
    .where('agent_pubkey', 'is not', null)
    .execute();
}

/** Stores what the agent hands in. @returns false when the claim is void, its release is decided, or there is a result. Rule M-58. */
export async function storeResult(
  trx: Trx,
  { id, claim }: LegClaim,
  { result, hash }: { result: string; hash: string },
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('digital_legs')
    .set({ result: personal(result), result_hash: hash })
    .where('id', '=', id)
    .where('claim', '=', claim)
    .where('agent_pubkey', 'is not', null)
    .where('status', 'in', ['pending', 'in_progress'])
    .where('release_reason', 'is', null)
    .where('result', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Stores the text of the hash that the ledger shows confirmed. Rule M-59. @returns false when it is here already */
export async function storeConfirmedResult(
  trx: Trx,
  { id, claim }: LegClaim,
  { result, hash }: { result: string; hash: string },
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('digital_legs')
    .set({ result: personal(result) })
    .where('id', '=', id)
    .where('claim', '=', claim)
    .where('status', '=', 'completed')
    .where('result_hash', '=', hash)
    .where('result', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** An assignment that the ledger shows; `turn`: of a task with terms. */
interface NewAssignment {
  signature: string;
  claimTimeoutSec: number;
  turn: { stage: 'pending'; formation: number; since: Date; since_signature: string; until: Date } | null;
}

/** Assigns the leg and starts its agent's clock. @returns undefined when it was assigned already, or the claim is void */
export async function markAssigned(
  trx: Trx,
  { id, claim }: LegClaim,
  { signature, claimTimeoutSec, turn }: NewAssignment,
): Promise<LegWithoutResult | undefined> {
  const dueAt = turn?.until ?? sql<Date>`now() + make_interval(secs => ${claimTimeoutSec})`;
  return transition(trx, 'digitalLeg', id, 'assigned', {
    // With terms the address counts until the leg is accepted.
    columns: { ...(turn === null && { client: null }), assign_signature: signature, due_at: dueAt, ...turn },
    fence: (eb) => eb.and([eb('claim', '=', claim), eb('agent_pubkey', 'is not', null)]),
  });
}

/** The claim columns of a leg that nobody has. */
export const NO_CLAIM = {
  agent_pubkey: null,
  bid_lamports: null,
  signed: null,
  call_signature: null,
  client: null,
  claimed_at: null,
  turn_at: null,
  assign_signature: null,
  due_at: null,
  release_reason: null,
  result: null,
  result_hash: null,
  formation: null,
  stage: null,
  since: null,
  since_signature: null,
  until: null,
  disputer_pubkey: null,
  percent: null,
  evidence_hash: null,
  reason_hash: null,
  forfeited_lamports: toLamports(0n),
} as const;

/** Opens the leg to others. @returns false when it is not this claim's any more */
export async function markReleased(trx: Trx, { id, claim }: LegClaim): Promise<boolean> {
  const change = { columns: NO_CLAIM, fence: ofClaim(claim) };
  return (await transition(trx, 'digitalLeg', id, 'released', change)) !== undefined;
}

/** Ends a claim that the ledger never took, and drops what was handed in for it. @returns false when there is no such claim any more */
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
 * Records that the claim is to be released. Rule M-57.
 *
 * @returns false when a result came first, a release was decided before, or the claim is void
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

/** The ledger's record of an ended leg; of a task with terms, `columns` of its turn and the evidence that was its result. */
interface Ended {
  signature: string;
  resultHash: string;
  paymentLamports: Lamports;
  columns?: StageColumns;
  result?: string | undefined;
}

/**
 * Completes the leg with the hash that the ledger shows, and with no result but the one that the hash proves.
 *
 * @returns false when it was completed already, or the claim is void
 */
export async function markConfirmed(
  trx: Trx,
  { id, claim }: LegClaim,
  { signature, resultHash, paymentLamports, result, columns: turn = {} }: Ended,
): Promise<boolean> {
  const columns = {
    ...turn,
    result:
      result !== undefined
        ? personal(result)
        : sql<Personal | null>`case when result_hash = ${resultHash} then result end`,
    result_hash: resultHash,
    confirm_signature: signature,
    payment_lamports: paymentLamports,
    completed_at: sql<Date>`now()`,
  };
  return (await transition(trx, 'digitalLeg', id, 'confirmed', { columns, fence: ofClaim(claim) })) !== undefined;
}

/** Fails the legs of a task that ended, other than the completed ones. */
export async function failOpenLegs(trx: Trx, taskId: string, reason: FailureReason): Promise<void> {
  await transitionAll(trx, 'digitalLeg', (eb) => eb('task_id', '=', taskId), reason, { turn_at: null });
}

/** How far a claim and its task are. */
export interface ClaimState extends Pick<DigitalLegRow, 'status' | 'release_reason'> {
  task_status: DigitalTaskRow['status'];
  /** True if no leg comes after this one. */
  is_last: boolean;
}

/** @returns undefined once the claim is void */
export async function readClaim(db: Db, { id, claim }: LegClaim): Promise<ClaimState | undefined> {
  return db
    .selectFrom('digital_legs')
    .innerJoin('digital_tasks', 'digital_tasks.id', 'digital_legs.task_id')
    .select([
      'digital_legs.status',
      'release_reason',
      'digital_tasks.status as task_status',
      sql<boolean>`leg_index = num_legs - 1`.as('is_last'),
    ])
    .where('digital_legs.id', '=', id)
    .where('claim', '=', claim)
    .where('agent_pubkey', 'is not', null)
    .executeTakeFirst();
}
