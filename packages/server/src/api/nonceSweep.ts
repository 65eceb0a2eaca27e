import { sql } from 'kysely';
import type { Db } from '../db/connect.js';
import { deleteInBatches } from '../db/transaction.js';

/** Far past the two minutes in which a nonce may be fresh on any replica's clock. */
const KEEP = '10 minutes';

/** Deletes nonces that no signature could use any more. Rule S-15. @returns how many */
export function sweepNonces(db: Db): Promise<number> {
  return deleteInBatches(db, 'nonces', sql`used_at < now() - ${KEEP}::interval`);
}
