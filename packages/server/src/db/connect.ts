import { Kysely, PostgresDialect, type PostgresPool, type Transaction } from 'kysely';
import pg from 'pg';
import { unless } from '../waiting.js';
import { KeyRing } from './keyRing.js';
import type { Database } from './schema.js';
import { MARK, openRows, sealParameters } from './sealing.js';
import { isOutdated, preparing, type Statement } from './statements.js';
import { Socket } from 'node:net';

export { KeyRing, MARK as SEALED };
export type Db = Kysely<Database>;
export type Trx = Transaction<Database>;

/** int8 is a bigint in this service's own pools; the driver's global table stays as it is for other users of it. */
const types: pg.CustomTypesConfig = {
  getTypeParser(oid, format) {
    if (oid === pg.types.builtins.INT8 && format !== 'binary') return (value: string) => BigInt(value);
    return pg.types.getTypeParser(oid, format) as unknown;
  },
};

/** How every transaction begins. */
export const BEGIN = 'start transaction';
/** Longest wait for a connection, a free one of a pool too, milliseconds. */
export const CONNECT_MS = 5_000;
/** PostgreSQL ends a query so much sooner than its client does, milliseconds: the connection of one that is ended there stays good. */
const SOONER_MS = 1_000;
/** After so long without a word the system asks whether the other side still exists, milliseconds. */
const KEEP_ALIVE_MS = 5_000;

/** How long queries may take, and when nobody waits for them any more. */
export interface Patience {
  /** Milliseconds for a query, and between two of a transaction. */
  queryMs: number;
  /** Aborted: every query fails, those under way too. */
  givenUp: AbortSignal;
}

/** How the database is used. */
interface Access extends Partial<Patience> {
  keyRing?: KeyRing | undefined;
}

/**
 * Opens a pool of at most `max` connections. A connection that breaks is replaced at the next use. Rule S-81.
 *
 * @param queryMs - longest time for a query, milliseconds; without it a query takes as long as it takes
 */
export function openPool(
  connectionString: string,
  max: number,
  onError: (error: Error) => void,
  queryMs?: number,
): pg.Pool {
  const pool = new pg.Pool({
    connectionString,
    max,
    types,
    application_name: 'legwork',
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    // Statements of a transaction that do not need each other's answers are sent together.
    pipeline: true,
    stream: () => new TickSocket(),
    query_timeout: queryMs,
  });
  // Without a listener an idle connection that breaks (PostgreSQL restarting) would end the process.
  pool.on('error', onError);
  pool.on('connect', (client) => {
    // The pool listens to idle connections only; one that breaks while it is used tells its query, and needs a listener too.
    client.on('error', () => undefined);
    if (queryMs !== undefined) boundQueries(client, queryMs - SOONER_MS);
  });
  return pool;
}

/**
 * PostgreSQL has bounds too: it may never hear that a client has gone, and would keep its locks. They are the session's first statement, as
 * poolers refuse a connection that begins with them. One that fails does so with the connection, which the next statement tells.
 */
function boundQueries(client: pg.PoolClient, ms: number): void {
  client
    .query(
      `select set_config(bound, $1, false) from unnest('{statement_timeout,idle_in_transaction_session_timeout}'::text[]) as bound`,
      [String(ms)],
    )
    .catch(() => undefined);
}

/** Queries over a pool, which ends with them. @param keyRing for what is personal; without one it is neither sealed nor opened */
export function overPool(pool: pg.Pool, { givenUp, keyRing }: Access = {}): Db {
  const sealing = sealingPool(watched(pool, givenUp), keyRing);
  return new Kysely<Database>({ dialect: new PostgresDialect({ pool: sealing }) });
}

/** The pool, but that nothing personal reaches the database as it is. Rule S-148. */
function sealingPool(pool: PostgresPool, keyRing: KeyRing | undefined): PostgresPool {
  return {
    connect: async () => {
      const client = await pool.connect();
      const query = async (text: string, values: unknown[] = []) => {
        const result = await client.query<unknown>(text, sealParameters(keyRing, values));
        openRows(keyRing, result.rows);
        return result;
      };
      return { query: query as pg.PoolClient['query'], release: () => client.release() };
    },
    end: () => pool.end(),
  };
}

/** The pool, with every use of a connection watched over. @see use */
function watched(pool: pg.Pool, givenUp: AbortSignal | undefined): PostgresPool {
  const statement = preparing();
  return {
    connect: async () => {
      const connecting = pool.connect();
      const client = await unless(givenUp, connecting).catch((error: unknown) => {
        void connecting.then((late) => late.release(true)).catch(() => undefined);
        throw error;
      });
      return use(client, statement, givenUp);
    },
    end: () => unless(givenUp, pool.end()).catch(() => undefined),
  };
}

/** Without a transaction such a statement changes nothing. */
const READS = /^\s*(?:select|commit)\b/i;
const BEGUN = { command: 'BEGIN', rowCount: 0, rows: [] };

/**
 * One use of a connection. One on which a query failed without PostgreSQL's word is not used again: the driver would keep one
 * that stays silent, and the next query would wait for the answer to the last.
 *
 * The begin of a transaction is not waited for: the statements behind it go along as long as they only read, as nothing must be written
 * should there be no transaction. A statement that a newer schema has outdated runs once more; one in a transaction fails, and the transaction
 * begins once more on another connection.
 */
function use(
  client: pg.PoolClient,
  statement: Statement,
  givenUp: AbortSignal | undefined,
): Awaited<ReturnType<PostgresPool['connect']>> {
  let failure: unknown;
  let isSpent = false;
  let begun: Promise<void> | undefined;
  let isBegun = false;
  let waiting = 0;
  let onlyReads = false;

  async function send(text: string, values?: unknown[]) {
    try {
      return await unless(givenUp, client.query(statement(text, values)));
    } catch (error) {
      isSpent ||= isOutdated(error);
      if (isOutdated(error) && begun === undefined) return unless(givenUp, client.query(text, values));
      if (!(error instanceof pg.DatabaseError)) failure = error;
      throw error;
    }
  }

  function begin(text: string) {
    const refused = (error: unknown) => {
      failure = error;
    };
    begun = send(text)
      .then(() => undefined, refused)
      .finally(() => {
        isBegun = true;
      });
    onlyReads = true;
    return BEGUN;
  }

  async function query(text: string, values: unknown[]) {
    if (failure !== undefined) throw failure;
    if (text.startsWith(BEGIN)) return begin(text);
    onlyReads &&= READS.test(text);
    const goesAlong = onlyReads;
    // Behind those that wait, also when it is begun.
    if (!goesAlong && begun !== undefined && (!isBegun || waiting > 0)) {
      waiting += 1;
      await begun;
      waiting -= 1;
    }
    if (failure !== undefined) throw failure;
    const result = await send(text, values);
    if (goesAlong) await begun;
    if (failure !== undefined) throw failure;
    return result;
  }

  return { query: query as pg.PoolClient['query'], release: () => client.release(isSpent || failure !== undefined) };
}

/** Opens a pool of its own for queries; without a bound they take as long as they take. */
export function connect(
  connectionString: string,
  max: number,
  onError: (error: Error) => void,
  access: Access = {},
): Db {
  return overPool(openPool(connectionString, max, onError, access.queryMs), access);
}

/**
 * Hands everything that is written in one tick to the system at once: the driver would make a call, which takes longer than most
 * statements do to be made, for each statement of those that go together.
 */
class TickSocket extends Socket {
  #isHeld = false;

  override cork(): void {
    if (this.#isHeld) return;
    this.#isHeld = true;
    super.cork();
    process.nextTick(() => {
      this.#isHeld = false;
      super.uncork();
    });
  }

  /** Nothing: whatever the driver does next in this tick goes along. */
  override uncork(): void {}
}
