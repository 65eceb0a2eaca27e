import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // The clocks of reclaimed legs had kept running.
  `update legs set until = null from swarms
    where swarms.id = legs.swarm_id and swarms.status = 'failed' and legs.until is not null`,
  `update digital_legs set until = null where status = 'failed' and until is not null`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
