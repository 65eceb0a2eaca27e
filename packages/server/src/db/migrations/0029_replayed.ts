import { type Kysely, sql } from 'kysely';

const LISTINGS = ['packages', 'digital_tasks'] as const;

const STATEMENTS = [
  // The document whose hash is on the ledger is not here: the listing was rebuilt from the ledger alone. It is no work for anybody new.
  ...LISTINGS.map(
    (table) =>
      `alter table ${table} add column document_known boolean not null default true, add column rebuilt_slot int8`,
  ),
  // In which tokens something was listed.
  ...LISTINGS.map((table) => `create index ${table}_in_tokens on ${table} (asset) where asset <> 0`),
  `create or replace function packages_to_work() returns trigger language plpgsql as $$ begin
    if tg_op = 'DELETE' then delete from work where listing_id = old.id; return null; end if;
    if new.status in ('delivered', 'failed') or new.erased_at is not null or not new.document_known then
      delete from work where listing_id = new.id;
    else
      perform put_package_work(new);
    end if;
    return null;
  end $$`,
  `create or replace function digital_tasks_to_work() returns trigger language plpgsql as $$ begin
    if tg_op = 'DELETE' then delete from work where listing_id = old.id; return null; end if;
    if new.status in ('completed', 'failed') or new.erased_at is not null or not new.document_known then
      delete from work where listing_id = new.id;
    else
      perform put_task_work(new, leg) from digital_legs leg where leg.task_id = new.id;
    end if;
    return null;
  end $$`,
  `create or replace function digital_legs_to_work() returns trigger language plpgsql as $$ begin
    perform put_task_work(task, new) from digital_tasks task
      where task.id = new.task_id and task.status not in ('completed', 'failed') and task.erased_at is null and task.document_known;
    return null;
  end $$`,
  // Nobody knows where a leg goes that was rebuilt.
  `create or replace function legs_to_work() returns trigger language plpgsql as $$ begin
    if new.stage = 'vacant' and new.ended_at is null and (new.distance_km, new.pickup_lat, new.pickup_lng) <> (0, 0, 0) then
      perform put_opening_work(parcel, new) from swarms join packages parcel on parcel.id = swarms.package_id
        where swarms.id = new.swarm_id and parcel.status = 'in_transit' and parcel.erased_at is null;
    else
      delete from work where id = new.id;
    end if;
    return null;
  end $$`,
  ...LISTINGS.flatMap((table) => [
    `drop trigger ${table}_work on ${table}`,
    `create trigger ${table}_work after insert or delete or update of status, erased_at, document_known on ${table}
      for each row execute function ${table}_to_work()`,
  ]),
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
