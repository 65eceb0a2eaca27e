import { type Kysely, sql } from 'kysely';

const STAGES = `('pending', 'accepted', 'claimed', 'disputed', 'ruled', 'vacant', 'completed')`;

const STATEMENTS = [
  `alter table digital_tasks add terms jsonb, add requirements jsonb, add formation int4 not null default 0`,
  `create index digital_tasks_by_arbiter on digital_tasks ((terms ->> 'arbiterPubkey')) where terms is not null`,
  `create index digital_tasks_by_receiver on digital_tasks ((terms ->> 'receiverPubkey'))
    where terms ->> 'receiverPubkey' is not null`,

  // Of the claim that has the leg: another one begins with none of it.
  `alter table digital_legs
    add formation int4,
    add stage text check (stage in ${STAGES}),
    add since timestamptz(3),
    add until timestamptz(3),
    add disputer_pubkey text,
    add percent int2 check (percent between 0 and 100),
    add evidence_hash text,
    add reason_hash text,
    add forfeited_lamports int8 not null default 0 check (forfeited_lamports >= 0),
    add check ((stage is null) = (since is null) and (stage is null) = (formation is null)),
    add check (stage is null or (stage = 'completed') = (status = 'completed')),
    drop constraint digital_legs_payment_lamports_check,
    add check (payment_lamports >= 0)`,
  `create index digital_legs_by_clock on digital_legs (until) where status = 'in_progress' and until is not null`,
  `create index digital_legs_ruled on digital_legs (id) where stage = 'ruled'`,
  `create index digital_legs_vacant on digital_legs (id) where stage = 'vacant'`,

  `alter table barred_agents drop constraint barred_agents_reason_check,
    add check (reason in ('released', 'timeout', 'refused', 'rejected'))`,
  `alter table digital_legs drop constraint digital_legs_release_reason_check,
    add check (release_reason in ('released', 'timeout', 'rejected'))`,

  // A leg of either kind.
  `alter table leg_moves drop constraint leg_moves_leg_id_fkey`,
  `alter table evidence drop constraint evidence_leg_id_fkey`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
