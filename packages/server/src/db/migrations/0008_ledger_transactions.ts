import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // Every transaction of the program that was applied, once and whole.
  `create table ledger_transactions (
    signature text primary key,
    slot int8 not null,
    position int8 unique,
    subjects text[] not null default '{}',
    instructions text[] not null default '{}',
    unreadable text,
    bytes bytea,
    last_valid_block_height int8,
    missing_since timestamptz(3),
    reverted_at timestamptz(3),
    applied_at timestamptz(3) not null default now(),
    check (position is null or reverted_at is null)
  )`,
  `insert into ledger_transactions (signature, slot, instructions, applied_at)
    select signature, max(slot), array_agg(name order by instruction_index), min(applied_at)
    from applied_instructions group by signature`,
  `drop table applied_instructions`,
  `update ledger_transactions as t set subjects = facts.subjects from (
    select signature, array_agg(distinct subject) as subjects from (
      select unnest(array[list_signature, settle_signature, end_signature, close_signature]) as signature,
        'package:' || id as subject from packages
      union all select form_signature, 'package:' || package_id from swarms
      union all select confirm_signature, 'package:' || package_id from legs join swarms on swarms.id = swarm_id
      union all select unnest(array[list_signature, settle_signature, end_signature, close_signature]),
        'task:' || id from digital_tasks
      union all select unnest(array[assign_signature, confirm_signature]), 'task:' || task_id from digital_legs
      union all select release_signature, 'task:' || task_id from barred_agents
    ) fact where signature is not null group by signature
  ) facts where facts.signature = t.signature`,
  // Everything that the cursor has passed was final, in the order of the watcher, which applied one after the other.
  `update ledger_transactions as t set position = placed.position from (
    select signature, row_number() over (order by slot, applied_at) as position from ledger_transactions
    where slot <= (select split_part(value, ':', 1)::int8 from meta where key = 'watcher_cursor')
  ) placed where placed.signature = t.signature`,
  `create index ledger_transactions_open on ledger_transactions (slot) where position is null`,
  // Of one listing, however many transactions wait for their place. Not collected in a list that every reader would go through.
  `create index ledger_transactions_open_subjects on ledger_transactions using gin (subjects) with (fastupdate = off)
    where position is null`,
  `create index ledger_transactions_doubted on ledger_transactions (signature)
    where reverted_at is not null or missing_since is not null`,

  // The same bytes once stood for two intents. Of those that are not done all but the first are signed again.
  `update outbox set signature = null, transaction = null, last_valid_block_height = null,
      status = case status when 'sent' then 'pending' else status end
    where exists (select from outbox as earlier where earlier.signature = outbox.signature and earlier.id < outbox.id)`,
  `create unique index outbox_signatures on outbox (signature)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
