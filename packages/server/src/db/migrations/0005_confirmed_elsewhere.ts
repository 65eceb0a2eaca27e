import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // The ledger may show a result confirmed that is not here: its hash is then known, and the text is not.
  `alter table digital_legs drop constraint digital_legs_check3`,
  `alter table digital_legs add check (result is null or result_hash is not null),
    add check (result_hash is null or result is not null or status = 'completed')`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
