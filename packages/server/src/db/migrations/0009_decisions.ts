import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // The calls that keys signed, so that they can be proven later; many rows may rest on one request.
  `create table signed_calls (
    signature text primary key,
    pubkey text not null,
    operation text not null,
    text text not null,
    body text not null,
    kept_at timestamptz(3) not null default now()
  )`,
  `create index signed_calls_by_key on signed_calls (pubkey, kept_at)`,
  `alter table bids add column call_signature text references signed_calls`,
  `alter table digital_legs add column call_signature text references signed_calls`,
  `alter table signing_keys add column call_signature text references signed_calls`,
  `alter table reward_claims add column call_signature text references signed_calls,
    add column mainnet_signature text`,

  // The coordinator's decisions, under its MAC: the outbox believes no row without one.
  `create table decisions (
    unique_key text primary key,
    kind text not null,
    subject text not null,
    considered text,
    chosen text,
    decided_at timestamptz(3) not null,
    mac text not null
  )`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
