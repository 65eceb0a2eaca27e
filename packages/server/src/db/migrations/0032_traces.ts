import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // The traceparent of the call that decided an intent, made an evaluation due, or is told of: whoever works on it goes on its trace.
  `alter table outbox add column trace text`,
  `alter table events add column trace text`,
  `alter table packages add column evaluate_trace text`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
