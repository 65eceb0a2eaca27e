import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // Kept as legs are confirmed: a list of agents by what they earned would otherwise read every leg there was.
  `create table earnings (
    agent_pubkey text primary key,
    lamports int8 not null check (lamports > 0),
    last_completed_at timestamptz(3) not null
  )`,
  `insert into earnings (agent_pubkey, lamports, last_completed_at)
    select agent_pubkey, sum(lamports), max(completed_at) from (
      select agent_pubkey, agreed_payment_lamports as lamports, completed_at from legs where status = 'completed'
      union all
      select agent_pubkey, payment_lamports, completed_at from digital_legs where status = 'completed'
    ) paid group by agent_pubkey`,
  // Each order that agents are listed in ends with the address, in the order of its bytes.
  `create index earnings_ranking on earnings (lamports desc, agent_pubkey collate "C")`,
  `create index earnings_latest on earnings (last_completed_at desc, agent_pubkey collate "C")`,
  `create index reputations_by_completed on reputations (legs_completed desc, agent_pubkey collate "C")`,
  `drop index agents_newest`,
  `create index agents_newest on agents (registered_at desc, pubkey collate "C")`,
  // The beginnings of names and addresses.
  `create index agents_by_name on agents (lower(display_name) collate "C")`,
  `create index agents_by_address on agents (pubkey collate "C")`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
