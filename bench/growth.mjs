// What a package costs in a market of a given age, and whether any statement of its life reads more there than in a young one.
// Fills a PostgreSQL of its own with the rows of so many packages (none, unless given), lets real ones live on top of them, and says what
// each took of the processor, the log of writes and the disk, and each statement; so for agents, further bids and reads. 30 more live with auto_explain
// on: it names the statements that read the most, and those that go through a large table without an index.
// Run it after `npm run build`: node bench/growth.mjs [packages made, 0 unless given] [packages lived, 200 unless given]
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres } from '@legwork/postgres';
import { listPackage } from '@legwork/sdk';
import { createSolanaRpc } from '@solana/kit';
import { startInstance } from '../examples/dist/demo/instance.js';
import { lives, parties } from './lives.mjs';
import { lightFetch, parcel, registered, UNLIMITED } from './market.mjs';
import { fill, sizesOf } from './pagesRows.mjs';
import { counting, explain, readings, showReadings, showTimes } from './plans.mjs';
import { usageAlone, usageOf } from './processes.mjs';

const pg = createRequire(new URL('../packages/server/package.json', import.meta.url))('pg');

const MADE = Number(process.argv[2] ?? 0);
const LIVED = Number(process.argv[3] ?? 200);
const EXPLAINED = 30;
const READS = 2_000;
/** Packages that one shipper and one courier have had before. */
const PAST = 20_000;
const AT_ONCE = 16;
const SHOWN = 15;

const round = (value, digits = 1) => Number(value.toFixed(digits));

/** Bytes of each table with its indexes and what it keeps outside of its rows, and of each index. */
async function sizes(client) {
  const { rows } = await client.query(`
    select relname as name, pg_total_relation_size(oid)::float8 as bytes, pg_indexes_size(oid)::float8 as indexes
    from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`);
  return new Map(rows.map(({ name, ...row }) => [name, row]));
}

async function showSizes(client) {
  const { rows } = await client.query(`
    select relname as relation, case relkind when 'i' then 'index' else 'table' end as kind, reltuples::float8 as rows,
      pg_relation_size(oid)::float8 / 1e6 as mb from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'i') order by 4 desc limit 40`);
  console.table(rows.map(({ mb, ...row }) => ({ ...row, MB: round(mb) })));
}

/** CPU milliseconds so far. */
async function cpu({ instance, postmaster, bystander }) {
  const [service, all, database, other] = await Promise.all([
    usageAlone(instance.pid),
    usageOf(instance.pid),
    usageOf(postmaster),
    bystander ? usageAlone(bystander) : { cpuSec: 0 },
  ]);
  return {
    service: service.cpuSec,
    ledger: all.cpuSec - service.cpuSec,
    database: database.cpuSec,
    bystander: other.cpuSec,
  };
}

/** Does something so many times. @returns what each took */
async function measured(scene, times, run) {
  const { client } = scene;
  const state = async () => ({
    cpu: await cpu(scene),
    sizes: await sizes(client),
    log: (await client.query(`select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as at`)).rows[0].at,
    commits: (
      await client.query(`select xact_commit::float8 as n from pg_stat_database where datname = current_database()`)
    ).rows[0].n,
  });
  const before = await state();
  const begun = performance.now();
  await run();
  const seconds = (performance.now() - begun) / 1000;
  const after = await state();
  const each = (now, then) => (now - then) / times;
  const bytes = [...after.sizes].map(([name, { bytes, indexes }]) => {
    const then = before.sizes.get(name) ?? { bytes: 0, indexes: 0 };
    return {
      table: name,
      bytes: Math.round(each(bytes, then.bytes)),
      'of these indexes': Math.round(each(indexes, then.indexes)),
    };
  });
  return {
    rate: times / seconds,
    cpu: Object.fromEntries(
      Object.entries(after.cpu).map(([name, sec]) => [name, round(each(sec, before.cpu[name]) * 1000)]),
    ),
    log: Math.round(each(after.log, before.log)),
    commits: round(each(after.commits, before.commits)),
    bytes: bytes.filter((row) => row.bytes > 0).toSorted((a, b) => b.bytes - a.bytes),
  };
}

function show(title, { rate, cpu: took, log, commits, bytes }) {
  console.log(`${title}: ${round(rate)} a second; CPU ms each: ${JSON.stringify(took)}`);
  console.log(
    `each: ${commits} transactions, ${log} bytes of the log of writes, ${bytes.reduce((sum, row) => sum + row.bytes, 0)} bytes kept`,
  );
}

/** Runs something so often, some of them side by side. */
async function atOnce(times, run) {
  let left = times;
  const lane = async () => {
    while (left-- > 0) await run(left);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

/** Prepares one bid of each agent for half of the way, so that no chain comes of it: ten on each package. */
async function bids(url, agents) {
  const shipper = await registered(url);
  const packages = [];
  for (let at = 0; at < agents.length / 10; at += 1)
    packages.push(await listPackage(shipper.client, shipper.signer, parcel(`bids ${at}`)));
  const half = { pickupLat: 52.5208, pickupLng: 13.3989, dropoffLat: 52.515, dropoffLng: 13.435, distanceKm: 3 };
  return () =>
    atOnce(agents.length, (at) => {
      const { client, signer } = agents[at];
      const bid = { packageId: packages[at % packages.length].id, agentPubkey: signer.address, costSol: 0.002 };
      return client.submitBid({ ...bid, ...half, estimatedDurationMin: 20 });
    });
}

/** The units that a block counts for each transaction of the package that was settled last. */
async function showUnits(client, rpcUrl) {
  const { rows } = await client.query(`
    select list_signature as list, form_signature as form, p.settle_signature as settle, confirm_signature as confirm
    from packages p join swarms s on s.package_id = p.id join legs l on l.swarm_id = s.id where p.status = 'delivered' order by p.id desc limit 1`);
  const rpc = createSolanaRpc(rpcUrl);
  const options = { commitment: 'confirmed', encoding: 'base64', maxSupportedTransactionVersion: 0 };
  const units = Object.entries(rows[0]).map(async ([name, signature]) => {
    const { meta } = await rpc.getTransaction(signature, options).send();
    return `${name} ${meta.costUnits}`;
  });
  console.log(`units of a block: ${(await Promise.all(units)).join(', ')}`);
}

/** Makes some of the rows theirs: a courier and a shipper who have been here for long. */
async function giveAPast(client, { couriers: [{ signer: courier }], shippers: [{ signer: shipper }] }) {
  const old = `select id from packages where status = 'delivered' order by id limit ${PAST}`;
  await client.query(`update packages set shipper_pubkey = $1 where id in (${old})`, [shipper.address]);
  await client.query(
    `update bids set agent_pubkey = $1 where id in (select distinct on (package_id) id from bids where package_id in (${old}))`,
    [courier.address],
  );
  await client.query(
    `update legs set agent_pubkey = $1 where bid_id in (select id from bids where agent_pubkey = $1)`,
    [courier.address],
  );
}

/** Another service on the same database and ledger, which only follows. */
async function startBystander(folder, settings) {
  const { rpcUrl, rpcSubscriptionsUrl, programId } = JSON.parse(
    await readFile(join(folder, 'data', 'instance.json'), 'utf8'),
  );
  const files = await readdir(join(folder, 'data', 'ledger'), { recursive: true });
  const key = files.find((name) => /coordinator[^/]*\.json$/.test(name));
  const env = {
    ...process.env,
    ...settings,
    PORT: '0',
    SOLANA_RPC_URL: rpcUrl,
    SOLANA_WS_URL: rpcSubscriptionsUrl,
    SOLANA_CLUSTER: 'embedded',
  };
  const ours = {
    RELAY_PROGRAM_ID: programId,
    COORDINATOR_KEYPAIR: join(folder, 'data', 'ledger', key),
    LOG_LEVEL: 'info',
  };
  const keys = { PERSONAL_DATA_KEYS: join(folder, 'data', 'personal-data-keys') };
  const bin = new URL('../packages/cli/bin/legwork.mjs', import.meta.url).pathname;
  const child = spawn(process.execPath, [bin, 'serve'], {
    env: { ...env, ...ours, ...keys },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve, reject) => {
    child.stdout.on('data', (text) => String(text).includes('"msg":"started"') && resolve());
    child.once('exit', () => reject(new Error('the bystander did not start')));
  });
  return child;
}

/** Waits until a service has taken in what was written behind its back: events, and the words of open listings. */
async function untilIdle(pid) {
  for (let [took, before] = [Infinity, 0]; took > 0.2; await sleep(2_000)) {
    const { cpuSec } = await usageAlone(pid);
    [took, before] = [cpuSec - before, cpuSec];
  }
}

const folder = await mkdtemp(join(tmpdir(), 'legwork-growth-'));
const postgres = await counting(() => startPostgres({ dataDir: folder, log: () => undefined }));
const client = new pg.Client(postgres.connectionString);
client.on('error', () => undefined);
const scene = {
  client,
  postmaster: Number.parseInt(await readFile(join(folder, 'postgres', 'cluster', 'postmaster.pid'), 'utf8'), 10),
};
let bystander;
try {
  // Erasing what is long over reads that, once a day, and is not a package's life.
  const settings = {
    ...UNLIMITED,
    DATABASE_URL: postgres.connectionString,
    LOG_LEVEL: 'warn',
    PERSONAL_DATA_DAYS: '0',
  };
  scene.instance = await startInstance(join(folder, 'data'), { ledgerPort: 0, movesTime: false, settings });
  await client.connect();
  if (MADE > 0) {
    const begun = performance.now();
    await fill(client, sizesOf(MADE), (step) =>
      console.error(`${round((performance.now() - begun) / 1000, 0)} s: writing ${step}`),
    );
    await client.query('reset work_mem; reset synchronous_commit');
    await untilIdle(scene.instance.pid);
    await showSizes(client);
  }
  const { url } = scene.instance;
  const known = await parties(url, 5 * LIVED + EXPLAINED);
  await giveAPast(client, known);
  const live = () => lives(url, known, LIVED, AT_ONCE);
  // A service that has just started takes a quarter more, since Node has not compiled yet what it runs.
  await live();
  const alone = await measured(scene, LIVED, live);
  show('packages', alone);
  await showTimes(postgres, LIVED, live);
  console.table(alone.bytes.slice(0, SHOWN));
  await showUnits(client, JSON.parse(await readFile(join(folder, 'data', 'instance.json'), 'utf8')).rpcUrl);
  const agents = [];
  show(
    'registrations',
    await measured(scene, LIVED, () => atOnce(LIVED, async () => void agents.push(await registered(url)))),
  );
  show('further bids', await measured(scene, LIVED, await bids(url, agents)));
  for (const path of ['/work', '/packages', '/events'])
    show(
      `GET ${path}`,
      await measured(scene, READS, () => atOnce(READS, () => lightFetch(`${url}${path}`, { method: 'GET' }))),
    );
  bystander = await startBystander(folder, settings);
  const beside = { ...scene, bystander: bystander.pid };
  await live();
  show('packages, beside a service that gets no request', await measured(beside, LIVED, live));
  bystander.kill('SIGTERM');
  const counted = await client.query(`select relname, reltuples::float8 as rows from pg_class where relkind = 'r'`);
  const rowsOf = new Map(counted.rows.map(({ relname, rows }) => [relname, rows]));
  await explain(postgres);
  // That cut every connection.
  while (!(await fetch(`${url}/readyz`)).ok) await sleep(100);
  await lives(url, known, EXPLAINED, AT_ONCE);
  showReadings(await readings(join(folder, 'postgres.log'), rowsOf), EXPLAINED);
} finally {
  bystander?.kill('SIGTERM');
  await client.end().catch(() => undefined);
  await scene.instance?.stop();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}
