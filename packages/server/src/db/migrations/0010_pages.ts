import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // The log backwards: of one package or task, and of one type. An event without a number is in no list.
  `create index events_by_subject on events (subject, seq desc) where seq is not null`,
  `create index events_by_type on events (type, seq desc) where seq is not null`,

  // The data of a map: packages by where they end, as packages_by_origin has them by where they start, and recent deliveries.
  `create index packages_by_destination on packages (dest_lat, dest_lng) where status <> 'draft'`,
  `create index legs_completed on legs (completed_at desc) where status = 'completed'`,

  // The thing behind the end of an id, and the thing at an address.
  ...['packages', 'swarms', 'legs', 'digital_tasks', 'digital_legs'].map(
    (table) => `create index ${table}_by_id_end on ${table} (right(id::text, 6))`,
  ),
  `create index packages_by_vault on packages (on_chain_vault)`,
  `create index digital_tasks_by_vault on digital_tasks (on_chain_vault)`,
  `create index digital_legs_by_address on digital_legs (on_chain_leg)`,
  `create index reputations_by_address on reputations (on_chain_pda)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
