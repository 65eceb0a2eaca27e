import type { Database } from '@legwork/server/schema';
import { Kysely, PostgresDialect, type Transaction } from 'kysely';
import pg from 'pg';
import { unreachable } from './errors.js';

export type Db = Kysely<Database>;
export type Trx = Transaction<Database>;

/** Parses int8 as bigint, as the tables' types say. */
const types: pg.CustomTypesConfig = {
  getTypeParser(oid, format) {
    if (oid === pg.types.builtins.INT8 && format !== 'binary') return (value: string) => BigInt(value);
    return pg.types.getTypeParser(oid, format) as unknown;
  },
};

/** Opens one connection; queries have no time limit. */
export function openDatabase(connectionString: string): Db {
  const pool = new pg.Pool({ connectionString, max: 1, types, application_name: 'legwork audit' });
  // Without a listener an idle connection that breaks would end the process; the next query says what is wrong.
  pool.on('error', () => undefined);
  return new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
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
 * @param read - the next rows after the given one, {@link ROWS_AT_ONCE} at most
 */
export async function* rowBatches<Row>(read: (after: Row | undefined) => Promise<Row[]>): AsyncGenerator<Row[], void> {
  for (let last: Row | undefined; ; ) {
    const rows = await read(last);
    if (rows.length > 0) yield rows;
    last = rows.at(-1);
    if (rows.length < ROWS_AT_ONCE) return;
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
