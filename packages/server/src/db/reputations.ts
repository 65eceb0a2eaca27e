import { sql } from 'kysely';
import type { Db, Trx } from './connect.js';
import type { ReputationRow } from './schema.js';

export async function findReputation(db: Db | Trx, agentPubkey: string): Promise<ReputationRow | undefined> {
  return db.selectFrom('reputations').selectAll().where('agent_pubkey', '=', agentPubkey).executeTakeFirst();
}

/**
 * Mirrors readings of reputation accounts; a reading of an older slot never replaces a newer one. One that shows the account
 * unchanged leaves the instant of the reading that showed the change: credentials stay the same that long. Rule S-64.
 */
export async function mirrorReputations(trx: Trx, readings: Omit<ReputationRow, 'mirrored_at'>[]): Promise<void> {
  if (readings.length === 0) return;
  // One order everywhere, so that two transactions that mirror the same agents cannot deadlock.
  const ordered = [...readings].sort((a, b) => (a.agent_pubkey < b.agent_pubkey ? -1 : 1));
  await trx
    .insertInto('reputations')
    .values(ordered.map((reading) => ({ ...reading, mirrored_at: sql<Date>`now()` })))
    .onConflict((conflict) =>
      conflict
        .column('agent_pubkey')
        .doUpdateSet((eb) => ({
          on_chain_pda: eb.ref('excluded.on_chain_pda'),
          legs_accepted: eb.ref('excluded.legs_accepted'),
          legs_completed: eb.ref('excluded.legs_completed'),
          reliability_score: eb.ref('excluded.reliability_score'),
          slot: eb.ref('excluded.slot'),
          mirrored_at: sql<Date>`case when reputations.legs_accepted + reputations.legs_completed
            < excluded.legs_accepted + excluded.legs_completed then excluded.mirrored_at else reputations.mirrored_at end`,
        }))
        // The counts only grow: of two readings of one slot the larger is the later.
        .where(
          sql<boolean>`(reputations.slot, reputations.legs_accepted + reputations.legs_completed)
            <= (excluded.slot, excluded.legs_accepted + excluded.legs_completed)`,
        ),
    )
    .execute();
}
