import { sql } from 'kysely';
import type { Db } from './connect.js';
import { deleteInBatches } from './transaction.js';

/** Well over the two minutes in which a nonce may be fresh on any replica's clock. */
const KEEP = '10 minutes';

/** Spends a nonce: the only memory that signing needs. Rule S-13. @returns false when the key used it before */
export async function spendNonce(db: Db, { pubkey, nonce }: { pubkey: string; nonce: string }): Promise<boolean> {
  const result = await db
    .insertInto('nonces')
    .values({ pubkey, nonce })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}

/** Deletes nonces that no signature can use any more. Rule S-15. @returns how many */
export function sweepNonces(db: Db): Promise<number> {
  return deleteInBatches(db, 'nonces', sql`used_at < now() - ${KEEP}::interval`);
}
