import { sql } from 'kysely';
import type { Db, Trx } from './connect.js';

/** Any constant will do; it only has to differ from other advisory locks of this database. */
const LOCK_SEED = 0x7475726e;

/**
 * Waits for this transaction's turn at the package, in the order of asking; the turn ends with the transaction. Whoever
 * changes the bids of a package takes one before the row's lock.
 */
export async function takeTurn(trx: Trx, packageId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${packageId}, ${LOCK_SEED}))`.execute(trx);
}

/**
 * Runs `work` while it is nobody else's turn at the package. A SERIALIZABLE transaction that has to wait for a row fails when
 * the row was changed meanwhile, and on a package with many bids it always would be: here the waiting is done before it begins.
 *
 * @param work may take further locks in the turn's own transaction: read committed, it ends after the work
 * @param db needs two connections a call, so a pool that others may exhaust would end in a deadlock
 */
export async function inTurn<T>(db: Db, packageId: string, work: (turn: Trx) => Promise<T>): Promise<T> {
  return db.transaction().execute(async (trx) => {
    await takeTurn(trx, packageId);
    return work(trx);
  });
}
