import { setTimeout as sleep } from 'node:timers/promises';
import { DEFAULT_MIGRATION_TABLE, Migrator, sql } from 'kysely';
import { NewerSchemaError, OldPostgresError, SharedSessionError, ForeignDatabaseError } from '../errors.js';
import type { Db, Trx } from './connect.js';
import * as market from './migrations/0001_market.js';
import * as marketplace from './migrations/0002_marketplace.js';
import * as digitalTasks from './migrations/0003_digital_tasks.js';
import * as identityRewards from './migrations/0004_identity_rewards.js';
import * as confirmedElsewhere from './migrations/0005_confirmed_elsewhere.js';
import * as heldElsewhere from './migrations/0006_held_elsewhere.js';
import * as strangers from './migrations/0007_strangers.js';
import * as ledgerTransactions from './migrations/0008_ledger_transactions.js';
import * as decisions from './migrations/0009_decisions.js';
import * as pages from './migrations/0010_pages.js';
import * as earnings from './migrations/0011_earnings.js';
import * as terms from './migrations/0012_terms.js';
import * as taskTerms from './migrations/0013_task_terms.js';
import * as artifacts from './migrations/0014_artifacts.js';
import * as personalData from './migrations/0015_personal_data.js';
import * as sealedRows from './migrations/0016_sealed_rows.js';
import * as stoppedClocks from './migrations/0017_stopped_clocks.js';
import * as failedIntents from './migrations/0018_failed_intents.js';
import * as readByIndex from './migrations/0019_read_by_index.js';
import * as begunBy from './migrations/0020_begun_by.js';
import * as waiting from './migrations/0021_waiting.js';
import * as courierReadings from './migrations/0022_courier_readings.js';
import * as work from './migrations/0023_work.js';
import * as webhooks from './migrations/0024_webhooks.js';
import * as coveredPlaces from './migrations/0025_covered_places.js';
import * as push from './migrations/0026_push.js';
import * as assets from './migrations/0027_assets.js';
import * as fees from './migrations/0028_fees.js';
import * as replayed from './migrations/0029_replayed.js';
import * as operatorActs from './migrations/0030_operator_acts.js';
import * as operatorSessions from './migrations/0031_operator_sessions.js';
import * as traces from './migrations/0032_traces.js';
import * as fundShares from './migrations/0033_fund_shares.js';
import { compiled } from './statements.js';

const migrations = {
  '0001_market': market,
  '0002_marketplace': marketplace,
  '0003_digital_tasks': digitalTasks,
  '0004_identity_rewards': identityRewards,
  '0005_confirmed_elsewhere': confirmedElsewhere,
  '0006_held_elsewhere': heldElsewhere,
  '0007_strangers': strangers,
  '0008_ledger_transactions': ledgerTransactions,
  '0009_decisions': decisions,
  '0010_pages': pages,
  '0011_earnings': earnings,
  '0012_terms': terms,
  '0013_task_terms': taskTerms,
  '0014_artifacts': artifacts,
  '0015_personal_data': personalData,
  '0016_sealed_rows': sealedRows,
  '0017_stopped_clocks': stoppedClocks,
  '0018_failed_intents': failedIntents,
  '0019_read_by_index': readByIndex,
  '0020_begun_by': begunBy,
  '0021_waiting': waiting,
  '0022_courier_readings': courierReadings,
  '0023_work': work,
  '0024_webhooks': webhooks,
  '0025_covered_places': coveredPlaces,
  '0026_push': push,
  '0027_assets': assets,
  '0028_fees': fees,
  '0029_replayed': replayed,
  '0030_operator_acts': operatorActs,
  '0031_operator_sessions': operatorSessions,
  '0032_traces': traces,
  '0033_fund_shares': fundShares,
};

const OLDEST_POSTGRES = 16;

/**
 * Brings the schema up to date. Safe to run from several replicas at once: the migrator holds an advisory lock.
 *
 * @param say hears whom it waits for
 * @throws OldPostgresError; SharedSessionError; NewerSchemaError when a newer version changed the schema; nothing is changed then
 */
export async function migrate(db: Db, say: (line: string) => void = () => undefined): Promise<void> {
  await refuseOld(db);
  await refuseSharedSessions(db);
  await refuseNewer(db);
  await db.connection().execute(async (ours) => {
    // PostgreSQL releases the lock of a service that is gone, and the next one that waits for it goes on.
    await sql`set idle_in_transaction_session_timeout = ${sql.lit(MOST_IDLE_MS)}`.execute(ours);
    const migrator = new Migrator({
      db: ours,
      provider: { getMigrations: () => Promise.resolve(migrations) },
      // Two that do not depend on each other may have been applied in either order.
      allowUnorderedMigrations: true,
    });
    const isDone = new AbortController();
    const watching = sayBlockers(db, await pidOf(ours), say, isDone.signal).catch(() => undefined);
    const { error } = await migrator.migrateToLatest().finally(() => isDone.abort());
    await watching;
    if (error !== undefined) throw error;
  });
}

/** A session whose client says nothing amid its migrations for so long has none any more, milliseconds. */
const MOST_IDLE_MS = 60_000;
/** Before a wait is worth a word, and between two looks, milliseconds. */
const LOOK_MS = 1_000;

/** Says, until the signal, whom the session waits for. @throws the signal's reason, and what the database failed with */
async function sayBlockers(db: Db, pid: number, say: (line: string) => void, isDone: AbortSignal): Promise<void> {
  const blockers = sql<{ pid: number; name: string; since: Date | null }>`
    select pid, coalesce(nullif(application_name, ''), usename) as name, coalesce(xact_start, backend_start) as since
    from pg_stat_activity where pid = any (pg_blocking_pids(${pid})) order by cardinality(pg_blocking_pids(pid)) limit 1`;
  const said = new Set<number>();
  for (;;) {
    await sleep(LOOK_MS, undefined, { signal: isDone });
    const [blocker] = (await blockers.execute(db)).rows;
    if (blocker === undefined || said.has(blocker.pid)) continue;
    said.add(blocker.pid);
    const since = blocker.since === null ? '' : `, at it since ${blocker.since.toISOString()}`;
    say(
      `Session ${blocker.pid} of the database (${blocker.name}${since}) holds what the migration of the schema needs, mostly as another ` +
        `service that migrates: it is waited for as long as that takes. If nothing is at work there, pg_terminate_backend(${blocker.pid}) ends it.`,
    );
  }
}

const pidOf = async (on: Db) => {
  const [session] = (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(on)).rows;
  if (session === undefined) throw new Error('PostgreSQL names no session');
  return session.pid;
};

async function refuseOld(db: Db): Promise<void> {
  const asked = sql<{ version: string; number: number }>`
    select current_setting('server_version') as version, current_setting('server_version_num')::int as number`;
  const [answer] = (await asked.execute(db)).rows;
  if (answer && answer.number < OLDEST_POSTGRES * 10_000) throw new OldPostgresError(answer.version, OLDEST_POSTGRES);
}

/**
 * Locks, prepared statements and event hints belong to a session. A pooler that shares sessions between transactions shows itself when one
 * connection holds a transaction: it has the session of the other, or the other gets a new one. Rule S-81.
 */
async function refuseSharedSessions(db: Db): Promise<void> {
  await db.connection().execute(async (ours) => {
    const before = await pidOf(ours);
    await db.transaction().execute(async (held) => {
      const isShared = (await pidOf(held)) === before || (await pidOf(ours)) !== before;
      if (isShared) throw new SharedSessionError();
    });
  });
}

async function refuseNewer(db: Db): Promise<void> {
  const table = sql<{ found: boolean }>`select to_regclass(${DEFAULT_MIGRATION_TABLE}) is not null as found`;
  const [answer] = (await table.execute(db)).rows;
  if (answer?.found !== true) return;
  const applied = sql<{ name: string }>`select name from ${sql.table(DEFAULT_MIGRATION_TABLE)} order by name`;
  const unknown = (await applied.execute(db)).rows.find(({ name }) => !Object.hasOwn(migrations, name));
  if (unknown) throw new NewerSchemaError(unknown.name);
}

async function recordOnce(db: Db, key: string, value: string): Promise<string> {
  await db
    .insertInto('meta')
    .values({ key, value })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute();
  const row = await db.selectFrom('meta').select('value').where('key', '=', key).executeTakeFirstOrThrow();
  return row.value;
}

/**
 * Ties the database to the ledger and the program at its first use, and checks it at every later start: rows that mirror
 * one ledger mean nothing beside another.
 *
 * @throws ForeignDatabaseError
 */
export async function requireOwnDatabase(db: Db, genesisHash: string, programId: string): Promise<void> {
  const ledger = await recordOnce(db, 'genesis_hash', genesisHash);
  if (ledger !== genesisHash) throw new ForeignDatabaseError('ledger', ledger, genesisHash);
  const program = await recordOnce(db, 'program_id', programId);
  if (program !== programId) throw new ForeignDatabaseError('program', program, programId);
}

/** Lets one replica at a time decide what `meta` says, until the transaction ends. */
export async function lockMeta(trx: Trx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('meta', 0))`.execute(trx);
}

const valueOf = compiled((db, { key }: { key: string }) =>
  db.selectFrom('meta').select('value').where('key', '=', key),
);

/** In `meta`: how many listings wait for a node that shows their history. */
export const UNSEEN = 'unseen';

export async function readMeta(db: Db | Trx, key: string): Promise<string | undefined> {
  return (await valueOf(db, { key }))[0]?.value;
}

export async function setMeta(trx: Db | Trx, key: string, value: string): Promise<void> {
  await trx
    .insertInto('meta')
    .values({ key, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute();
}
