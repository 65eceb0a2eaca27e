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
 * Runs `work` in one transaction and commits it. After a serialization failure or a deadlock it runs again, after a jittered
 * pause: `work` must have no effect outside the transaction.
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

/** Any constant will do, as long as it differs from the other advisory locks of this database. */
const LOCK_SEED = 0x7475726e;

/**
 * Waits in line at the package, first come first served; the transaction leaves the line when it ends. A caller that changes
 * the bids of a package lines up before it locks the row.
 */
export async function lineUp(trx: Trx, packageId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${packageId}, ${LOCK_SEED}))`.execute(trx);
}

/**
 * Runs `work` at the head of the line at the package. A SERIALIZABLE transaction that has to wait for a row fails when the row
 * was changed meanwhile, and on a package with many bids it always would be: here the wait is over before it begins.
 *
 * @param work may take more locks in `line`, the transaction that stands in line: read committed, it ends after the work
 * @param db needs two connections a call: a pool that others can exhaust would end in a deadlock
 */
export async function atHeadOfLine<T>(db: Db, packageId: string, work: (line: Trx) => Promise<T>): Promise<T> {
  return db.transaction().execute(async (line) => {
    await lineUp(line, packageId);
    return work(line);
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
