import type { Lamports } from '@agent-relay/protocol';
import { sql } from 'kysely';
import type { Db, Trx } from './connect.js';
import type { LegClaim } from './digitalLegs.js';
import type { DigitalLegRow } from './schema.js';

/** Who claims a leg, and how. */
export interface NewClaim {
  agentPubkey: string;
  bidLamports: Lamports;
  signed: boolean;
}

/** Gives an open leg to the agent, as a claim of its own number; undefined when somebody has it. Rule M-54. */
export async function takeLeg(trx: Trx, legId: string, claim: NewClaim): Promise<DigitalLegRow | undefined> {
  return trx
    .updateTable('digital_legs')
    .set((eb) => ({
      claim: eb('claim', '+', 1),
      agent_pubkey: claim.agentPubkey,
      bid_lamports: claim.bidLamports,
      signed: claim.signed,
      claimed_at: sql<Date>`now()`,
    }))
    .where('id', '=', legId)
    .where('status', '=', 'pending')
    .where('agent_pubkey', 'is', null)
    .returningAll()
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

/** How far a claim is. */
export type ClaimState = Pick<DigitalLegRow, 'status' | 'release_reason'>;

/** Undefined once the claim is void. */
export async function readClaim(db: Db, { id, claim }: LegClaim): Promise<ClaimState | undefined> {
  return db
    .selectFrom('digital_legs')
    .select(['status', 'release_reason'])
    .where('id', '=', id)
    .where('claim', '=', claim)
    .where('agent_pubkey', 'is not', null)
    .executeTakeFirst();
}
