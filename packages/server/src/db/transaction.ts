import { setTimeout as sleep } from 'node:timers/promises';
import {
  CompiledQuery,
  type DatabaseConnection,
  DummyDriver,
  type IsolationLevel,
  PostgresDialect,
  type QueryExecutor,
  type RawBuilder,
  sql,
  Transaction,
} from 'kysely';
import { BEGIN, type Db, type Trx } from './connect.js';
import type { Database } from './schema.js';
import { isOutdated } from './statements.js';
import { note, step } from '../tracing/spans.js';

const SERIALIZATION_FAILURE = '40001';
const DEADLOCK_DETECTED = '40P01';
const IN_FAILED_TRANSACTION = '25P02';
const MAX_TRIES = 20;

const SPAN = { name: 'transaction', kind: 'client', attributes: { 'db.system.name': 'postgresql' } } as const;

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : undefined);

function mayPassNextTime(error: unknown): boolean {
  const code = codeOf(error);
  return isOutdated(error) || code === SERIALIZATION_FAILURE || code === DEADLOCK_DETECTED;
}

/** Names the language; a transaction is given its connection. */
const dialect = new PostgresDialect({ pool: () => Promise.reject(new Error('a transaction has its connection')) });

/** The callbacks to run once each transaction is committed. */
const afterwards = new WeakMap<Trx, (() => void)[]>();

/** Does something, which must not throw, once the transaction is committed. */
export function afterCommit(trx: Trx, act: () => void): void {
  const acts = afterwards.get(trx);
  if (acts === undefined) throw new Error('a transaction that inTransaction did not begin');
  acts.push(act);
}

/** The statements that wait for the end of each transaction. */
const endings = new WeakMap<Trx, (() => Promise<unknown>)[]>();

/**
 * Runs statements of the transaction at its end, in the order of these calls: they reach the database together with the commit, and so
 * take no round trip of their own. What fails there, or on its way there, ends the transaction as if it had failed before.
 *
 * @param statements none of which needs the answer to another; they are made at once, and wait for nothing on their way to the database
 * @returns the answer, which does not come before the work is done: the work must not wait for it
 */
export function atEnd<T>(trx: Trx, statements: () => Promise<T>): Promise<T> {
  const waiting = endings.get(trx);
  if (waiting === undefined) throw new Error('a transaction that inTransaction did not begin');
  const answer = new Promise<T>((resolve, reject) => {
    waiting.push(async () => {
      try {
        resolve(await statements());
      } catch (error) {
        reject(error instanceof Error ? error : new Error('a statement failed', { cause: error }));
        throw error;
      }
    });
  });
  // A failure is told by the transaction.
  answer.catch(() => undefined);
  return answer;
}

interface Use {
  on: Trx;
  end: () => void;
  /** The error of the first statement that failed; undefined: none has. */
  failure: () => unknown;
  /** Takes down that a statement failed that never came to the connection. */
  fail: (error: unknown) => void;
}

/**
 * A use of one connection. Statements that do not need each other's answers may be under way together on it, in the order in which
 * they were called: Kysely's own sends each when the one before has answered.
 */
function own(executor: QueryExecutor, connection: DatabaseConnection): Use {
  let isOver = false;
  let first: unknown;
  const fail = (error: unknown) => {
    first ??= error;
  };
  const provider = {
    async provideConnection<R>(consumer: (connection: DatabaseConnection) => Promise<R>): Promise<R> {
      // Work that has not heard of a failure beside it goes no further.
      if (isOver) throw new Error('the transaction has ended');
      try {
        return await consumer(connection);
      } catch (error) {
        fail(error);
        throw error;
      }
    },
  };
  const parts = { executor: executor.withConnectionProvider(provider), driver: new DummyDriver(), dialect };
  return {
    on: new Transaction<Database>({ ...parts, config: { dialect } }),
    end: () => {
      isOver = true;
    },
    failure: () => first,
    fail,
  };
}

/** Sends the last statements, and the commit right behind them unless one could not be sent. */
async function sendEnding(
  { end, fail, failure }: Use,
  statements: readonly (() => Promise<unknown>)[],
  commit: () => Promise<unknown>,
) {
  // By then each is with the connection or has failed on its way; what the connection has leaves it in a tick behind this one.
  const committed = new Promise<unknown>((resolve, reject) => {
    process.nextTick(() => {
      end();
      if (failure() === undefined) commit().then(resolve, reject);
      else resolve(undefined);
    });
  });
  const answers = statements.map((send) => send().catch(fail));
  await Promise.allSettled([...answers, committed]);
  if (failure() === undefined) await committed;
}

/** Runs `work` in one transaction and commits it. */
async function transact<T>(db: Db, isolation: IsolationLevel, work: (trx: Trx) => Promise<T>): Promise<T> {
  const executor = db.getExecutor();
  return executor.provideConnection(async (connection) => {
    const run = (text: string) => connection.executeQuery(CompiledQuery.raw(text));
    const used = own(executor, connection);
    const { on: trx, end, failure } = used;
    const acts: (() => void)[] = [];
    afterwards.set(trx, acts);
    const ending: (() => Promise<unknown>)[] = [];
    endings.set(trx, ending);
    await run(`${BEGIN} isolation level ${isolation}`);
    try {
      const result = await work(trx);
      if (failure() === undefined && ending.length > 0) await sendEnding(used, ending, () => run('commit'));
      end();
      // PostgreSQL would roll back, and say so as if nothing were amiss.
      if (failure() !== undefined) throw failure();
      if (ending.length === 0) await run('commit');
      for (const act of acts) act();
      return result;
    } catch (error) {
      end();
      // A connection that cannot roll back is not used again.
      await run('rollback').catch(() => undefined);
      // Statements behind a failed one fail as well, and may be heard of first.
      throw codeOf(error) === IN_FAILED_TRANSACTION ? failure() : error;
    }
  });
}

/** Runs statements each by itself, on one connection in the order of their calls: what a later one reads is no older. */
export async function inOrder<T>(db: Db | Trx, work: (on: Db | Trx) => Promise<T>): Promise<T> {
  if (db.isTransaction) return work(db);
  const executor = db.getExecutor();
  return executor.provideConnection(async (connection) => {
    const { on, end } = own(executor, connection);
    return work(on).finally(end);
  });
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
  return step(SPAN, async () => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await transact(db, isolation, work);
      } catch (error) {
        if (!mayPassNextTime(error) || tries === MAX_TRIES) throw error;
        note({ 'legwork.transaction.tries': tries + 1 });
        await sleep(Math.random() * Math.min(200, 5 * 2 ** tries));
      }
    }
  });
}

/**
 * Reads what belongs together as of one moment, in one round trip.
 *
 * @param read makes statements of which none needs the answer to another
 */
export async function inSnapshot<T>(db: Db, read: (trx: Trx) => Promise<T>): Promise<T> {
  const work = async (trx: Trx) => ({ answer: atEnd(trx, () => read(trx)) });
  const { answer } = await inTransaction(db, work, 'repeatable read');
  return answer;
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

/** Any other constant. */
const AGENT_SEED = 0x6167656e;

/**
 * Waits for the turn of the transaction at these agents: of decisions that race, each sees the legs that those before it gave them. It comes
 * before the lock of the funds, and before that of a package.
 */
export async function lineUpAtAgents(trx: Trx, agents: readonly string[]): Promise<void> {
  if (agents.length === 0) return;
  // In one order everywhere, so that nobody waits for somebody who waits.
  await sql`
    select pg_advisory_xact_lock(hashtextextended(agent, ${AGENT_SEED}))
    from unnest(${[...new Set(agents)].sort()}::text[]) as agent`.execute(trx);
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
