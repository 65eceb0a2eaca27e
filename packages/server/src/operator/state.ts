import { getReputationSize } from '@legwork/program-client';
import { toLamports } from '@legwork/protocol/contract';
import { sql } from 'kysely';
import type { Metric } from 'prom-client';
import type { AppContext } from '../context.js';
import type { Out } from '../operations/run.js';
import { rentOf } from '../ledger/ledger.js';

type Answer = Awaited<Out<'getOperations'>>['answer'];

interface Stored {
  bytes: number;
  connections: number;
  mostConnections: number;
  replicas: number;
}

/** How the database and the processes on it are. Each service holds one connection for hints of events. */
export async function readProcesses(
  { db, metrics }: AppContext,
  waiting: number,
): Promise<Pick<Answer, 'service' | 'database'>> {
  const { rows } = await sql<Stored>`
    select pg_database_size(current_database())::float8 as bytes,
      current_setting('max_connections')::int4 as "mostConnections",
      count(*)::int4 as connections,
      count(*) filter (where application_name = 'legwork events')::int4 as replicas
    from pg_stat_activity where datname = current_database()`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('an aggregate without a row');
  const { replicas, ...stored } = row;
  return {
    service: { replicas, startedAt: new Date(Date.now() - process.uptime() * 1000), ...(await countAnswers(metrics)) },
    database: { ...stored, waiting },
  };
}

/** Requests that were refused for asking too often, and those that failed here. */
async function countAnswers({ httpRequests }: AppContext['metrics']): Promise<{ refused: number; failed: number }> {
  const { values } = await httpRequests.get();
  const count = (is: (status: number) => boolean) =>
    values
      .filter(({ metricName, labels }) => metricName?.endsWith('_count') && is(Number(labels.status)))
      .reduce((sum, { value }) => sum + value, 0);
  return { refused: count((status) => status === 429), failed: count((status) => status >= 500) };
}

/** The value of a gauge of this process; undefined: it was not set. */
export async function readingOf(gauge: Pick<Metric, 'get'>): Promise<number | undefined> {
  return (await gauge.get()).values[0]?.value || undefined;
}

interface Spent {
  newcomers: bigint;
  listings: bigint;
  outstanding: bigint;
  fees: bigint;
  begun: bigint;
}

/** The used part of the budgets, and the most that the coordinator spent. */
export async function readBudgets({
  db,
  ledger,
  config,
}: AppContext): Promise<Pick<Answer, 'budgets'> & Pick<Answer['coordinator'], 'dayLamports'>> {
  const day = sql`now() - interval '24 hours'`;
  const { rows } = await sql<Spent>`
    select
      (select count(*) from newcomers where charged_at > ${day}) as newcomers,
      coalesce(sum(lamports) filter (where purpose = 'listing' and created_at > ${day}), 0)::int8 as listings,
      coalesce(sum(lamports) filter (where purpose = 'listing' and not is_returned), 0)::int8 as outstanding,
      coalesce(sum(lamports) filter (where purpose = 'fees' and created_at > ${day}), 0)::int8 as fees,
      (select coalesce(sum(cost_lamports), 0)::int8 from outbox
        where cost_lamports > 0 and updated_at > ${day} and status = 'done' and last_error is null) as begun
    from sponsorships where created_at > ${day} or not is_returned`.execute(db);
  const [spent] = rows;
  if (spent === undefined) throw new Error('an aggregate without a row');
  const { newcomerBudgets, sponsorCaps, feeBudgets } = config;
  const rents = spent.newcomers * rentOf(ledger, getReputationSize());
  const budget = (mostLamports: Answer['budgets']['fees']['mostLamports'], used: bigint) => ({
    mostLamports,
    usedLamports: toLamports(used),
  });
  return {
    dayLamports: toLamports(spent.begun + spent.fees),
    budgets: {
      newcomers: budget(newcomerBudgets.day, rents),
      listings: budget(sponsorCaps.day, spent.listings),
      outstanding: budget(sponsorCaps.outstanding, spent.outstanding),
      fees: budget(feeBudgets.day, spent.fees),
    },
  };
}

/** Files of results: how many are here, and what is free for more. */
export async function readFiles({ artifacts, config, db }: AppContext): Promise<Answer['files']> {
  const { rows } = await sql<Pick<Answer['files'], 'stored' | 'bytes'>>`
    select count(*)::int4 as stored, coalesce(sum(bytes), 0)::float8 as bytes from artifacts where stored_at is not null`.execute(
    db,
  );
  const { stored = 0, bytes = 0 } = rows[0] ?? {};
  // A disk that does not answer says nothing; who sends a file is told.
  const free = artifacts.isOpen
    ? await artifacts
        .store()
        .free()
        .catch(() => undefined)
    : undefined;
  return { stored, bytes, freeBytes: free ?? null, reserveBytes: config.artifacts.reserveBytes };
}

/** The newest keys of credentials. */
export function readIssuers({ db }: AppContext): Promise<Answer['issuers']> {
  return db.selectFrom('issuer_keys').select(['pubkey', 'since', 'until']).orderBy('since', 'desc').limit(10).execute();
}
