import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // What the coordinator pays for transactions of others is counted as what it advances for listings is, against budgets of its own.
  `alter table sponsorships add column purpose text not null default 'listing' check (purpose in ('listing', 'fees'))`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
