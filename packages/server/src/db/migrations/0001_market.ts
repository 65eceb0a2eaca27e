import { type Kysely, sql } from 'kysely';

const TABLES = [
  `create table meta (key text primary key, value text not null)`,

  `create table agents (
    pubkey text primary key,
    display_name text,
    capabilities text[] not null default '{}',
    registered_at timestamptz(3) not null default now(),
    airdropped_at timestamptz(3),
    airdrop_signature text
  )`,

  `create table reputations (
    agent_pubkey text primary key,
    on_chain_pda text not null,
    legs_accepted int8 not null check (legs_accepted >= 0),
    legs_completed int8 not null check (legs_completed between 0 and legs_accepted),
    reliability_score int2 not null check (reliability_score between 0 and 100),
    slot int8 not null,
    mirrored_at timestamptz(3) not null default now()
  )`,

  `create table packages (
    id uuid primary key,
    status text not null check (status in ('draft', 'listed', 'swarm_forming', 'in_transit', 'delivered', 'failed')),
    failure_reason text check (failure_reason in ('cancelled', 'reclaimed')),
    shipper_pubkey text not null,
    funder_pubkey text not null,
    origin_lat float8 not null,
    origin_lng float8 not null,
    dest_lat float8 not null,
    dest_lng float8 not null,
    description text not null,
    weight_kg float8 not null,
    volume_litres float8 not null,
    max_budget_lamports int8 not null check (max_budget_lamports > 0),
    deadline timestamptz(3) not null,
    terms_hash text not null,
    on_chain_package text not null unique,
    on_chain_vault text not null,
    list_signature text,
    settle_signature text,
    refund_lamports int8 check (refund_lamports >= 0),
    bids_version int8 not null default 0,
    formation int4 not null default 0,
    evaluate_at timestamptz(3),
    failed_formations int4 not null default 0,
    created_at timestamptz(3) not null default now(),
    listed_at timestamptz(3),
    check (status = 'draft' or (list_signature is not null and listed_at is not null)),
    check ((status = 'failed') = (failure_reason is not null))
  )`,
  `create index packages_newest on packages (id desc) where status <> 'draft'`,
  `create index packages_by_status on packages (status, id desc)`,
  `create index packages_by_shipper on packages (shipper_pubkey, id desc)`,
  `create index packages_to_evaluate on packages (evaluate_at) where evaluate_at is not null`,

  `create table bids (
    id uuid primary key,
    package_id uuid not null references packages,
    agent_pubkey text not null,
    pickup_lat float8 not null,
    pickup_lng float8 not null,
    dropoff_lat float8 not null,
    dropoff_lng float8 not null,
    distance_km float8 not null,
    estimated_duration_min float8 not null,
    cost_lamports int8 not null check (cost_lamports > 0),
    reasoning text,
    expires_at timestamptz(3) not null,
    created_at timestamptz(3) not null default now(),
    ended_at timestamptz(3),
    ended_because text check (ended_because in ('replaced', 'excluded')),
    check ((ended_at is null) = (ended_because is null))
  )`,
  // One live bid an agent, package and pair of places.
  `create unique index bids_one_live on bids (package_id, agent_pubkey, pickup_lat, pickup_lng, dropoff_lat, dropoff_lng)
    where ended_at is null`,

  `create table swarms (
    id uuid primary key,
    package_id uuid not null references packages,
    status text not null check (status in ('forming', 'active', 'settled', 'failed')),
    formation int4 not null check (formation > 0),
    on_chain_swarm text not null,
    form_signature text,
    settle_signature text,
    total_legs int2 not null check (total_legs between 1 and 7),
    total_lamports int8 not null check (total_lamports > 0),
    exact boolean not null,
    failure text,
    created_at timestamptz(3) not null default now()
  )`,
  `create unique index swarms_one_active on swarms (package_id) where status in ('forming', 'active')`,
  `create index swarms_by_package on swarms (package_id, id desc)`,

  `create table legs (
    id uuid primary key,
    swarm_id uuid not null references swarms,
    leg_index int2 not null check (leg_index between 0 and 6),
    bid_id uuid not null references bids,
    agent_pubkey text not null,
    pickup_lat float8 not null,
    pickup_lng float8 not null,
    dropoff_lat float8 not null,
    dropoff_lng float8 not null,
    distance_km float8 not null,
    estimated_duration_min int4 not null,
    cost_lamports int8 not null check (cost_lamports > 0),
    agreed_payment_lamports int8 not null check (agreed_payment_lamports >= cost_lamports),
    status text not null default 'pending' check (status in ('pending', 'completed')),
    on_chain_leg text not null,
    confirm_signature text,
    completed_at timestamptz(3),
    unique (swarm_id, leg_index),
    check ((status = 'completed') = (confirm_signature is not null and completed_at is not null))
  )`,
  `create index legs_by_agent on legs (agent_pubkey, id)`,

  `create table outbox (
    id int8 generated always as identity primary key,
    kind text not null,
    subject text not null,
    unique_key text not null unique,
    payload jsonb not null,
    status text not null default 'pending' check (status in ('pending', 'sent', 'done', 'failed')),
    attempts int4 not null default 0,
    available_at timestamptz(3) not null default now(),
    lease_token uuid,
    leased_until timestamptz(3),
    signature text,
    transaction bytea,
    last_valid_block_height int8,
    last_error text,
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now(),
    check ((signature is null) = (transaction is null) and (signature is null) = (last_valid_block_height is null))
  )`,
  `create index outbox_open on outbox (subject, id) where status in ('pending', 'sent')`,
  `create index outbox_due on outbox (available_at) where status in ('pending', 'sent')`,

  `create table events (
    id int8 generated always as identity primary key,
    seq int8 unique,
    type text not null,
    subject text not null,
    payload jsonb not null,
    occurred_at timestamptz(3) not null default now()
  )`,
  `create index events_unnumbered on events (id) where seq is null`,
  `create sequence event_seq`,

  `create table nonces (
    pubkey text not null,
    nonce text not null,
    used_at timestamptz(3) not null default now(),
    primary key (pubkey, nonce)
  )`,
  `create index nonces_by_age on nonces (used_at)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of TABLES) await sql.raw(statement).execute(db);
}
