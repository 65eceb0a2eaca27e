// How long a service on an empty database takes to rebuild that many listings from the ledger, and how much memory, and then how long
// `legwork audit` takes for them. They are packages of two legs and digital tasks of four, by turns, each as far as its number says: listed,
// formed or assigned, in part or all confirmed, settled.
// Run it after `npm run build`: node bench/rebuild.mjs [listings, 1000 unless given]
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { audit } from '@legwork/audit';
import { startPostgres } from '@legwork/postgres';
import getPort from 'get-port';
import { legwork } from '../examples/dist/demo/command.js';
import { usageAlone } from './processes.mjs';
import { AT_ONCE, land, startMadeLedger } from './madeLedger.mjs';
import { makePackage } from './madePackages.mjs';
import { makeTask } from './madeTasks.mjs';

const LISTINGS = Number(process.argv[2] ?? 1000);
const LOOK_EVERY_MS = 250;
const MIB = 2 ** 20;

const pg = createRequire(new URL('../packages/server/package.json', import.meta.url))('pg');

async function main() {
  const data = await mkdtemp(join(tmpdir(), 'legwork-bench-'));
  let ledger;
  let postgres;
  try {
    ledger = await startMadeLedger(join(data, 'lost'));
    await makeListings(ledger.scene);
    postgres = await startPostgres({ dataDir: join(data, 'empty') });
    await rebuild(ledger.scene, postgres.connectionString);
    const { rpcUrl, programAddress: programId } = ledger.scene;
    await measureAudit({ databaseUrl: postgres.connectionString, rpcUrl, programId });
  } finally {
    await postgres?.stop();
    await ledger?.stop();
    await rm(data, { recursive: true, force: true });
  }
}

/** As many of its transactions as its number says: of two in a row, one is a package and one a task. */
async function makeUnderWay(scene, number) {
  const transactions = await (number % 2 === 0 ? makePackage : makeTask)(scene, number);
  return transactions.slice(0, 1 + (Math.floor(number / 2) % transactions.length));
}

async function makeListings(scene) {
  const begun = performance.now();
  let transactions = 0;
  for (let from = 0; from < LISTINGS; from += AT_ONCE) {
    const numbers = Array.from({ length: Math.min(AT_ONCE, LISTINGS - from) }, (_, index) => from + index);
    const made = (await Promise.all(numbers.map((number) => makeUnderWay(scene, number)))).flat();
    await land(scene, made);
    transactions += made.length;
  }
  console.log(`${LISTINGS} listings in ${transactions} transactions, made in ${seconds(begun)} s`);
}

const seconds = (since) => ((performance.now() - since) / 1000).toFixed(1);

async function rebuild({ rpcUrl, programAddress, keypair }, connectionString) {
  const metricsPort = await getPort();
  const service = legwork(['serve'], {
    PORT: String(await getPort()),
    METRICS_PORT: String(metricsPort),
    DATABASE_URL: connectionString,
    SOLANA_RPC_URL: rpcUrl,
    RELAY_PROGRAM_ID: programAddress,
    COORDINATOR_KEYPAIR: keypair,
  });
  const database = new pg.Client({ connectionString });
  try {
    await database.connect();
    await measure(database, { service: service.child, metricsPort });
  } catch (error) {
    throw new Error(`it did not rebuild; the service said:\n${service.printed().slice(-4000)}`, { cause: error });
  } finally {
    await database.end();
    service.child.kill('SIGTERM');
    await service.ended;
  }
}

/** Looks until all is rebuilt, and tells of each quarter the least heap, which is what was held, and the most memory. */
async function measure(database, { service, metricsPort }) {
  const begun = performance.now();
  let [quarter, heap, firstAt] = [1, Number.POSITIVE_INFINITY, undefined];
  for (let isDone = false; !isDone; ) {
    await sleep(LOOK_EVERY_MS);
    if (service.exitCode !== null) throw new Error(`it ended with ${service.exitCode}`);
    const now = await progressOf(database);
    if (now.listings > 0 && firstAt === undefined) {
      firstAt = performance.now();
      console.log(`all transactions are read after ${seconds(begun)} s`);
    }
    isDone = now.isDone;
    heap = Math.min(heap, await heapOf(metricsPort));
    while (quarter <= 4 && now.listings * 4 >= LISTINGS * quarter) {
      const { VmRSS, VmHWM } = await memoryOf(service.pid);
      console.log(
        `${quarter * 25} % after ${seconds(begun)} s: heap ${(heap / MIB).toFixed(0)} MiB, ` +
          `resident ${(VmRSS / 1024).toFixed(0)} MiB, at most ${(VmHWM / 1024).toFixed(0)} MiB so far`,
      );
      quarter += 1;
      heap = Number.POSITIVE_INFINITY;
    }
  }
  const { listings } = await progressOf(database);
  const { cpuSec } = await usageAlone(service.pid);
  if (listings !== LISTINGS) throw new Error(`${listings} of ${LISTINGS} listings are rebuilt`);
  console.log(
    `${listings} listings are rebuilt after ${seconds(begun)} s, ${(listings / seconds(begun)).toFixed(0)} a second; ` +
      `${cpuSec.toFixed(0)} s of the service's processor time`,
  );
}

/** How far it is; a database without tables yet has nothing. */
async function progressOf(database) {
  const query = `select (select count(*)::int from packages where rebuilt_slot is not null)
    + (select count(*)::int from digital_tasks where rebuilt_slot is not null) as listings,
    exists (select from meta where key = 'rebuilt') as "isDone"`;
  const { rows } = await database.query(query).catch((error) => {
    if (error.code === '42P01' || error.code === '42703') return { rows: [{ listings: 0, isDone: false }] };
    throw error;
  });
  return rows[0];
}

async function heapOf(metricsPort) {
  const text = await fetch(`http://127.0.0.1:${metricsPort}/metrics`).then(
    (response) => response.text(),
    () => '',
  );
  const said = /^nodejs_heap_size_used_bytes (\S+)$/m.exec(text)?.[1];
  return said === undefined ? Number.POSITIVE_INFINITY : Number(said);
}

/** In KiB, by name. Linux alone tells. */
async function memoryOf(pid) {
  const text = await readFile(`/proc/${pid}/status`, 'utf8');
  return Object.fromEntries(
    [...text.matchAll(/^(Vm\w+):\s+(\d+) kB$/gm)].map(([, name, size]) => [name, Number(size)]),
  );
}

/** The audit in a process of its own, so that what it takes is its own. */
async function auditAlone(sources) {
  let readings = 1;
  const pause = async () => {
    readings += 1;
  };
  const report = await audit({ ...sources, pause, tell: (line) => console.log(line) });
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  process.send({ ...report, readings, megabytes: maxRSS / 1024, cpuSeconds: (userCPUTime + systemCPUTime) / 1e6 });
  process.disconnect();
}

async function measureAudit(sources) {
  const child = fork(fileURLToPath(import.meta.url), {
    env: { ...process.env, AUDIT_SOURCES: JSON.stringify(sources) },
  });
  const [answer] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  if (typeof answer !== 'object' || answer === null) throw new Error(`the audit ended without a report: ${answer}`);
  const { differences, compared, seconds, readings, megabytes, cpuSeconds } = answer;
  // The lost database's knowledge is noted: bids, decisions, texts.
  if (differences.length > 0 || readings > 1) throw new Error(JSON.stringify(differences.slice(0, 5)));
  const listings = `${compared.packages} packages, ${compared.digitalTasks} digital tasks and ${compared.events} events`;
  console.log(
    `audit of ${compared.transactions} transactions with ${listings}: ${seconds.toFixed(1)} s ` +
      `(${cpuSeconds.toFixed(1)} s of CPU), at most ${megabytes.toFixed(0)} MB`,
  );
}

if (process.env.AUDIT_SOURCES) await auditAlone(JSON.parse(process.env.AUDIT_SOURCES));
else await main();
