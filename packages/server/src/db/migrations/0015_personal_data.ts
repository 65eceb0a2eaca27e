import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  `alter table packages add column if not exists salt text`,
  `alter table digital_tasks add column if not exists salt text`,

  `alter table packages add private_hashes jsonb`,
  `create table private_parts (
    package_id uuid primary key references packages on delete cascade,
    key text not null,
    sealed bytea not null
  )`,
  `create table private_readings (
    package_id uuid not null references packages on delete cascade,
    part text not null check (part in ('pickup', 'dropoff')),
    reader_pubkey text not null,
    read_as text not null check (read_as in ('shipper', 'receiver', 'courier', 'arbiter')),
    times int4 not null default 1,
    first_at timestamptz(3) not null default now(),
    last_at timestamptz(3) not null default now(),
    primary key (package_id, part, reader_pubkey, read_as)
  )`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
