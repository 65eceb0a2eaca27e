import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // The log backwards: of one package or task, and of one type. An event without a number is in no list.
  `create index events_by_subject on events (subject, seq desc) where seq is not null`,
  `create index events_by_type on events (type, seq desc) where seq is not null`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
