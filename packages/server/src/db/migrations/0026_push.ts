import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // A subscription to notices is a webhook of a phone's: it is leased, tried again and limited as they are. Only it has been told something.
  `alter table webhooks add column told jsonb, add column look_at timestamptz`,
  `create index webhooks_to_look on webhooks (look_at) where look_at is not null`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
