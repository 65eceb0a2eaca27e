import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // The ledger may show a leg with an agent that has no claim here.
  `alter table digital_legs add column held_elsewhere text`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
