import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  `alter table packages add column if not exists salt text`,
  `alter table digital_tasks add column if not exists salt text`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
