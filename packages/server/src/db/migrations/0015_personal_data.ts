import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  `alter table packages add column if not exists salt text`,
  `alter table digital_tasks add column if not exists salt text`,

  `alter table packages add private_hashes jsonb`,
  `alter table packages add erased_at timestamptz(3), add erase_call text references signed_calls`,
  `alter table digital_tasks add erased_at timestamptz(3), add erase_call text references signed_calls`,
  `create index packages_erased on packages (erased_at) where erased_at is not null`,
  `create index digital_tasks_erased on digital_tasks (erased_at) where erased_at is not null`,
  `create index packages_over on packages (id) where status in ('delivered', 'failed') and erased_at is null`,
  `create index digital_tasks_over on digital_tasks (id) where status in ('completed', 'failed') and erased_at is null`,
  // Places that were erased may be the same.
  `alter table bids add is_erased boolean not null default false`,
  `drop index bids_one_live`,
  `create unique index bids_one_live on bids (package_id, agent_pubkey, pickup_lat, pickup_lng, dropoff_lat, dropoff_lng)
    where ended_at is null and leg_id is null and not is_erased`,
  `create index bids_by_call on bids (call_signature) where call_signature is not null`,

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
