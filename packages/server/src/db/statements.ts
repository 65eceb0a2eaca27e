import { LRUCache } from 'lru-cache';
import pg from 'pg';

/** A text that comes so often is worth preparing. */
const OFTEN = 5;
/** PostgreSQL keeps a few kilobytes for each on each connection. There are so many texts because a list has one for each length. */
const MOST_NAMES = 400;
/** So many texts are counted until they come often. */
const MOST_TEXTS = 2_000;
/** So long a connection keeps its plans, milliseconds: a table that grows fast soon needs others. */
const PLANS_MS = 5_000;

const counts = new LRUCache<string, number>({ max: MOST_TEXTS });
const names = new Map<string, string>();

/**
 * The query as the driver takes it. A text that comes often is prepared under a name, once on each connection: to parse and
 * plan it takes longer than to run it.
 */
export function statement(text: string, values: unknown[] | undefined): pg.QueryConfig {
  const name = nameOf(text);
  return { text, ...(values && { values }), ...(name !== undefined && { name }) };
}

function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size === MOST_NAMES) return known;
  const count = (counts.get(text) ?? 0) + 1;
  counts.set(text, count);
  if (count < OFTEN) return undefined;
  const name = `legwork_${names.size}`;
  names.set(text, name);
  return name;
}

/** Whether what was prepared is outdated: its table has got another column. The statement has done nothing. */
export function isOutdated(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.routine === 'RevalidateCachedQuery';
}

const plannedAt = new WeakMap<pg.PoolClient, number>();

/** Whether the plans of an idle connection are old enough to be made again; from now on they count as new. */
export function needsPlans(client: pg.PoolClient): boolean {
  const since = plannedAt.get(client);
  const now = performance.now();
  if (since !== undefined && now - since < PLANS_MS) return false;
  plannedAt.set(client, now);
  return since !== undefined;
}
