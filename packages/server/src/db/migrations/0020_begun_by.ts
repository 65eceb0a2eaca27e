import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  `alter table legs add column since_signature text`,
  `alter table digital_legs add column since_signature text`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
