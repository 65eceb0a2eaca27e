import { setTimeout as sleep } from 'node:timers/promises';
import { type IsolationLevel, type RawBuilder, sql } from 'kysely';
import type { Db, Trx } from './connect.js';
import type { Database } from './schema.js';

const SERIALIZATION_FAILURE = '40001';
const DEADLOCK_DETECTED = '40P01';
const MAX_TRIES = 20;

function mayPassNextTime(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === SERIALIZATION_FAILURE || code === DEADLOCK_DETECTED;
}

/**
 * Runs `work` in one transaction and commits it; again, after a jittered pause, when the database asks for it
 * (serialization failure, deadlock). `work` must have no effect outside the transaction.
 */
export async function inTransaction<T>(
  db: Db,
  work: (trx: Trx) => Promise<T>,
  isolation: IsolationLevel = 'read committed',
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await db.transaction().setIsolationLevel(isolation).execute(work);
    } catch (error) {
      if (!mayPassNextTime(error) || tries === MAX_TRIES) throw error;
      await sleep(Math.random() * Math.min(200, 5 * 2 ** tries));
    }
  }
}

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

/** `rate_limits` belongs to the library that counts in it. */
type Table = keyof Database | 'rate_limits';

const BATCH = 5000;
/** A sweep ends after this many batches: a flood is removed over several sweeps, not in one long one. */
const MAX_BATCHES = 20;

/** Deletes the rows of a table that meet the condition, in batches that hold no lock for long. @returns how many */
export async function deleteInBatches(db: Db, table: Table, condition: RawBuilder<unknown>): Promise<number> {
  let deleted = 0;
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const result = await sql`
      delete from ${sql.table(table)} where ctid = any (array(
        select ctid from ${sql.table(table)} where ${condition} limit ${BATCH}
      ))`.execute(db);
    const count = Number(result.numAffectedRows ?? 0n);
    deleted += count;
    if (count < BATCH) break;
  }
  return deleted;
}
