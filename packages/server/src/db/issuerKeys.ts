import { sql } from 'kysely';
import type { Db, Trx } from './connect.js';

/**
 * Notes that this key issues the credentials from now on. The one that did before becomes a former one; one that did once
 * and comes back is the present one again. Of replicas with different keys the last to start says. Rule S-66.
 */
export async function noteIssuer(trx: Trx, pubkey: string): Promise<void> {
  // Two replicas that start at once: there is one present key, whoever is second replaces it.
  await sql`select pg_advisory_xact_lock(hashtextextended('issuer_keys', 0))`.execute(trx);
  await trx
    .updateTable('issuer_keys')
    .set({ until: sql<Date>`clock_timestamp()` })
    .where('until', 'is', null)
    .where('pubkey', '<>', pubkey)
    .execute();
  await trx
    .insertInto('issuer_keys')
    .values({ pubkey, until: null })
    .onConflict((conflict) => conflict.column('pubkey').doUpdateSet({ until: null }))
    .execute();
}

/** Every key that issues credentials here, or did. */
export async function listIssuers(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('issuer_keys').select('pubkey').execute();
  return rows.map(({ pubkey }) => pubkey);
}
