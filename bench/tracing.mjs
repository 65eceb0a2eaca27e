// The cost of tracing: the processor's time of a service for the same requests, without a collector, with one that takes every span, and with one
// that never answers. They run side by side on one ledger, each on a database of its own, and take turns, so that the machine's other work
// meets them alike. With the folder of another clone, built, its service is compared too.
// Run it after `npm run build`: node bench/tracing.mjs [rounds, 10 unless given] [folder of another clone]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres } from '@legwork/postgres';
import { generateKeyPairSigner } from '@solana/kit';
import getPort from 'get-port';
import { startMadeLedger } from './madeLedger.mjs';
import { UNLIMITED } from './market.mjs';
import { usageAlone } from './processes.mjs';

const ROUNDS = Number(process.argv[2] ?? 10);
const OTHER = process.argv[3];
const OURS = join(import.meta.dirname, '..');
const READS = 1000;
const POSTS = 20;
const AT_ONCE = 8;

/** @param answers true if the collector answers */
async function collector(answers) {
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    request.resume().on('end', () => answers && response.end('{}'));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { url: `http://127.0.0.1:${server.address().port}`, requests: () => requests, server };
}

async function startService(clone, data, { rpcUrl, programAddress, keypair }, settings) {
  const postgres = await startPostgres({ dataDir: data });
  const port = await getPort();
  const child = spawn(process.execPath, [join(clone, 'packages/cli/bin/legwork.mjs'), 'serve'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      ...UNLIMITED,
      SPONSOR_POSTER_SOL: '1000000',
      SPONSOR_IP_SOL: '1000000',
      SPONSOR_DAY_SOL: '1000000',
      SPONSOR_OUTSTANDING_SOL: '1000000',
      REBUILD: 'none',
      LOG_LEVEL: 'error',
      PORT: String(port),
      DATABASE_URL: postgres.connectionString,
      SOLANA_RPC_URL: rpcUrl,
      RELAY_PROGRAM_ID: programAddress,
      COORDINATOR_KEYPAIR: keypair,
      ...settings,
    },
  });
  const url = `http://127.0.0.1:${port}`;
  for (;;) {
    const isReady = await fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) break;
    if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}`);
    await sleep(100);
  }
  return { url, child, postgres, cpuSec: { reads: [], posts: [] } };
}

/** So many requests, some at once. */
async function many(count, request) {
  let left = count;
  const one = async () => {
    while (left-- > 0) {
      const answer = await request();
      if (!answer.ok) throw new Error(await answer.text());
      await answer.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
}

async function measure({ url, child, cpuSec }, of, count, request) {
  const before = await usageAlone(child.pid);
  await many(count, () => request(url));
  const after = await usageAlone(child.pid);
  cpuSec[of].push((after.cpuSec - before.cpuSec) / count);
}

const { address: shipperPubkey } = await generateKeyPairSigner();
const posted = () =>
  JSON.stringify({
    shipperPubkey,
    description: 'a parcel',
    originLat: 52.52,
    originLng: 13.39,
    destLat: 52.5,
    destLng: 13.46,
    weightKg: 1,
    volumeLitres: 1,
    maxBudgetSol: 0.001,
    deadline: new Date(Date.now() + 86_400_000).toISOString(),
  });
const read = (url) => fetch(`${url}/packages?limit=20`);
const post = (url) =>
  fetch(`${url}/packages/sponsored`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: posted(),
  });

/** Seconds a request: the clock of processes is too coarse for a single round. */
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

const data = await mkdtemp(join(tmpdir(), 'legwork-bench-'));
const collectors = [await collector(true), await collector(false)];
const ledger = await startMadeLedger(join(data, 'ledger'));
const services = new Map();
try {
  const to = ({ url }) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: url });
  const kinds = [
    ...(OTHER === undefined ? [] : [['the other clone', OTHER, {}]]),
    ['not traced', OURS, {}],
    ['traced', OURS, to(collectors[0])],
    ['traced, silent collector', OURS, to(collectors[1])],
  ];
  for (const [index, [name, clone, settings]] of kinds.entries())
    services.set(name, await startService(clone, join(data, `service-${index}`), ledger.scene, settings));
  // The first rounds warm up.
  for (let round = -2; round < ROUNDS; round += 1) {
    if (round === 0) for (const { cpuSec } of services.values()) Object.assign(cpuSec, { reads: [], posts: [] });
    // In another order each time.
    const all = [...services.values()];
    const first = (round + 2) % all.length;
    for (const service of [...all.slice(first), ...all.slice(0, first)]) {
      await measure(service, 'reads', READS, read);
      await measure(service, 'posts', POSTS, post);
    }
  }
  const plain = services.get('not traced').cpuSec;
  for (const [name, { cpuSec }] of services) {
    const told = ['reads', 'posts'].map((of) => {
      const own = mean(cpuSec[of]);
      return `${of} ${(own * 1000).toFixed(2)} ms, ${(own / mean(plain[of])).toFixed(2)} of not traced`;
    });
    console.log(`${name}: ${told.join('; ')}`);
  }
  console.log(`requests to the collectors: ${collectors.map(({ requests }) => requests()).join(' and ')}`);
} finally {
  for (const { child, postgres } of services.values()) {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
    await postgres.stop();
  }
  await ledger.stop();
  for (const { server } of collectors) server.close().closeAllConnections();
  await rm(data, { recursive: true, force: true });
}
