import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // The coordinator's payments for transactions of others are counted like its advances for listings, against budgets of their own.
  `alter table sponsorships add column purpose text not null default 'listing' check (purpose in ('listing', 'fees'))`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
