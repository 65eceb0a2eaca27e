import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { startCommand } from '../../../cli/tests/support/command.js';
import type { Db } from '../../src/db/connect.js';
import { auditOf, linesOf } from '../audit/scene.js';
import { postedTask } from '../operations/digitalTasks/scene.js';
import { BEFORE_TERMS } from '../operators/formerSchema.js';
import { formedPackage } from '../support/market.js';
import { withService } from '../support/service.js';
import { untilQuiet } from '../support/snapshot.js';
import { until } from '../support/until.js';

/** The version before had no keys. */
let isFormer = true;
const service = withService({
  settings: (usual) => (isFormer ? { ...usual, PERSONAL_DATA_KEYS: '' } : usual),
});

/** A bound for a machine that is busy with other tests. */
const SLOW = 300_000;

/** Tables in the order in which migrations come to them: the first one at once, the second to be told of one that is done. */
const TABLES = ['packages', 'kysely_migration', 'digital_tasks', 'signed_calls', 'outbox', 'events'];

/** The schema by the catalog, and the contents of each table. */
async function stateOf(db: Db): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`
    select concat_ws(' ', table_name, column_name, data_type, is_nullable, column_default) as line
      from information_schema.columns where table_schema = 'public'
    union all select indexdef from pg_indexes where schemaname = 'public'
    union all select concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid))
      from pg_constraint where connamespace = 'public'::regnamespace
    union all select concat_ws(' ', table_name, query_to_xml(format(
        'select count(*), md5(string_agg(t::text, '';'' order by t::text)) from %I as t', table_name), true, true, ''))
      from information_schema.tables where table_schema = 'public'
    order by line`.execute(db);
  return rows.map(({ line }) => line);
}

/** Starts a service, which migrates, and kills it where its migrations come to the table. */
async function killedAt(table: string): Promise<void> {
  const { db } = service.current;
  const session = await db.transaction().execute(async (trx) => {
    // Reads from before go on.
    await sql`lock table ${sql.table(table)} in share row exclusive mode`.execute(trx);
    const { rows: own } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
    const command = startCommand(['serve'], service.current.environment());
    // Asked elsewhere: a transaction is told the same again.
    const waiting = await until(`a migration that waits for ${table}`, async () => {
      const { rows } = await sql<{ pid: number }>`
        select pid from pg_stat_activity where ${own[0]?.pid} = any (pg_blocking_pids(pid))`.execute(db);
      return rows[0];
    });
    command.child.kill('SIGKILL');
    expect(await command.ended).toEqual({ code: null, signal: 'SIGKILL' });
    return waiting.pid;
  });
  // PostgreSQL ends the statement before it finds that nobody is there for the next one.
  await until('the session of who was killed ends', async () => {
    const { rows } = await sql`select from pg_stat_activity where pid = ${session}`.execute(db);
    return rows.length === 0;
  });
}

test('a service that is killed while it migrates leaves schema and rows as they were, and the next one starts', {
  timeout: SLOW,
}, async () => {
  const { db } = service.current;
  await formedPackage(service.current, [
    ['zoo', 'alexanderplatz', 0.1],
    ['alexanderplatz', 'ostkreuz', 0.08],
  ]);
  await postedTask(service.current);
  await untilQuiet(service.current);
  await service.current.stop();
  for (const statement of BEFORE_TERMS) await sql.raw(statement).execute(db);
  const before = await stateOf(db);

  for (const table of TABLES) {
    await killedAt(table);
    expect(await stateOf(db)).toEqual(before);
  }

  isFormer = false;
  await service.current.restart();
  await untilQuiet(service.current);
  expect(linesOf((await auditOf(service.current)).differences)).toEqual([]);
});
