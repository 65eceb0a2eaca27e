import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { analyzeGrown } from '../../src/db/analyze.js';
import { connect, type Db } from '../../src/db/connect.js';
import { withTestDatabase } from '../support/database.js';
import { migrateAt } from '../support/service.js';

const database = withTestDatabase(migrateAt);
let db: Db;
beforeAll(async () => {
  // One connection: its prepared statements are those that are asked about.
  db = connect(database.connectionString, 1, () => undefined);
  await sql`create table numbers (number int, is_odd bool) with (autovacuum_enabled = off)`.execute(db);
  await sql`create index numbers_by_number on numbers (number)`.execute(db);
});
afterAll(() => db.destroy());

const grow = (from: number, to: number) =>
  sql`insert into numbers select number, number % 2 = 1 from generate_series(${sql.lit(from)}, ${sql.lit(to)}) as number`.execute(
    db,
  );

/** How many rows PostgreSQL reckons with; -1: it has never looked. */
async function reckoned(): Promise<number> {
  const { rows } = await sql<{ rows: number }>`
    select reltuples::float8 as rows from pg_class where oid = 'numbers'::regclass`.execute(db);
  return rows[0]?.rows ?? Number.NaN;
}

test('a table is looked at once it has more than a few pages, and again whenever it has doubled (S-149)', async () => {
  await grow(1, 100);
  await analyzeGrown(db);
  expect(await reckoned()).toBe(-1);
  await grow(101, 2_000);
  await analyzeGrown(db);
  expect(await reckoned()).toBe(2_000);
  await grow(2_001, 3_000);
  await analyzeGrown(db);
  expect(await reckoned()).toBe(2_000);
  await grow(3_001, 5_000);
  await analyzeGrown(db);
  expect(await reckoned()).toBe(5_000);
});

test('a statement that is prepared reads a table by its index once it has grown, on a connection that planned for a small one (S-149)', async () => {
  await sql`truncate numbers`.execute(db);
  await grow(1, 10);
  await sql`analyze numbers`.execute(db);
  await sql`prepare found as select is_odd from numbers where number = $1`.execute(db);
  const ways = async () => {
    const { rows } = await sql<{ 'QUERY PLAN': string }>`explain execute found(7)`.execute(db);
    return rows.map((row) => row['QUERY PLAN']).join(' ');
  };
  await sql`set plan_cache_mode = force_generic_plan`.execute(db);
  expect(await ways()).toContain('Seq Scan');
  await grow(11, 50_000);
  expect(await ways()).toContain('Seq Scan');
  await analyzeGrown(db);
  expect(await ways()).toContain('numbers_by_number');
});
