import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // The files of results; their bytes are in the store.
  `create table artifacts (
    id uuid primary key,
    leg_id uuid not null references digital_legs,
    claim int4 not null,
    agent_pubkey text not null,
    client text,
    sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
    bytes int8 not null check (bytes > 0),
    received int8 not null default 0 check (received between 0 and bytes),
    hash_state bytea,
    store_upload text,
    part_tags text[] not null default '{}',
    stored_at timestamptz(3),
    position int2 check (position between 0 and 15),
    name text,
    content_type text,
    created_at timestamptz(3) not null default now(),
    unique (leg_id, claim, sha256),
    check ((received = 0) = (hash_state is null)),
    check (stored_at is null or received = bytes),
    check ((position is null) = (name is null) and (name is null) = (content_type is null)),
    check (position is null or stored_at is not null)
  )`,
  `create index artifacts_by_agent on artifacts (agent_pubkey, created_at)`,
  `create index artifacts_by_client on artifacts (client, created_at) where client is not null`,
  `create index artifacts_by_sha256 on artifacts (sha256)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
