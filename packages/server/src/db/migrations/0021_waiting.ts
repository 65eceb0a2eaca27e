import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // Legs that their couriers or agents gave up late, before they had accepted them; kept for a day.
  `create table lapses (
    agent_pubkey text not null,
    leg_id uuid not null,
    at timestamptz not null,
    primary key (agent_pubkey, leg_id)
  )`,
  `create index lapses_by_age on lapses (at)`,
  // Assigned legs of tasks that nobody has accepted: few of all there ever were.
  `create index digital_legs_unaccepted on digital_legs (id) where status = 'in_progress' and stage in ('pending', 'vacant')`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
