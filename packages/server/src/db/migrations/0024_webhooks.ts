import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // In which listings a key was named, and by which event first.
  `create index events_by_name on events ((coalesce(payload ->> 'agentPubkey', payload ->> 'shipperPubkey')), subject, seq)
    where seq is not null`,
  // A webhook is a place in the log: nothing of the log is copied.
  `create table webhooks (
    id uuid primary key,
    owner_pubkey text not null,
    client text not null,
    sealed bytea not null,
    acked_seq int8 not null,
    attempts int4 not null default 0,
    failing_since timestamptz,
    last_error text,
    delivered_at timestamptz,
    disabled_at timestamptz,
    available_at timestamptz not null default now(),
    lease_token uuid,
    leased_until timestamptz,
    created_at timestamptz(3) not null default now(),
    changed_at timestamptz not null default now()
  )`,
  `create index webhooks_by_owner on webhooks (owner_pubkey)`,
  `create index webhooks_by_client on webhooks (client)`,
  `create index webhooks_by_change on webhooks (changed_at)`,
  `create index webhooks_to_retry on webhooks (available_at) where attempts > 0 and disabled_at is null`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
