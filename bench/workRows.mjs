// A million things that an agent can bid on or claim, as rows, written by the database itself: nothing of it is on a ledger.

const ADDRESS = `create function pg_temp.address(text) returns text immutable language sql as
  $$ select '9' || left(translate(md5($1) || md5($1 || 'b'), '0', 'z'), 42) $$`;
const SYLLABLES = ['ba', 'co', 'di', 'fu', 'ga', 'he', 'ji', 'ko', 'lu', 'ma', 'ne', 'pi', 'ro', 'su', 'ta', 've'];
/** Words of the texts: the first come often, the last seldom. */
const WORDS = Array.from({ length: 16 ** 3 }, (_, number) =>
  [number % 16, (number >> 4) % 16, number >> 8].map((part) => SYLLABLES[part]).join(''),
);
export const wordAt = (share) => WORDS[Math.floor(WORDS.length * share)];

/** Two hundred cities, the first far larger than the last. */
export const CITIES = Array.from({ length: 200 }, (_, index) => ({
  lat: ((index * 37) % 110) - 45 + index / 200,
  lng: ((index * 73) % 340) - 170 + index / 300,
}));

const someWords = `(select string_agg(word, ' ') as text, array_agg(distinct mark) as marks
  from (select (4096 * random() ^ 3)::int as number from generate_series(1, 8) where i > 0) as chosen
    join vocabulary using (number), unnest(vocabulary.marks) as mark)`;

const PACKAGES = (count) => `
  create temp table parcels as select i, uuidv7(make_interval(secs => (i - ${count}) * 0.3)) as id, texts.*,
      city_lat + 0.15 * (random() + random() - 1) as lat, city_lng + 0.2 * (random() + random() - 1) as lng
    from (select i, (200 * random() ^ 2)::int % 200 as number from generate_series(1, ${count}) as i) as each
      join (select number, lat as city_lat, lng as city_lng from cities) as city using (number)
      cross join lateral ${someWords} texts;
  insert into packages (id, status, shipper_pubkey, funder_pubkey, origin_lat, origin_lng, dest_lat, dest_lng, description, weight_kg,
      volume_litres, max_budget_lamports, deadline, terms_hash, on_chain_package, on_chain_vault, list_signature, listed_at, terms, requirements)
    select id, 'listed', pg_temp.address('shipper' || i % 5000), pg_temp.address('shipper' || i % 5000), round(lat::numeric, 2), round(lng::numeric, 2),
      round((lat + 0.3 * random() - 0.15)::numeric, 2), round((lng + 0.4 * random() - 0.2)::numeric, 2), text, 1 + i % 20, 10 + i % 50,
      (1e7 * exp(4 * random()))::int8, now() + interval '1 hour' + interval '30 days' * random(), 'hash', 'package' || i, 'vault' || i, 'list' || i, now(),
      case when i % 10 = 0 then jsonb_build_object('arbiterPubkey', pg_temp.address('arbiter'), 'receiverPubkey', null, 'stakeLamports',
        (1e6 * exp(4 * random()))::int8, 'handoffSec', 600, 'carrySec', 3600, 'reviewSec', 600, 'arbitrationSec', 3600, 'cosignedPickup', false) end,
      case when i % 20 = 1 then jsonb_build_object('capabilities', jsonb_build_array('cargo bike'))
        when i % 5000 = 2 then jsonb_build_object('capabilities', jsonb_build_array('crane'))
        when i % 20 = 3 then jsonb_build_object('minScore', 80, 'minCompleted', 5) end
    from parcels;
  update work set marked_in = '', marks = parcels.marks from parcels where work.id = parcels.id`;

const TASKS = (count) => `
  create temp table goals as select i, uuidv7(make_interval(secs => (i - ${count}) * 1.4)) as id, texts.*
    from generate_series(1, ${count}) as i cross join lateral ${someWords} texts;
  insert into digital_tasks (id, status, shipper_pubkey, funder_pubkey, title, description, is_planned, num_legs, max_budget_lamports,
      claim_timeout_sec, deadline, terms_hash, on_chain_task, on_chain_vault, list_signature, listed_at)
    select id, 'listed', pg_temp.address('shipper' || i % 5000), pg_temp.address('shipper' || i % 5000), 'A task', text, false, 2,
      (1e7 * exp(4 * random()))::int8, 1800, now() + interval '3 hours' + interval '30 days' * random(), 'hash', 'task' || i, 'taskvault' || i, 'tasklist' || i, now()
    from goals;
  insert into digital_legs (id, task_id, leg_index, instruction, on_chain_leg)
    select uuidv7(make_interval(secs => (i - ${count}) * 1.4)), id, n, 'step ' || n, 'leg' || i || n from goals, generate_series(0, 1) as n;
  update work set marked_in = '', marks = goals.marks from goals where work.listing_id = goals.id`;

/**
 * Fills the database. Indexes of the searched table are made at the end, which is faster; it counts then as it would after a while.
 *
 * @param marksOf - the service's stored form of a word
 */
export async function fillWork(client, count, marksOf, tell) {
  const { rows: indexes } = await client.query(
    `select indexname as name, replace(indexdef, ' ON ONLY ', ' ON ') as statement from pg_indexes
      where tablename in ('work', 'work_package') and indexname ~ '^work_(open|bound|skilled|by_|marked)'`,
  );
  for (const { name } of indexes) await client.query(`drop index ${name}`);
  await client.query(ADDRESS);
  await client.query('create temp table vocabulary (number int primary key, word text, marks int8[])');
  for (const [number, word] of WORDS.entries()) {
    const marks = await marksOf(word);
    await client.query('insert into vocabulary values ($1, $2, $3)', [number, word, marks]);
  }
  await client.query('create temp table cities (number int primary key, lat float8, lng float8)');
  for (const [number, { lat, lng }] of CITIES.entries())
    await client.query('insert into cities values ($1, $2, $3)', [number, lat, lng]);
  for (const [name, statement] of [
    ['packages', PACKAGES(count * 0.7)],
    ['tasks', TASKS(count * 0.15)],
  ]) {
    tell(`writing ${name}`);
    await client.query(statement);
  }
  for (const { name, statement } of indexes) {
    tell(`making ${name}`);
    await client.query(statement);
  }
  tell('vacuuming');
  for (const table of ['work', 'packages', 'digital_tasks', 'digital_legs'])
    await client.query(`vacuum (analyze) ${table}`);
}
