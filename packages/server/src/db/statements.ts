import { type Compilable, type CompiledQuery, sql } from 'kysely';
import type { Db, Trx } from './connect.js';
import { LRUCache } from 'lru-cache';
import pg from 'pg';

/** Stands in a query where a parameter goes. */
class Place {
  constructor(readonly name: string) {}
}

/** Has a place of every name. */
const places: unknown = new Proxy({}, { get: (_, name) => new Place(String(name)) });

/** Runs a query with these parameters. */
type Run<Parameters, Row> = (db: Db | Trx, parameters: Parameters) => Promise<Row[]>;

/**
 * A query that is built and compiled at its first use and keeps its text: to do both again takes longer than all the rest that
 * this process does for it. What every call has in common stands in the text, so that one plan knows it: an index of what is pending
 * helps only a statement that says so.
 *
 * @param build gets something that stands for each parameter, and has to put it into the query as it is
 */
export function compiled<Parameters extends object, Row>(
  build: (db: Db | Trx, parameters: Parameters) => Compilable<Row>,
): Run<Parameters, Row> {
  let kept: { query: CompiledQuery<Row>; places: readonly string[] } | undefined;
  return async (db, parameters) => {
    kept ??= withLiterals(build(db, places as Parameters).compile());
    const given = new Map<string, unknown>(Object.entries(parameters));
    const values = kept.places.map((name) => given.get(name));
    const { rows } = await db.executeQuery<Row>({ ...kept.query, parameters: values });
    return rows;
  };
}

function withLiterals<Row>(query: CompiledQuery<Row>) {
  const names: string[] = [];
  const text = query.sql.replaceAll(/\$(\d+)/g, (_, place: string) => {
    const value = query.parameters[Number(place) - 1];
    if (!(value instanceof Place)) return literal(value);
    names.push(value.name);
    return `$${names.length}`;
  });
  return { query: { ...query, sql: text }, places: names };
}

function literal(value: unknown): string {
  if (typeof value === 'string') return pg.escapeLiteral(value);
  if (value === null || ['number', 'bigint', 'boolean'].includes(typeof value)) return String(value);
  throw new Error('a compiled statement has no other constants than texts, numbers, booleans and null');
}

/**
 * The values as an array whose length no plan depends on. PostgreSQL plans a statement for each call whose array it sees, because it takes
 * one of unknown length for a long one; this one it never sees.
 */
export const unseen = (values: readonly string[]) => sql`(select ${values}::text[])::text[]`;

/** A text that comes so often is worth preparing. */
const OFTEN = 5;
/** PostgreSQL keeps a few kilobytes for each on each connection. There are so many texts because a list has one for each length. */
const MOST_NAMES = 400;
/** So many texts are counted until they come often. */
const MOST_TEXTS = 2_000;

/** A query as the driver takes it. */
export type Statement = (text: string, values: unknown[] | undefined) => pg.QueryConfig;

/**
 * Names the statements of a pool. A text that comes often is prepared under a name, once on each connection: to parse and plan it takes
 * longer than to run it.
 */
export function preparing(): Statement {
  const counts = new LRUCache<string, number>({ max: MOST_TEXTS });
  const names = new Map<string, string>();

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

  return (text, values) => {
    const name = nameOf(text);
    return { text, ...(values && { values }), ...(name !== undefined && { name }) };
  };
}

/** True if a prepared statement is outdated: its table has got another column. The statement has done nothing. */
export function isOutdated(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.routine === 'RevalidateCachedQuery';
}
