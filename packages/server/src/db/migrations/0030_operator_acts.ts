import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // The acts of operators, with the proof of who asked. Nobody changes or removes a row.
  `create table operator_acts (
    id int8 generated always as identity primary key,
    at timestamptz(3) not null default now(),
    operator_pubkey text not null,
    act text not null check (act in ('retry', 'heal')),
    target text not null,
    signed_text text not null,
    signature text not null
  )`,
  `create function operator_acts_stay() returns trigger language plpgsql as $$ begin
    raise exception 'what operators had done is only added to';
  end $$`,
  `create trigger operator_acts_stay before update or delete on operator_acts for each row execute function operator_acts_stay()`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
