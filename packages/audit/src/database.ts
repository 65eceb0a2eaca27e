import { connect, type Db, type KeyRing, SEALED, type Trx } from '@legwork/server/database';
import { type RawBuilder, sql } from 'kysely';
import pg from 'pg';
import { AuditImpossibleError, unreachable } from './errors.js';

export type { Db, Trx };

/** Opens one connection; queries have no time limit. */
export function openDatabase(connectionString: string, keyRing: KeyRing | undefined): Db {
  return connect(connectionString, 1, () => undefined, { keyRing });
}

/**
 * Makes sure that every package and digital task that was not erased can be read.
 *
 * @throws AuditImpossibleError naming the months whose keys are missing: what is sealed with them would differ from the ledger
 */
export async function requireKeys(db: Db, keyRing: KeyRing | undefined): Promise<void> {
  const { rows } = await sql<{ month: string }>`
    select distinct right(left(personal, 15), 7) as month from (
      select personal from packages where erased_at is null union all
      select personal from digital_tasks where erased_at is null) as kept
    where personal like ${sql.lit(`${SEALED}%`)}`.execute(db);
  const here = new Set(await keyRing?.months());
  const missing = rows.map(({ month }) => month).filter((month) => !here.has(month));
  if (missing.length === 0) return;
  throw new AuditImpossibleError(
    `The keys of ${missing.sort().join(', ')} are missing, with which texts and places are sealed: set PERSONAL_DATA_KEYS to the folder ` +
      'that the service has.',
  );
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

/** SQL that is true if the transaction's effect on a package was rebuilt from the ledger: then no decision of it is here. */
export const rebuiltBefore = (signature: RawBuilder<unknown>) => sql<boolean>`exists (
  select from ledger_transactions landed where landed.signature = ${signature} and landed.slot <= packages.rebuilt_slot)`;

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
