import { connect, type Db, KeyRing, type Trx } from '@legwork/server/database';
import pg from 'pg';
import { unreachable } from './errors.js';

export type { Db, Trx };

/** Opens one connection; queries have no time limit. @param keys the folder of the keys of what is personal; undefined: nothing is sealed */
export async function openDatabase(connectionString: string, keys: string | undefined): Promise<Db> {
  const keyRing = keys === undefined ? undefined : await KeyRing.open(keys);
  return connect(connectionString, 1, () => undefined, { keyRing });
}

/**
 * Runs `work` in one read-only snapshot of the database.
 *
 * @throws AuditImpossibleError with PostgreSQL's message when it refuses: a schema that is not migrated, a missing right
 */
export async function readDatabase<T>(db: Db, work: (trx: Trx) => Promise<T>): Promise<T> {
  try {
    return await db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(work);
  } catch (error) {
    throw error instanceof pg.DatabaseError ? unreachable('DATABASE_URL', error) : error;
  }
}

export const ROWS_AT_ONCE = 500;

/**
 * Reads rows in batches, so that a large table takes no more memory than a small one.
 *
 * @param read - the next rows after the given one, `atOnce` at most
 */
export async function* rowBatches<Row>(
  read: (after: Row | undefined) => Promise<Row[]>,
  atOnce = ROWS_AT_ONCE,
): AsyncGenerator<Row[], void> {
  for (let last: Row | undefined; ; ) {
    const rows = await read(last);
    if (rows.length > 0) yield rows;
    last = rows.at(-1);
    if (rows.length < atOnce) return;
  }
}

/** Reads the rows for many keys, some keys at a time. */
export async function readFor<Key, Row>(
  keys: readonly Key[],
  read: (some: readonly Key[]) => Promise<Row[]>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let from = 0; from < keys.length; from += ROWS_AT_ONCE) {
    rows.push(...(await read(keys.slice(from, from + ROWS_AT_ONCE))));
  }
  return rows;
}
