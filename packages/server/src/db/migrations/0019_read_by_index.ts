import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // The decisions about a package, without a walk over all decisions.
  `create index decisions_by_subject on decisions (subject)`,
  // Legs of tasks whose clocks run, for the metrics: few of all there ever were.
  `create index digital_legs_clocked on digital_legs (task_id) where status = 'in_progress' and stage is not null`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
