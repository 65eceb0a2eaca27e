import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // Shares of what the coordinator may spend, set aside for decisions that would wait for each other; and what was spent of a share,
  // below zero, in the transaction that decided to: the sum of all rows is what may still be promised.
  `create table fund_shares (
    id bigint primary key generated always as identity,
    share bigint references fund_shares on delete cascade,
    lamports bigint not null,
    granted_at timestamptz not null default clock_timestamp()
  )`,
  `create index fund_shares_spent on fund_shares (share)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
