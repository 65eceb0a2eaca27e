import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // Keys that issue, or issued, credentials for this service. Never deleted: old credentials keep verifying.
  `create table issuer_keys (
    pubkey text primary key,
    since timestamptz(3) not null default now(),
    until timestamptz(3)
  )`,
  `create unique index issuer_keys_one_current on issuer_keys ((true)) where until is null`,

  // The credentials that were presented against an agent, each once.
  `create table trust_events (
    jti text primary key,
    agent_pubkey text not null,
    type text not null check (type in ('VcExpired')),
    adjustment_percent int2 not null check (adjustment_percent between -100 and 0),
    occurred_at timestamptz(3) not null default now()
  )`,
  `create index trust_events_by_agent on trust_events (agent_pubkey, occurred_at desc)`,

  `create table reward_claims (
    id uuid primary key,
    devnet_pubkey text not null unique,
    mainnet_pubkey text not null,
    mainnet_proven boolean not null,
    earnings_lamports int8 not null check (earnings_lamports >= 0),
    sponsored_lamports int8 not null check (sponsored_lamports between 0 and earnings_lamports),
    legs int4 not null check (legs >= 0),
    posters int4 not null check (posters between 0 and legs),
    last_confirm_signature text,
    claimed_at timestamptz(3) not null default now(),
    paid_signature text,
    paid_at timestamptz(3),
    check ((paid_signature is null) = (paid_at is null)),
    check ((legs = 0) = (last_confirm_signature is null))
  )`,
  `create index reward_claims_ranking on reward_claims (earnings_lamports desc, claimed_at, devnet_pubkey collate "C")`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
