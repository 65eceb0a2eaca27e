// How many reads a second POST /mcp/call serves (svc_get_package), against a bare Fastify route that makes the same queries
// and answers their rows as they are. Each is a process of its own, on one database; they are asked in turns.
// Run it after `npm run build`: node bench/tools.mjs [seconds a round, 10 unless given] [rounds, 3 unless given]
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { listPackage } from '@legwork/sdk';
import { startPostgres } from '@legwork/postgres';
import { startOwnInstance } from '../examples/dist/demo/instance.js';
import { bidOnParcel, parcel, registered } from './market.mjs';

const SECONDS = Number(process.argv[2] ?? 10);
const ROUNDS = Number(process.argv[3] ?? 3);
const CLIENTS = 32;
/** A process that has just begun is several times slower. */
const WARM_UP_SECONDS = 10;
const POOL = 10;
/** The limits that the service is measured with; 0 switches the limit, and the query that counts calls, off. */
const LIMITS = ['0', '1000000'];

if (process.env.BARE_DATABASE_URL) await serveBare(process.env.BARE_DATABASE_URL);
else await main();

/** The bare route: a body with an id, five queries, their rows. */
async function serveBare(connectionString) {
  const require = createRequire(new URL('../packages/server/package.json', import.meta.url));
  const pg = require('pg');
  const app = require('fastify')();
  const pool = new pg.Pool({ connectionString, max: POOL });
  const rows = async (text, id) => (await pool.query(text, [id])).rows;
  app.post('/', async ({ body: { packageId } }) => {
    const [item] = await rows('select * from packages where id = $1', packageId);
    const swarmAndLegs = async () => {
      const swarms = await rows('select * from swarms where package_id = $1 order by id desc limit 1', packageId);
      return [swarms, await rows('select * from legs where swarm_id = $1 order by leg_index', swarms[0]?.id)];
    };
    const live = 'select count(*) from bids where package_id = $1 and ended_at is null and expires_at > now()';
    const open =
      "select signature, subjects from ledger_transactions where position is null and subjects && array['package:' || $1]";
    return [item, ...(await Promise.all([swarmAndLegs(), rows(live, packageId), rows(open, packageId)]))];
  });
  process.send(await app.listen({ host: '127.0.0.1', port: 0 }));
  process.once('disconnect', () => process.exit(0));
}

async function main() {
  for (const limit of LIMITS) {
    const dataDir = await mkdtemp(join(tmpdir(), 'legwork-bench-'));
    const postgres = await startPostgres({ dataDir });
    const env = { ...process.env, BARE_DATABASE_URL: postgres.connectionString };
    const bare = fork(fileURLToPath(import.meta.url), { env });
    let instance;
    try {
      const [bareUrl] = await once(bare, 'message');
      const settings = { DATABASE_URL: postgres.connectionString, LIMIT_TOOL_CALLS: limit, LOG_LEVEL: 'warn' };
      instance = await startOwnInstance(settings);
      await compare(instance.url, bareUrl, limit === '0' ? 'calls not counted' : 'every call counted');
    } finally {
      await instance?.stop();
      bare.disconnect();
      await postgres.stop();
      await rm(dataDir, { recursive: true, force: true });
    }
  }
}

/** A package with a swarm of one leg. */
async function formedPackage(url) {
  const [shipper, courier] = await Promise.all([registered(url), registered(url)]);
  const { id } = await listPackage(shipper.client, shipper.signer, parcel('a box of books'));
  await bidOnParcel(courier, id);
  while ((await courier.client.getPackage({ packageId: id })).status !== 'in_transit') {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return id;
}

async function compare(url, bareUrl, told) {
  const packageId = await formedPackage(url);
  const tool = { url: `${url}/mcp/call`, body: JSON.stringify({ tool: 'svc_get_package', arguments: { packageId } }) };
  const bare = { url: bareUrl, body: JSON.stringify({ packageId }) };
  for (const target of [tool, bare]) await load(target, WARM_UP_SECONDS);
  const ratios = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const [bareRate, toolRate] = [await load(bare, SECONDS), await load(tool, SECONDS)];
    ratios.push(toolRate / bareRate);
    console.log(`${told}, round ${round}: tool ${toolRate.toFixed(0)}/s, bare route ${bareRate.toFixed(0)}/s`);
  }
  const median = ratios.sort((a, b) => a - b)[Math.floor(ratios.length / 2)];
  console.log(`${told}: svc_get_package serves ${(100 * median).toFixed(0)} % of the bare route (median of ${ROUNDS})`);
}

/** Answers a second that all clients together get, each asking again as soon as it has its answer. */
async function load({ url, body }, seconds) {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const begun = performance.now();
  const until = begun + seconds * 1000;
  let answers = 0;
  const ask = () =>
    new Promise((resolve, reject) => {
      const sent = request(url, { method: 'POST', agent, headers }, (answer) => {
        if (answer.statusCode !== 200) reject(new Error(`${url} answered ${answer.statusCode}`));
        answer.resume().once('end', resolve);
      });
      sent.once('error', reject).end(body);
    });
  const client = async () => {
    while (performance.now() < until) {
      await ask();
      answers += 1;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  agent.destroy();
  return answers / ((performance.now() - begun) / 1000);
}
