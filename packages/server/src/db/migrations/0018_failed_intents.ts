import { type Kysely, sql } from 'kysely';

/** The few intents that wait for an operator, without a walk over all that are done. */
const FAILED = `create index outbox_failed on outbox (id) where status = 'failed'`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(FAILED).execute(db);
}
