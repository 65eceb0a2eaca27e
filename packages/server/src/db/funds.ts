import { type Lamports, toLamports } from '@legwork/protocol/contract';
import { sql } from 'kysely';
import type { Trx } from './connect.js';

/**
 * Lets one transaction at a time, among all replicas, decide what the coordinator spends: sums and what follows from them
 * belong together. Reads after it see what the others decided, unless the transaction is of a higher isolation than read
 * committed.
 */
export async function lockFunds(trx: Trx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('sponsorships', 0))`.execute(trx);
}

/**
 * What is decided and not done yet costs at most, in lamports. What was done within the last `readingSec` seconds counts too:
 * a balance read so long ago need not show it.
 */
export async function readPromised(trx: Trx, readingSec: number): Promise<Lamports> {
  const { rows } = await sql<{ lamports: bigint }>`
    select (
      (select coalesce(sum(cost_lamports), 0) from outbox where status in ('pending', 'sent')) +
      (select coalesce(sum(cost_lamports), 0) from outbox where status in ('done', 'failed')
        and cost_lamports > 0 and updated_at > now() - make_interval(secs => ${readingSec}))
    )::int8 as lamports`.execute(trx);
  return toLamports(rows[0]?.lamports ?? 0n);
}
