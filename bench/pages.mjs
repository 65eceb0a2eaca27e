// How long the requests take that the dashboard's pages make, in a large market: 200,000 packages, five times as many bids, ten
// times as many events, and agents, tasks and transactions to match. One client asks, one request after the other.
// On a machine that has other things to do, the fastest says more about the service than the others.
// Run it after `npm run build`: node bench/pages.mjs [packages, 200000 unless given] [requests of each kind, 200 unless given]
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { startPostgres } from '@legwork/postgres';
import { startOwnInstance } from '../examples/dist/demo/instance.js';
import { UNLIMITED } from './market.mjs';
import { fill, sizesOf } from './pagesRows.mjs';

const pg = createRequire(new URL('../packages/server/package.json', import.meta.url))('pg');

const PACKAGES = Number(process.argv[2] ?? 200_000);
const REQUESTS = Number(process.argv[3] ?? 200);
const WARM_UP = 10;
/** The most time that a page waits for a request, milliseconds. */
const GOAL_MS = 50;

/** A cursor as lists give it. */
const cursorOf = (...keys) => Buffer.from(JSON.stringify(keys)).toString('base64url');

/** Some of what is there, for requests about one thing. */
async function samplesOf(client) {
  const some = async (columns, from) =>
    (await client.query(`select ${columns} from ${from} order by random() limit ${REQUESTS}`)).rows;
  const middle = async (table, where) =>
    (
      await client.query(
        `select id from ${table} where ${where} order by id offset (select count(*) / 2 from ${table} where ${where}) limit 1`,
      )
    ).rows[0].id;
  return {
    packages: await some('id', 'packages'),
    chains: await some('package_id as id', 'swarms'),
    tasks: await some('id', 'digital_tasks'),
    agents: await some('pubkey, registered_at', 'agents'),
    accounts: await some('on_chain_leg as address', 'legs'),
    transactions: await some('signature', 'ledger_transactions'),
    middleSeq: (await client.query('select max(seq) / 2 as seq from events')).rows[0].seq,
    middlePackage: await middle('packages', "status <> 'draft'"),
    middleDelivered: await middle('packages', "status = 'delivered'"),
    middleTask: await middle('digital_tasks', "status <> 'draft'"),
  };
}

/** Paths of requests: of one thing after the other, always the same, or far into a list. */
const of = (list, path) => (index) => path(list[index % list.length]);
const same = (path) => () => path;
const late = (path, ...keys) => same(`${path}${path.includes('?') ? '&' : '?'}cursor=${cursorOf(...keys)}`);

/** The path of the `index`th request of each kind. */
function requestsOf(some) {
  return {
    'events, newest': same('/events'),
    'events, far back': same(`/events?before=${some.middleSeq}`),
    'events of a package': of(some.packages, ({ id }) => `/events?package=${id}`),
    'events of a task': of(some.tasks, ({ id }) => `/events?task=${id}`),
    'events of a frequent type': same('/events?topics=BID_STORED'),
    'events of rare types': same('/events?topics=PACKAGE_FAILED,LEDGER_REVERTED,BID_WITHDRAWN'),
    'relays under way': same('/relays'),
    'relays under way, 1000': same('/relays?limit=1000'),
    'relays in a part of the city': same('/relays?bbox=13.35,52.48,13.4,52.52'),
    'relays delivered in a street': same('/relays?bbox=13.35,52.48,13.352,52.481&status=delivered'),
    'relays delivered': same('/relays?status=delivered'),
    stats: same('/stats'),
    'lookup of an id': of(some.packages, ({ id }) => `/lookup/${id}`),
    'lookup of six characters': of(some.packages, ({ id }) => `/lookup/${id.slice(-6)}`),
    'lookup of nothing': (index) => `/lookup/${(index + 0xabcdef0).toString(16)}`,
    'lookup of a key': of(some.agents, ({ pubkey }) => `/lookup/${pubkey}`),
    'lookup of an account': of(some.accounts, ({ address }) => `/lookup/${address}`),
    'lookup of a transaction': of(some.transactions, ({ signature }) => `/lookup/${signature}`),
    packages: same('/packages'),
    'packages, late page': late('/packages', some.middlePackage),
    ...Object.fromEntries(
      ['listed', 'swarm_forming', 'in_transit', 'delivered', 'failed'].map((status) => [
        `packages ${status}`,
        same(`/packages?status=${status}`),
      ]),
    ),
    'packages delivered, late page': late('/packages?status=delivered', some.middleDelivered),
    'packages near': same('/packages?near=52.5,13.4&radiusKm=2'),
    'a package': of(some.packages, ({ id }) => `/packages/${id}`),
    'its bids': of(some.packages, ({ id }) => `/packages/${id}/bids`),
    'its money': of(some.packages, ({ id }) => `/packages/${id}/money`),
    'its decision': of(some.chains, ({ id }) => `/packages/${id}/decision`),
    tasks: same('/digital-tasks'),
    'tasks, late page': late('/digital-tasks', some.middleTask),
    'a task': of(some.tasks, ({ id }) => `/digital-tasks/${id}`),
    'its money (task)': of(some.tasks, ({ id }) => `/digital-tasks/${id}/money`),
  };
}

/** The same for requests about agents. */
function requestsOfAgents({ agents }) {
  return {
    agents: same('/agents'),
    ...Object.fromEntries(
      ['earned', 'recent', 'reliability', 'completed'].map((order) => [
        `agents, ${order}`,
        same(`/agents?order=${order}`),
      ]),
    ),
    'agents of a name': (index) => `/agents?q=courier ${index}`,
    'agents of a rare name, by earnings': (index) => `/agents?order=earned&q=courier ${index}`,
    'agents of no name': same('/agents?order=reliability&q=nobody'),
    'agents, late page': of(
      agents,
      ({ pubkey, registered_at: at }) => `/agents?cursor=${cursorOf(at.toISOString(), pubkey)}`,
    ),
    leaderboard: same('/leaderboard'),
    'an agent': of(agents, ({ pubkey }) => `/agents/${pubkey}`),
    'its legs': of(agents, ({ pubkey }) => `/agents/${pubkey}/legs`),
    'its bids (agent)': of(agents, ({ pubkey }) => `/agents/${pubkey}/bids`),
  };
}

async function measure(url, pathOf) {
  const times = [];
  let bytes = 0;
  for (let index = -WARM_UP; index < REQUESTS; index += 1) {
    const path = pathOf(Math.abs(index));
    const startedAt = performance.now();
    const response = await fetch(`${url}${path}`);
    const body = await response.arrayBuffer();
    if (index >= 0) times.push(performance.now() - startedAt);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${Buffer.from(body).toString()}`);
    bytes = Math.max(bytes, body.byteLength);
  }
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  return { fastest: at(0), p50: at(0.5), p95: at(0.95), bytes };
}

const folder = await mkdtemp(join(tmpdir(), 'legwork-bench-'));
const postgres = await startPostgres({ dataDir: folder, log: () => undefined });
let instance;
const client = new pg.Client(postgres.connectionString);
try {
  instance = await startOwnInstance({ ...UNLIMITED, DATABASE_URL: postgres.connectionString, LOG_LEVEL: 'warn' });
  await client.connect();
  await fill(client, sizesOf(PACKAGES), (step) => console.error(`writing ${step}`));
  const samples = await samplesOf(client);
  const requests = { ...requestsOf(samples), ...requestsOfAgents(samples) };
  const rows = [];
  for (const [name, pathOf] of Object.entries(requests)) {
    const { fastest, p50, p95, bytes } = await measure(instance.url, pathOf);
    rows.push({
      request: name,
      'fastest ms': fastest.toFixed(1),
      'p50 ms': p50.toFixed(1),
      'p95 ms': p95.toFixed(1),
      'largest KB': (bytes / 1024).toFixed(1),
      goal: p95 <= GOAL_MS ? '' : `above ${GOAL_MS} ms`,
    });
  }
  console.table(rows);
} finally {
  await client.end();
  await instance?.stop();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}
