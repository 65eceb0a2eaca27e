import type { Lamports } from '@legwork/protocol/contract';
import { sql } from 'kysely';
import type { Db, Trx } from './connect.js';
import { LEG_WITHOUT_RESULT, type LegClaim, type LegWithoutResult } from './digitalLegs.js';
import type { DigitalLegRow, DigitalTaskRow } from './schema.js';

/** Who claims a leg, and how. */
export interface NewClaim {
  agentPubkey: string;
  bidLamports: Lamports;
  signed: boolean;
  /** The address it comes from, as limits count it. */
  client: string;
}

/** Gives an open leg to the agent, as a claim of its own number; undefined when somebody has it. Rule M-54. */
export async function takeLeg(trx: Trx, legId: string, claim: NewClaim): Promise<LegWithoutResult | undefined> {
  return trx
    .updateTable('digital_legs')
    .set((eb) => ({
      claim: eb('claim', '+', 1),
      agent_pubkey: claim.agentPubkey,
      bid_lamports: claim.bidLamports,
      signed: claim.signed,
      client: claim.client,
      claimed_at: sql<Date>`now()`,
    }))
    .where('id', '=', legId)
    .where('status', '=', 'pending')
    .where('agent_pubkey', 'is', null)
    .returning(LEG_WITHOUT_RESULT)
    .executeTakeFirst();
}

/** The agent's key signed for the claim: from now on only signed calls complete or release it. Rule S-60. */
export async function markSigned(trx: Trx, { id, claim }: LegClaim): Promise<void> {
  await trx
    .updateTable('digital_legs')
    .set({ signed: true })
    .where('id', '=', id)
    .where('claim', '=', claim)
    .where('agent_pubkey', 'is not', null)
    .execute();
}

/** Stores what the agent hands in; false when the claim is void, its release is decided, or there is a result. Rule M-58. */
export async function storeResult(
  trx: Trx,
  { id, claim }: LegClaim,
  { result, hash }: { result: string; hash: string },
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('digital_legs')
    .set({ result, result_hash: hash })
    .where('id', '=', id)
    .where('claim', '=', claim)
    .where('agent_pubkey', 'is not', null)
    .where('status', 'in', ['pending', 'in_progress'])
    .where('release_reason', 'is', null)
    .where('result', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Stores the text of the hash that the ledger shows confirmed, if it is not here yet. Rule M-59. */
export async function storeConfirmedResult(
  trx: Trx,
  { id, claim }: LegClaim,
  { result, hash }: { result: string; hash: string },
): Promise<void> {
  await trx
    .updateTable('digital_legs')
    .set({ result })
    .where('id', '=', id)
    .where('claim', '=', claim)
    .where('status', '=', 'completed')
    .where('result_hash', '=', hash)
    .where('result', 'is', null)
    .execute();
}

/** How far a claim is, and its task. */
export interface ClaimState extends Pick<DigitalLegRow, 'status' | 'release_reason'> {
  task_status: DigitalTaskRow['status'];
  /** Whether no leg comes after this one. */
  is_last: boolean;
}

/** Undefined once the claim is void. */
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
