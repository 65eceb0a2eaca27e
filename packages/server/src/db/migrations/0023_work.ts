import { type Kysely, sql } from 'kysely';

/** The last instant at which a leg of a task can be claimed lies so many seconds, and the time of its agent, before the deadline. Rule M-54. */
const LEG_SPARE_SEC = 600;
/** Legs that an agent must have completed for a package with private parts, where its requirements do not say. Rule S-150. */
const PRIVATE_MIN_COMPLETED = 3;

const FACTS = `is_open, lister, parties, has_terms, stake, deadline, min_score, min_completed, capabilities, blocked`;

/** The requirements of a listing for its agents, in the order of the columns; \`l\` is its row. */
const factsOf = (isOpen: string, leastCompleted: string) => `${isOpen}, l.shipper_pubkey,
  array_remove(array[l.shipper_pubkey, l.terms ->> 'arbiterPubkey', l.terms ->> 'receiverPubkey'], null),
  l.terms is not null, coalesce((l.terms ->> 'stakeLamports')::int8, 0), l.deadline,
  coalesce((l.requirements ->> 'minScore')::int4, 0), coalesce((l.requirements ->> 'minCompleted')::int4, ${leastCompleted}),
  texts_of(l.requirements -> 'capabilities'), texts_of(l.requirements -> 'blocked')`;

/** Put a row on the list of work; an upsert each. */
export const PUT_WORK = [
  `create function put_package_work(l packages) returns void language sql as $$
    insert into work (id, kind, listing_id, ${FACTS}, is_private, closes_at, pay, lat, lng, per_km)
    values (l.id, 'package', l.id, ${factsOf(
      `l.status = 'listed'`,
      `case when l.private_hashes is null then 0 else ${PRIVATE_MIN_COMPLETED} end`,
    )}, l.private_hashes is not null, l.deadline, l.max_budget_lamports, coarse(l.origin_lat), coarse(l.origin_lng),
      per_km(l.max_budget_lamports, rounded_km(coarse(l.origin_lat), coarse(l.origin_lng), coarse(l.dest_lat), coarse(l.dest_lng))))
    on conflict (id, kind) do update set is_open = excluded.is_open $$`,
  `create function put_task_work(l digital_tasks, leg digital_legs) returns void language sql as $$
    insert into work (id, kind, listing_id, ${FACTS}, closes_at, pay)
    values (leg.id, 'leg', l.id, ${factsOf(
      `l.status in ('listed', 'in_progress') and leg.status = 'pending' and leg.agent_pubkey is null and leg.held_elsewhere is null`,
      '0',
    )}, l.deadline - make_interval(secs =>
        coalesce((l.terms ->> 'handoffSec')::int4 + (l.terms ->> 'carrySec')::int4, l.claim_timeout_sec) + ${LEG_SPARE_SEC}),
      l.max_budget_lamports / l.num_legs)
    on conflict (id, kind) do update set is_open = excluded.is_open $$`,
  `create function put_opening_work(l packages, leg legs) returns void language sql as $$
    insert into work (id, kind, listing_id, ${FACTS}, is_private, closes_at, pay, lat, lng, per_km, marked_in, marks)
    select leg.id, 'opening', l.id, ${factsOf(
      'true',
      `case when l.private_hashes is null then 0 else ${PRIVATE_MIN_COMPLETED} end`,
    )}, l.private_hashes is not null, l.deadline, price,
      coalesce(leg.opening_lat, leg.pickup_lat), coalesce(leg.opening_lng, leg.pickup_lng), per_km(price, leg.distance_km),
      (select marked_in from work where id = l.id), (select marks from work where id = l.id)
    from (select (array_agg(agreed_payment_lamports order by id))[1] + sum(forfeited_lamports)::int8 as price
      from legs where swarm_id = leg.swarm_id and leg_index = leg.leg_index) first
    on conflict (id, kind) do update set lat = excluded.lat, lng = excluded.lng, pay = excluded.pay, per_km = excluded.per_km $$`,
];

/** Triggers, because an earlier version that runs beside this one changes listings and legs too, and what can be found stays true. */
const FUNCTIONS = [
  `create function texts_of(list jsonb) returns text[] language sql immutable as
    $$ select coalesce(array_agg(one), '{}') from jsonb_array_elements_text(coalesce(list, '[]')) one $$`,
  // As lists know places, also where a row was never sealed. An index of points fails on numbers that are almost nothing.
  `create function coarse(degrees float8) returns float8 language sql immutable as $$ select round(degrees::numeric, 2)::float8 $$`,
  // PostgreSQL refuses to square a number so small that nothing would be left of it.
  `create function rounded_km(lat1 float8, lng1 float8, lat2 float8, lng2 float8) returns float8 language sql immutable as
    $$ select 2 * 6371.0088 * asin(sqrt(least(1, sind(greatest(abs(lat2 - lat1), 1e-9) / 2) ^ 2
      + cosd(lat1) * cosd(lat2) * sind(greatest(abs(lng2 - lng1), 1e-9) / 2) ^ 2))) $$`,
  `create function per_km(pay int8, km float8) returns float8 language sql immutable as
    $$ select pay / greatest(1, km) $$`,
  ...PUT_WORK,
  `create function packages_to_work() returns trigger language plpgsql as $$ begin
    if tg_op = 'DELETE' then delete from work where listing_id = old.id; return null; end if;
    if new.status in ('delivered', 'failed') or new.erased_at is not null then
      delete from work where listing_id = new.id;
    else
      perform put_package_work(new);
    end if;
    return null;
  end $$`,
  `create function digital_tasks_to_work() returns trigger language plpgsql as $$ begin
    if tg_op = 'DELETE' then delete from work where listing_id = old.id; return null; end if;
    if new.status in ('completed', 'failed') or new.erased_at is not null then
      delete from work where listing_id = new.id;
    else
      perform put_task_work(new, leg) from digital_legs leg where leg.task_id = new.id;
    end if;
    return null;
  end $$`,
  `create function digital_legs_to_work() returns trigger language plpgsql as $$ begin
    perform put_task_work(task, new) from digital_tasks task
      where task.id = new.task_id and task.status not in ('completed', 'failed') and task.erased_at is null;
    return null;
  end $$`,
  `create function legs_to_work() returns trigger language plpgsql as $$ begin
    if new.stage = 'vacant' and new.ended_at is null then
      perform put_opening_work(parcel, new) from swarms join packages parcel on parcel.id = swarms.package_id
        where swarms.id = new.swarm_id and parcel.status = 'in_transit' and parcel.erased_at is null;
    else
      delete from work where id = new.id;
    end if;
    return null;
  end $$`,
];

const STATEMENTS = [
  // The work that an agent can bid on or claim, a row each, and also what is closed just now in a listing that is not over. The kinds
  // are so unlike that PostgreSQL has to know them apart to guess what is rare.
  `create table work (
    id uuid not null,
    kind text not null,
    listing_id uuid not null,
    is_open boolean not null,
    lister text not null,
    parties text[] not null,
    has_terms boolean not null,
    is_private boolean not null default false,
    stake int8 not null,
    deadline timestamptz not null,
    closes_at timestamptz not null,
    pay int8 not null,
    per_km float8,
    lat float8,
    lng float8,
    min_score int4 not null,
    min_completed int4 not null,
    capabilities text[] not null,
    blocked text[] not null,
    marked_in text,
    marks int8[],
    primary key (id, kind)
  ) partition by list (kind)`,
  ...['package', 'opening', 'leg'].map(
    (kind) => `create table work_${kind} partition of work for values in ('${kind}')`,
  ),
  ...FUNCTIONS,
  `create trigger packages_work after insert or delete or update of status, erased_at on packages
    for each row execute function packages_to_work()`,
  `create trigger digital_tasks_work after insert or delete or update of status, erased_at on digital_tasks
    for each row execute function digital_tasks_to_work()`,
  `create trigger digital_legs_work after insert or update of status, agent_pubkey, held_elsewhere on digital_legs
    for each row execute function digital_legs_to_work()`,
  // Only a leg with terms has a stage.
  `create trigger legs_work after update of stage, ended_at, opening_lat, opening_lng on legs
    for each row when (old.stage = 'vacant' or new.stage = 'vacant') execute function legs_to_work()`,
  `select put_package_work(l) from packages l where status in ('listed', 'swarm_forming', 'in_transit') and erased_at is null`,
  `select put_task_work(l, leg) from digital_tasks l join digital_legs leg on leg.task_id = l.id
    where l.status in ('listed', 'in_progress') and l.erased_at is null`,
  `select put_opening_work(l, leg) from packages l join swarms on swarms.package_id = l.id join legs leg on leg.swarm_id = swarms.id
    where l.status = 'in_transit' and leg.stage = 'vacant' and leg.ended_at is null and l.erased_at is null`,
  `create index work_of_listing on work (listing_id)`,
  `create index work_open on work (listing_id desc, id desc) where is_open`,
  `create index work_bound on work (listing_id desc, id desc) where is_open and has_terms`,
  `create index work_skilled on work (listing_id desc, id desc) where is_open and capabilities <> '{}'`,
  `create index work_by_closing on work (closes_at) where is_open`,
  `create index work_by_deadline on work (deadline) where is_open`,
  `create index work_by_pay on work (pay) where is_open`,
  `create index work_by_pay_per_km on work_package (per_km) where is_open`,
  `create index work_by_place on work_package using gist (point(lng, lat)) where is_open`,
  `create index work_by_words on work using gin (marks, capabilities) with (fastupdate = off) where is_open`,
  `create index work_marked_in on work (marked_in)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
