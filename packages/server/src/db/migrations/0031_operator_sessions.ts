import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // The contract says which acts there are.
  `alter table operator_acts drop constraint operator_acts_act_check`,
  // The signed text has its hash: with it a reader can tell what was asked. Null: from before it was kept.
  `alter table operator_acts add column body text`,
  // Each call of a key that was opened looks for it.
  `create index operator_acts_opened on operator_acts (target, id) where act in ('open', 'close')`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
