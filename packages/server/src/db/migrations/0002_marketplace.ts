import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  `alter table agents
    add column require_signed_calls boolean not null default false,
    add column profile_signed boolean not null default false`,
  `create index agents_newest on agents (registered_at desc, pubkey desc)`,

  `create index reputations_ranking on reputations (reliability_score desc, legs_completed desc, agent_pubkey collate "C")`,

  `alter table packages
    add column bidding_window_sec int4 not null default 0 check (bidding_window_sec between 0 and 86400),
    add column bidding_closes_at timestamptz(3),
    add column end_signature text,
    add column close_signature text,
    add column request_key text unique`,
  `create index packages_by_origin on packages (origin_lat, origin_lng) where status <> 'draft'`,
  `create index packages_drafts on packages (created_at) where status = 'draft'`,
  `create index packages_by_funder on packages (funder_pubkey, deadline) where status in ('listed', 'swarm_forming', 'in_transit')`,

  `alter table bids
    add column signed boolean not null default true,
    drop constraint bids_ended_because_check,
    add constraint bids_ended_because_check check (ended_because in ('replaced', 'excluded', 'withdrawn'))`,
  `create index bids_of_package on bids (package_id, id desc)`,
  `create index bids_of_agent on bids (agent_pubkey, id desc)`,
  `create index legs_by_bid on legs (bid_id)`,
  // The legs that a courier has left, however many it did before; the pay of all couriers, without reading the legs.
  `create index legs_pending on legs (agent_pubkey, id) where status = 'pending'`,
  `create index legs_paid on legs (agreed_payment_lamports) where status = 'completed'`,
  `create index legs_by_address on legs (on_chain_leg)`,
  `create index swarms_by_address on swarms (on_chain_swarm, id desc)`,

  // Every instruction of the program that the watcher has projected, once.
  `create table applied_instructions (
    signature text not null,
    instruction_index int4 not null,
    slot int8 not null,
    name text not null,
    applied_at timestamptz(3) not null default now(),
    primary key (signature, instruction_index)
  )`,

  // The coordinator's advances for the listings that it funds: budget, rent and fees.
  `create table sponsorships (
    package_id uuid primary key,
    poster_pubkey text not null,
    ip text not null,
    lamports int8 not null check (lamports > 0),
    created_at timestamptz(3) not null default now()
  )`,
  `create index sponsorships_by_age on sponsorships (created_at)`,

  `create table idempotency_keys (
    scope text not null,
    key text not null,
    request_hash text not null,
    status int2,
    body text,
    locked_until timestamptz(3) not null,
    created_at timestamptz(3) not null default now(),
    primary key (scope, key),
    check ((status is null) = (body is null))
  )`,
  `create index idempotency_keys_by_age on idempotency_keys (created_at)`,

  // Counters that may be lost in a crash: unlogged, so that a request costs no write to disk.
  `create unlogged table rate_limits (key varchar(255) primary key, points integer not null default 0, expire bigint)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
