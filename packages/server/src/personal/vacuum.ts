import { sql } from 'kysely';
import type { Logger } from 'pino';
import type { AppContext } from '../context.js';
import { connect, type Db } from '../db/connect.js';
import { readMeta, setMeta } from '../db/migrate.js';
import { SEALED_AT } from './sealFormer.js';

/** Every table that held what is erased; the statistics of their columns come last, as each ANALYZE writes them anew. */
const TABLES = [
  'packages',
  'private_parts',
  'private_readings',
  'bids',
  'legs',
  'evidence',
  'events',
  'decisions',
  'signed_calls',
  'digital_tasks',
  'digital_legs',
  'artifacts',
  'idempotency_keys',
  'work',
  'pg_catalog.pg_statistic',
] as const;

/** A rewrite holds up everybody who uses the table: it is given so long to begin, and then so long in all, milliseconds. */
const BEGIN_MS = 1_000;
const REWRITE_MS = 3_000;
/** Between two rewrites of the same table. */
const AGAIN = '1 hour';

/** Any constant will do, as long as it differs from the other advisory locks of this database. */
const LOCK = 0x76616375;
const DONE = 'vacuumed_at';

/**
 * Rewrites the tables that held what was erased since the last time, so that no byte of it is left in their files. PostgreSQL keeps old
 * versions of rows until then, and samples of their values in its statistics. One replica at a time, at most once an hour. A table that
 * is too large for the time is named in the log, for the operator to rewrite at a quiet hour. Rule S-146.
 *
 * @returns whether all tables were rewritten, but for those that are too large
 */
export async function vacuumErased({
  config,
  patience,
  log,
}: Pick<AppContext, 'config' | 'patience' | 'log'>): Promise<boolean> {
  // PostgreSQL ends a query a second before its client does.
  const bounds = { queryMs: REWRITE_MS + 1_000, givenUp: patience.givenUp };
  const pool = connect(config.databaseUrl, 1, () => undefined, bounds);
  try {
    // The lock is the connection's.
    return await pool.connection().execute((db) => rewriteIfDue(db, log));
  } finally {
    await pool.destroy();
  }
}

async function rewriteIfDue(db: Db, log: Logger): Promise<boolean> {
  const { rows } = await sql<{ mine: boolean }>`select pg_try_advisory_lock(${LOCK}) as mine`.execute(db);
  if (rows[0]?.mine !== true || !(await isDue(db))) return false;
  const began = new Date();
  await sql.raw(`set lock_timeout = ${BEGIN_MS}`).execute(db);
  let isDone = true;
  for (const table of TABLES) {
    await sql
      .raw(`vacuum (full, analyze) ${table}`)
      .execute(db)
      .catch((error: unknown) => {
        // Others are at it: the next round tries again.
        if (isLocked(error)) isDone = false;
        const advice = 'run VACUUM FULL on it at a quiet hour: rows that were erased may be in its files';
        log.warn({ err: error, table }, isLocked(error) ? 'a table is not rewritten yet' : advice);
      });
  }
  if (isDone) await setMeta(db, DONE, began.toISOString());
  return isDone;
}

const isLocked = (error: unknown) => error instanceof Error && 'code' in error && error.code === '55P03';

/**
 * Reports whether anything was erased, or sealed that was plain, since the last rewrite (not a moment ago), and no open transaction sees the
 * rows from before: a rewrite keeps the rows that an older transaction may still read. Workers of autovacuum, who are no user, do not
 * tell what they read.
 */
async function isDue(db: Db): Promise<boolean> {
  const done = (await readMeta(db, DONE)) ?? '-infinity';
  const { rows } = await sql<{ due: boolean }>`
    with erased as (
      select age(xmin) as age from packages where erased_at >= ${done}::timestamptz
      union all select age(xmin) from digital_tasks where erased_at >= ${done}::timestamptz
      union all select age(xmin) from meta
        where case when key = ${SEALED_AT} and value <> '' then value::timestamptz >= ${done}::timestamptz end)
    select exists (select from erased) and now() >= ${done}::timestamptz + ${AGAIN}::interval and not exists (
      select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
        and (usesysid is null or greatest(age(backend_xmin), age(backend_xid)) >= (select min(age) from erased))) as due`.execute(
    db,
  );
  return rows[0]?.due === true;
}
