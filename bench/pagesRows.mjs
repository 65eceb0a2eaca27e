// A large market as rows, written by the database itself: nothing of it is on a ledger.
import { randomBytes } from 'node:crypto';
import { getAddressDecoder } from '@solana/kit';

/** How many there are of each, for so many packages. One in a hundred is under way; half of those are among the newest. */
export function sizesOf(packages) {
  return { packages, tasks: packages / 4, agents: packages / 10 };
}

/** Base58 texts of 32 and of 64 bytes: a leading 9 gives them their length, and hexadecimal digits without 0 are base58. */
const FUNCTIONS = `
  create function pg_temp.address(text) returns text immutable language sql as
    $$ select '9' || left(translate(md5($1) || md5($1 || 'b'), '0', 'z'), 42) $$;
  create function pg_temp.signature(text) returns text immutable language sql as
    $$ select '9' || left(translate(md5($1) || md5($1 || 'b') || md5($1 || 'c'), '0', 'z'), 86) $$`;

/** Packages, oldest first, thirteen seconds apart, in and around Berlin. */
const packages = (count) => `
  create temp table plan as select i,
      uuidv7(make_interval(secs => (i - ${count}) * 13)) as id,
      now() + make_interval(secs => (i - ${count}) * 13) as listed_at,
      case when i > ${count} * 0.99 and i % 2 = 0 or i % 200 = 0
          then (array['listed', 'in_transit', 'in_transit', 'listed', 'in_transit'])[1 + i / 2 % 5]
        when i % 50 = 7 then 'failed' else 'delivered' end as status,
      52.3 + 0.4 * random() as from_lat, 13.1 + 0.6 * random() as from_lng,
      52.3 + 0.4 * random() as to_lat, 13.1 + 0.6 * random() as to_lng
    from generate_series(1, ${count}) as i;
  insert into packages (id, status, failure_reason, shipper_pubkey, funder_pubkey, origin_lat, origin_lng, dest_lat, dest_lng,
      description, weight_kg, volume_litres, max_budget_lamports, deadline, terms_hash, on_chain_package, on_chain_vault,
      list_signature, settle_signature, refund_lamports, end_signature, formation, created_at, listed_at)
    select id, status, case status when 'failed' then 'cancelled' end, pg_temp.address('shipper' || i % 5000),
      pg_temp.address('shipper' || i % 5000), from_lat, from_lng, to_lat, to_lng, 'A box of books, number ' || i || '. ' || repeat('Mind the step. ', i % 20),
      1 + i % 20, 10 + i % 50, 300000000, now() + interval '3 days', md5('terms' || i), pg_temp.address('package' || i),
      pg_temp.address('vault' || i), pg_temp.signature('list' || i), case status when 'delivered' then pg_temp.signature('settle' || i) end,
      case status when 'delivered' then 100000000 end, case status when 'failed' then pg_temp.signature('end' || i) end,
      case when status in ('delivered', 'in_transit') then 1 else 0 end, listed_at, listed_at
    from plan`;

/** Five bids a package: the first goes all the way, two and two share it. Two of them win. */
const BIDS = `
  create temp table offers as select plan.*, n, uuidv7(listed_at - now() + make_interval(secs => n)) as bid_id,
      ((i::int8 * 7919 + n * 104729) % (select count(*) from pg_temp.known))::bigint as bidder,
      (from_lat + to_lat) / 2 as mid_lat, (from_lng + to_lng) / 2 as mid_lng
    from plan cross join generate_series(0, 4) as n;
  insert into bids (id, package_id, agent_pubkey, pickup_lat, pickup_lng, dropoff_lat, dropoff_lng, distance_km,
      estimated_duration_min, cost_lamports, reasoning, expires_at, created_at, signed)
    select bid_id, id, known.pubkey, case when n in (2, 4) then mid_lat else from_lat end, case when n in (2, 4) then mid_lng else from_lng end,
      case when n in (1, 3) then mid_lat else to_lat end, case when n in (1, 3) then mid_lng else to_lng end, 8, 20, 20000000 + n * 1000000,
      null, listed_at + interval '1 day', listed_at + make_interval(secs => n), false
    from offers join known on known.number = bidder`;

/** One swarm of two legs for each package that is in transit or delivered. Of those in transit one leg is completed. */
const SWARMS = `
  create temp table chains as select *, uuidv7(listed_at - now() + interval '10 seconds') as swarm_id from plan
    where status in ('in_transit', 'delivered');
  insert into swarms (id, package_id, status, formation, on_chain_swarm, form_signature, settle_signature, total_legs,
      total_lamports, exact, created_at)
    select swarm_id, id, case status when 'delivered' then 'settled' else 'active' end, 1, pg_temp.address('swarm' || i),
      pg_temp.signature('form' || i), case status when 'delivered' then pg_temp.signature('settle' || i) end, 2, 200000000, true,
      listed_at + interval '10 seconds'
    from chains;
  insert into legs (id, swarm_id, leg_index, bid_id, agent_pubkey, pickup_lat, pickup_lng, dropoff_lat, dropoff_lng, distance_km,
      estimated_duration_min, cost_lamports, agreed_payment_lamports, status, on_chain_leg, confirm_signature, completed_at,
      formation, paid_lamports)
    select uuidv7(chains.listed_at - now() + make_interval(secs => 10 + n)), swarm_id, n - 1, bid_id, known.pubkey,
      case n when 1 then from_lat else mid_lat end, case n when 1 then from_lng else mid_lng end,
      case n when 1 then mid_lat else to_lat end, case n when 1 then mid_lng else to_lng end, 8, 16, 20000000, 100000000,
      case when is_done then 'completed' else 'pending' end, pg_temp.address('leg' || i || n),
      case when is_done then pg_temp.signature('confirm' || i || n) end,
      case when is_done then chains.listed_at + make_interval(secs => 600 * n) end, 1,
      case when is_done then 100000000 end
    from chains join (select i, n, bid_id, bidder, mid_lat, mid_lng from offers where n in (1, 2)) as won using (i)
      join known on known.number = bidder
      cross join lateral (select chains.status = 'delivered' or n = 1 as is_done) as leg;
  insert into decisions (unique_key, kind, subject, considered, chosen, decided_at, mac)
    select 'form_swarm:' || swarm_id, 'form_swarm', 'package:' || id,
      (select jsonb_agg(jsonb_build_array(bid_id, 50))::text from offers where offers.i = chains.i), '{}', listed_at, 'none'
    from chains`;

const tasks = (count) => `
  create temp table goals as select i, uuidv7(make_interval(secs => (i - ${count}) * 52)) as id,
      now() + make_interval(secs => (i - ${count}) * 52) as listed_at,
      case when i % 100 = 0 then 'listed' when i % 100 = 1 then 'in_progress' else 'completed' end as status
    from generate_series(1, ${count}) as i;
  insert into digital_tasks (id, status, shipper_pubkey, funder_pubkey, title, description, is_planned, num_legs, max_budget_lamports,
      claim_timeout_sec, deadline, terms_hash, on_chain_task, on_chain_vault, list_signature, settle_signature, refund_lamports, created_at, listed_at)
    select id, status, pg_temp.address('shipper' || i % 5000), pg_temp.address('shipper' || i % 5000), 'Sum up, number ' || i,
      'Group it, then sum it up.', false, 2, 100000000, 1800, now() + interval '3 days', md5('task' || i), pg_temp.address('task' || i),
      pg_temp.address('taskvault' || i), pg_temp.signature('tasklist' || i),
      case status when 'completed' then pg_temp.signature('tasksettle' || i) end, case status when 'completed' then 0 end, listed_at, listed_at
    from goals;
  insert into digital_legs (id, task_id, leg_index, instruction, status, on_chain_leg, claim, agent_pubkey, bid_lamports, signed,
      claimed_at, assign_signature, due_at, result, result_hash, confirm_signature, payment_lamports, completed_at)
    select uuidv7(listed_at - now() + make_interval(secs => n)), id, n, 'Step ' || n,
      case when is_done then 'completed' else 'pending' end, pg_temp.address('taskleg' || i || n), case when is_done then 1 else 0 end,
      case when is_done then known.pubkey end, case when is_done then 10000000 end, case when is_done then true end, case when is_done then listed_at end,
      case when is_done then pg_temp.signature('assign' || i || n) end, case when is_done then listed_at + interval '30 minutes' end,
      case when is_done then repeat('A topic. ', 60) end, case when is_done then md5('result' || i || n) end,
      case when is_done then pg_temp.signature('taskconfirm' || i || n) end, case when is_done then 50000000 end,
      case when is_done then listed_at + make_interval(secs => 300 * (n + 1)) end
    from goals cross join generate_series(0, 1) as n
      cross join lateral (select status = 'completed' or (status = 'in_progress' and n = 0) as is_done) as leg
      join known on known.number = (i::int8 * 7919 + n) % (select count(*) from known)`;

const AGENTS = `
  insert into agents (pubkey, display_name, capabilities, registered_at)
    select pubkey, 'Courier ' || number, '{delivery}', now() - make_interval(secs => number * 120) from known;
  insert into reputations (agent_pubkey, on_chain_pda, legs_accepted, legs_completed, reliability_score, slot)
    select pubkey, pg_temp.address('reputation' || number), 20, 20 - number % 15, 100 - 5 * (number % 15), 1 from known;
  insert into earnings (agent_pubkey, lamports, last_completed_at)
    select agent_pubkey, sum(lamports), max(completed_at) from (
      select agent_pubkey, agreed_payment_lamports as lamports, completed_at from legs where status = 'completed'
      union all select agent_pubkey, payment_lamports, completed_at from digital_legs where status = 'completed'
    ) paid group by agent_pubkey`;

/** Every transaction about a package, final. */
const TRANSACTIONS = `
  insert into ledger_transactions (signature, slot, position, subjects, instructions, applied_at)
    select signature, 1, 1000 + row_number() over (), array[subject], array[name], at from (
      select list_signature as signature, 'package:' || id as subject, 'list_package' as name, listed_at as at from packages
      union all select form_signature, 'package:' || package_id, 'complete_swarm', created_at + interval '400 milliseconds' from swarms
      union all select confirm_signature, 'package:' || package_id, 'confirm_leg', completed_at
        from legs join swarms on swarms.id = swarm_id where legs.status = 'completed'
      union all select settle_signature, 'package:' || id, 'settle', listed_at + interval '1 hour' from packages where status = 'delivered'
      union all select list_signature, 'task:' || id, 'list_task', listed_at from digital_tasks
      union all select confirm_signature, 'task:' || task_id, 'confirm_task_leg', completed_at from digital_legs where status = 'completed'
    ) fact`;

/** The coordinator's deeds: all of them long done. */
const INTENTS = `
  insert into outbox (kind, subject, unique_key, payload, status, created_at, updated_at)
    select kind, 'package:' || id, kind || ':' || id, '{}', 'done', listed_at, listed_at
    from packages cross join unnest(array['form_swarm', 'settle']) as kind`;

/** The log in the order of time: nine events a package, four a task; what failed is rare. */
const EVENTS = `
  insert into events (seq, type, subject, payload, occurred_at)
    select row_number() over (order by at, n), type, subject, payload, at from (
      select 0 as n, 'PACKAGE_LISTED' as type, 'package:' || id as subject, jsonb_build_object('packageId', id, 'shipperPubkey', shipper_pubkey,
          'origin', jsonb_build_object('lat', origin_lat, 'lng', origin_lng), 'destination', jsonb_build_object('lat', dest_lat, 'lng', dest_lng),
          'maxBudgetLamports', max_budget_lamports, 'deadline', '2030-01-01T00:00:00.000Z', 'onChainPackage', on_chain_package,
          'listSignature', list_signature) as payload, listed_at as at from packages
      union all select 1, 'BID_STORED', 'package:' || package_id, jsonb_build_object('packageId', package_id, 'bidId', id,
          'agentPubkey', agent_pubkey, 'costLamports', cost_lamports), created_at from bids
      union all select 2, 'SWARM_FORMED', 'package:' || package_id, jsonb_build_object('packageId', package_id, 'swarmId', id,
          'onChainSwarm', on_chain_swarm, 'formSignature', form_signature, 'totalLegs', 2, 'totalLamports', total_lamports), created_at from swarms
      union all select 3, 'LEG_CONFIRMED', 'package:' || package_id, jsonb_build_object('packageId', package_id, 'swarmId', swarm_id,
          'legId', legs.id, 'legIndex', leg_index, 'agentPubkey', agent_pubkey, 'paymentLamports', agreed_payment_lamports,
          'signature', confirm_signature), completed_at from legs join swarms on swarms.id = swarm_id where legs.status = 'completed'
      union all select 4, 'PACKAGE_DELIVERED', 'package:' || id, jsonb_build_object('packageId', id, 'settleSignature', settle_signature,
          'refundLamports', refund_lamports), listed_at + interval '1 hour' from packages where status = 'delivered'
      union all select 4, 'PACKAGE_FAILED', 'package:' || id, jsonb_build_object('packageId', id, 'failureReason', failure_reason),
          listed_at + interval '1 minute' from packages where status = 'failed'
      union all select 5, 'TASK_LISTED', 'task:' || id, jsonb_build_object('taskId', id, 'shipperPubkey', shipper_pubkey, 'title', title,
          'numLegs', 2, 'maxBudgetLamports', max_budget_lamports, 'deadline', '2030-01-01T00:00:00.000Z', 'onChainTask', on_chain_task,
          'listSignature', list_signature), listed_at from digital_tasks
    ) fact;
  select setval('event_seq', (select max(seq) from events))`;

/** Writes the market. `tell` hears what comes next. */
export async function fill(client, sizes, tell) {
  const keys = Array.from({ length: sizes.agents }, () => getAddressDecoder().decode(randomBytes(32)));
  await client.query(`set synchronous_commit = off; set work_mem = '256MB';
    create temp table known (number bigint primary key, pubkey text); ${FUNCTIONS}`);
  await client.query(
    'insert into known select number - 1, pubkey from unnest($1::text[]) with ordinality as given (pubkey, number)',
    [keys],
  );
  const steps = {
    packages: packages(sizes.packages),
    bids: BIDS,
    swarms: `create index on offers (i); analyze offers; analyze plan; ${SWARMS}`,
    tasks: tasks(sizes.tasks),
    agents: AGENTS,
    transactions: TRANSACTIONS,
    intents: INTENTS,
    events: EVENTS,
    statistics: 'vacuum analyze',
  };
  for (const [name, text] of Object.entries(steps)) {
    tell(name);
    await client.query(text);
  }
}
