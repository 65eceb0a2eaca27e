import { type Kysely, sql } from 'kysely';

const STAGES = `('pending', 'accepted', 'carried', 'claimed', 'disputed', 'ruled', 'vacant', 'completed')`;

const STATEMENTS = [
  `alter table packages add terms jsonb, add requirements jsonb`,
  `create index packages_by_arbiter on packages ((terms ->> 'arbiterPubkey')) where terms is not null`,
  `create index packages_by_receiver on packages ((terms ->> 'receiverPubkey')) where terms ->> 'receiverPubkey' is not null`,

  `alter table legs
    add formation int4,
    add stage text check (stage in ${STAGES}),
    add since timestamptz(3),
    add until timestamptz(3),
    add disputer_pubkey text,
    add percent int2 check (percent between 0 and 100),
    add evidence_hash text,
    add reason_hash text,
    add paid_lamports int8 check (paid_lamports >= 0),
    add forfeited_lamports int8 not null default 0 check (forfeited_lamports >= 0),
    add assign_signature text,
    add ended_at timestamptz(3),
    add evaluate_at timestamptz(3),
    add opening_lat float8,
    add opening_lng float8`,
  `update legs set formation = swarms.formation, paid_lamports = case when legs.status = 'completed' then agreed_payment_lamports end
    from swarms where swarms.id = legs.swarm_id`,
  `alter table legs
    alter formation set not null,
    add check ((status = 'completed') = (paid_lamports is not null)),
    add check ((stage is null) = (since is null)),
    add check ((stage = 'completed') = (status = 'completed')),
    drop constraint legs_swarm_id_leg_index_key`,
  // A courier that is replaced keeps its row.
  `create unique index legs_one_now on legs (swarm_id, leg_index) where ended_at is null`,
  `create index legs_by_swarm on legs (swarm_id, leg_index)`,
  `create index legs_by_clock on legs (until) where ended_at is null and until is not null`,
  `create index legs_ruled on legs (id) where stage = 'ruled'`,
  `create index legs_vacant on legs (id) where stage = 'vacant' and ended_at is null`,
  `create index legs_to_evaluate on legs (evaluate_at) where evaluate_at is not null`,

  // The moves of a leg with terms, and the lamports that they moved, in the order of the ledger.
  `create table leg_moves (
    id int8 generated always as identity primary key,
    leg_id uuid not null references legs,
    move text not null,
    signer_pubkey text not null,
    by_whom text check (by_whom in ('arbiter', 'silence', 'agreement')),
    percent int2,
    hash text,
    movements jsonb not null,
    signature text not null,
    at timestamptz(3) not null,
    check ((by_whom is null) = (percent is null))
  )`,
  `create index leg_moves_by_leg on leg_moves (leg_id, id)`,
  `create index leg_moves_by_signature on leg_moves (signature)`,

  `create table evidence (
    leg_id uuid not null references legs,
    hash text not null,
    author_pubkey text not null,
    text text not null,
    created_at timestamptz(3) not null default now(),
    primary key (leg_id, hash, author_pubkey)
  )`,

  `alter table bids add leg_id uuid references legs`,
  `create index bids_by_leg on bids (leg_id) where leg_id is not null and ended_at is null`,
  `drop index bids_one_live`,
  `create unique index bids_one_live on bids (package_id, agent_pubkey, pickup_lat, pickup_lng, dropoff_lat, dropoff_lng)
    where ended_at is null and leg_id is null`,
  `create unique index bids_one_live_opening on bids (leg_id, agent_pubkey) where ended_at is null and leg_id is not null`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
