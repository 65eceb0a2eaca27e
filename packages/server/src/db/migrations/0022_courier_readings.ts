import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // Which couriers have read private parts of which packages; kept for 30 days, also when the package is erased.
  `create table courier_readings (
    reader_pubkey text not null,
    package_id uuid not null,
    first_at timestamptz not null default now(),
    primary key (reader_pubkey, package_id)
  )`,
  `create index courier_readings_by_age on courier_readings (first_at)`,
  `insert into courier_readings (reader_pubkey, package_id, first_at)
    select reader_pubkey, package_id, min(first_at) from private_readings where read_as = 'courier' group by reader_pubkey, package_id`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
