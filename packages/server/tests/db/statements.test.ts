import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect, type Db } from '../../src/db/connect.js';
import { compiled, unseen } from '../../src/db/statements.js';
import { withTestDatabase } from '../support/database.js';
import { migrateAt } from '../support/service.js';

const database = withTestDatabase(migrateAt);
const PENDING = String.raw`it's pending \o/`;
let db: Db;
beforeAll(async () => {
  // One connection: what it has prepared is what is asked about.
  db = connect(database.connectionString, 1, () => undefined);
  await sql`create table parcels (name text, status text, place int, note text)`.execute(db);
  await sql`create index parcels_by_name on parcels (name)`.execute(db);
  await sql`create index parcels_pending on parcels (name) where status = ${sql.lit(PENDING)}`.execute(db);
  await sql`insert into parcels select number, 'over', 0, null from generate_series(1, 5000) as number`.execute(db);
  await sql`insert into parcels select 'p' || number, ${PENDING}, number, null from generate_series(1, 50) as number`.execute(
    db,
  );
  await sql`analyze parcels`.execute(db);
});
afterAll(() => db.destroy());

interface Parcel {
  name: string;
  place: number;
}

const adding = compiled<Parcel, Parcel>((on, { name, place }) => ({
  compile: () =>
    sql<Parcel>`
      insert into parcels values (${name}, ${PENDING}, ${place} + ${7}, ${null})
      returning name, case when ${true} and note is null then place - ${place} + ${2n} end as place`.compile(on),
}));

test('what all calls of a compiled statement have in common stands in its text, and each call gives the rest', async () => {
  expect(await adding(db, { name: 'one', place: 1 })).toEqual([{ name: 'one', place: 9 }]);
  expect(await adding(db, { name: '$1', place: -5 })).toEqual([{ name: '$1', place: 9 }]);
});

test('a pool has names for what comes often however many another has given away (S-149)', async () => {
  const other = connect(database.connectionString, 1, () => undefined);
  for (let text = 0; text < 400; text += 1)
    for (let call = 0; call < 5; call += 1) await sql`select ${sql.lit(text)}`.execute(other);
  await other.destroy();
  for (let call = 0; call < 5; call += 1) await sql`select 1 as often`.execute(db);
  const { rows } = await sql`select from pg_prepared_statements where statement = 'select 1 as often'`.execute(db);
  expect(rows).toHaveLength(1);
});

const placesOf = compiled<{ names: readonly string[] }, { place: number }>((on, { names }) => ({
  compile: () => sql<{ place: number }>`select place from parcels where name = any (${unseen(names)})`.compile(on),
}));
const firstPending = compiled<{ least: number }, { name: string }>((on, { least }) => ({
  compile: () =>
    sql<{ name: string }>`
      select name from parcels where status = ${PENDING} and place >= ${least} order by name limit ${1}`.compile(on),
}));

test.each([
  ['with an array', () => placesOf(db, { names: ['p7'] }), [{ place: 7 }], `explain execute NAME('{p7}')`, 'by_name'],
  [
    'that names a state',
    () => firstPending(db, { least: 20 }),
    [{ name: 'p20' }],
    'explain execute NAME(20)',
    'pending',
  ],
])('a statement %s is planned once for all calls, by its index (S-149)', async (_, ask, found, explain, index) => {
  for (let call = 0; call < 40; call += 1) expect(await ask()).toEqual(found);
  const { rows } = await sql<{ name: string; custom_plans: bigint; generic_plans: bigint }>`
    select name, custom_plans, generic_plans from pg_prepared_statements
    where statement ilike '%select % from parcels where%' order by prepare_time desc limit 1`.execute(db);
  const [plans] = rows;
  // PostgreSQL plans the first five calls of any statement.
  expect(plans?.custom_plans).toBe(5n);
  expect(plans?.generic_plans).toBeGreaterThan(20n);
  const { rows: steps } = await sql<{
    'QUERY PLAN': string;
  }>`${sql.raw(explain.replace('NAME', plans?.name ?? ''))}`.execute(db);
  expect(steps.map((step) => step['QUERY PLAN']).join(' ')).toContain(`parcels_${index}`);
});
