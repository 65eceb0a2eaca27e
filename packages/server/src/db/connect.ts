import { Kysely, PostgresDialect, type Transaction } from 'kysely';
import pg from 'pg';
import type { Database } from './schema.js';

export type Db = Kysely<Database>;
export type Trx = Transaction<Database>;

/** int8 is a bigint in this service's own pools; the driver's global table stays as it is for other users of it. */
const types: pg.CustomTypesConfig = {
  getTypeParser(oid, format) {
    if (oid === pg.types.builtins.INT8 && format !== 'binary') return (value: string) => BigInt(value);
    return pg.types.getTypeParser(oid, format) as unknown;
  },
};

/** Opens a pool of at most `max` connections. A connection that breaks is replaced at the next use. */
export function openPool(connectionString: string, max: number, onError: (error: Error) => void): pg.Pool {
  const pool = new pg.Pool({ connectionString, max, types, application_name: 'agent-relay' });
  // Without a listener an idle connection that breaks (PostgreSQL restarting) would end the process.
  pool.on('error', onError);
  // The pool listens to idle connections only; one that breaks while it is used tells its query, and needs a listener too.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** Queries over a pool, which ends with them. */
export function overPool(pool: pg.Pool): Db {
  return new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
}

/** Opens a pool of its own for queries. */
export function connect(connectionString: string, max: number, onError: (error: Error) => void): Db {
  return overPool(openPool(connectionString, max, onError));
}
