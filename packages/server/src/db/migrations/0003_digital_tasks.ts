import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  `create table digital_tasks (
    id uuid primary key,
    status text not null check (status in ('draft', 'listed', 'in_progress', 'completed', 'failed')),
    failure_reason text check (failure_reason in ('cancelled', 'reclaimed')),
    shipper_pubkey text not null,
    funder_pubkey text not null,
    title text not null,
    description text not null,
    is_planned boolean not null,
    num_legs int2 not null check (num_legs between 1 and 4),
    max_budget_lamports int8 not null check (max_budget_lamports >= num_legs),
    claim_timeout_sec int4 not null check (claim_timeout_sec between 60 and 86400),
    deadline timestamptz(3) not null,
    terms_hash text not null,
    on_chain_task text not null unique,
    on_chain_vault text not null,
    list_signature text,
    settle_signature text,
    refund_lamports int8 check (refund_lamports >= 0),
    end_signature text,
    close_signature text,
    request_key text unique,
    created_at timestamptz(3) not null default now(),
    listed_at timestamptz(3),
    check (status = 'draft' or (list_signature is not null and listed_at is not null)),
    check ((status = 'failed') = (failure_reason is not null)),
    check ((status = 'failed') = (end_signature is not null)),
    check ((status = 'completed') = (settle_signature is not null and refund_lamports is not null))
  )`,
  `create index digital_tasks_newest on digital_tasks (id desc) where status <> 'draft'`,
  `create index digital_tasks_by_status on digital_tasks (status, id desc)`,
  `create index digital_tasks_by_shipper on digital_tasks (shipper_pubkey, id desc)`,
  `create index digital_tasks_drafts on digital_tasks (created_at) where status = 'draft'`,

  // A claim is numbered: what was decided for one of them never touches a later one.
  `create table digital_legs (
    id uuid primary key,
    task_id uuid not null references digital_tasks on delete cascade,
    leg_index int2 not null check (leg_index between 0 and 3),
    instruction text not null,
    status text not null default 'pending' check (status in ('pending', 'in_progress', 'completed', 'failed')),
    on_chain_leg text not null,
    claim int4 not null default 0,
    agent_pubkey text,
    bid_lamports int8 check (bid_lamports > 0),
    signed boolean,
    claimed_at timestamptz(3),
    assign_signature text,
    due_at timestamptz(3),
    release_reason text check (release_reason in ('released', 'timeout')),
    result text,
    result_hash text,
    confirm_signature text,
    payment_lamports int8 check (payment_lamports > 0),
    completed_at timestamptz(3),
    unique (task_id, leg_index),
    check ((agent_pubkey is null) = (claimed_at is null) and (agent_pubkey is null) = (bid_lamports is null)
      and (agent_pubkey is null) = (signed is null)),
    check (agent_pubkey is not null or (assign_signature is null and release_reason is null and result is null)),
    check ((assign_signature is null) = (due_at is null)),
    check ((result is null) = (result_hash is null)),
    check (result is null or release_reason is null),
    check (status not in ('in_progress', 'completed') or assign_signature is not null),
    check ((status = 'completed') = (confirm_signature is not null)),
    check ((status = 'completed') = (payment_lamports is not null and completed_at is not null))
  )`,
  `create unique index digital_legs_one_an_agent on digital_legs (task_id, agent_pubkey) where agent_pubkey is not null`,
  `create index digital_legs_by_agent on digital_legs (agent_pubkey, id desc)`,
  // The legs that are left to do or that failed, among any number of completed ones.
  `create index digital_legs_uncompleted on digital_legs (agent_pubkey, status, id desc)
    where status <> 'completed' and agent_pubkey is not null`,
  `create index digital_legs_open on digital_legs (task_id) where status = 'pending' and agent_pubkey is null`,
  `create index digital_legs_due on digital_legs (due_at)
    where status = 'in_progress' and result is null and release_reason is null`,
  `create index digital_legs_paid on digital_legs (agent_pubkey) include (payment_lamports, completed_at)
    where status = 'completed'`,

  // Agents that gave up a leg, with how. Only what the ledger had assigned counts as history: it has a signature.
  `create table barred_agents (
    task_id uuid not null references digital_tasks,
    agent_pubkey text not null,
    leg_id uuid not null references digital_legs,
    reason text not null check (reason in ('released', 'timeout', 'refused')),
    release_signature text,
    barred_at timestamptz(3) not null default now(),
    primary key (task_id, agent_pubkey),
    check ((reason = 'refused') = (release_signature is null))
  )`,
  `create index barred_agents_by_agent on barred_agents (agent_pubkey)`,

  // Digital tasks count under the same caps as packages.
  `alter table sponsorships rename column package_id to subject_id`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
