import { sql } from 'kysely';
import type { AppContext } from '../context.js';
import { type Loop, startLoop } from '../loop.js';
import type { Db } from './connect.js';

/** PostgreSQL looks by itself once a minute at most, which is long for a market that has just opened. */
const EVERY_MS = 5_000;
/** Any plan is good for a table of so few pages. */
const FEW_PAGES = 4;

/**
 * Has PostgreSQL look at the tables that have doubled since it last did: a plan that was good for a small table is bad for a large one. It
 * then plans again, on every connection, what reads them. A table that somebody else looks at is left to him.
 */
export async function analyzeGrown(db: Db): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relkind = 'r' and relnamespace = current_schema()::regnamespace and pg_has_role(relowner, 'usage')
      and pg_relation_size(oid) >= greatest(${FEW_PAGES}, 2 * relpages::int8) * current_setting('block_size')::int8`.execute(
    db,
  );
  if (rows.length === 0) return;
  await sql`analyze (skip_locked) ${sql.join(rows.map(({ name }) => sql.table(name)))}`.execute(db);
}

/** Looks every five seconds. */
export function startAnalyzing({ db, log }: Pick<AppContext, 'db' | 'log'>): Loop {
  return startLoop({
    name: 'analyze',
    log,
    pollMs: EVERY_MS,
    async round() {
      await analyzeGrown(db);
      return false;
    },
  });
}
