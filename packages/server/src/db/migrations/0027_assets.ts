import { type Kysely, sql } from 'kysely';
import { PUT_WORK } from './0023_work.js';

/** The functions that put work on the list, with what it pays in. */
const inAssets = PUT_WORK.map((text) =>
  text
    .replace('create function', 'create or replace function')
    .replace('insert into work (id,', 'insert into work (asset, id,')
    .replace(/(values \(|select )(l\.id|leg\.id), '/, "$1l.asset, $2, '"),
);

const STATEMENTS = [
  // Number of the asset on the ledger, 0: SOL. Amounts of what is paid in a token count its base units, also in columns that end in lamports.
  ...['packages', 'digital_tasks', 'legs', 'digital_legs', 'work'].map(
    (table) => `alter table ${table} add column asset int2 not null default 0`,
  ),
  ...inAssets,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
