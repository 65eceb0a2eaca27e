import type { Lamports } from '@legwork/protocol/contract';
import { sql } from 'kysely';
import type { Trx } from './connect.js';

/** Adds what a leg paid to what its agent earned, in the transaction that completes the leg. */
export async function addEarnings(trx: Trx, agentPubkey: string, lamports: Lamports): Promise<void> {
  await trx
    .insertInto('earnings')
    .values({ agent_pubkey: agentPubkey, lamports, last_completed_at: sql<Date>`now()` })
    .onConflict((conflict) =>
      conflict.column('agent_pubkey').doUpdateSet({
        lamports: sql<Lamports>`earnings.lamports + excluded.lamports`,
        last_completed_at: sql<Date>`greatest(earnings.last_completed_at, excluded.last_completed_at)`,
      }),
    )
    .execute();
}
