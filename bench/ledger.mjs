// How fast the embedded ledger is over HTTP, against LiteSVM alone and, if RELAY_PARITY_VALIDATOR names one, a real validator; how
// long a first start takes and one over what was written; memory and disk.
// Run after `npx tsc -b`: node bench/ledger.mjs [transactions a measurement] [transactions before the last start]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startValidator } from '../packages/ledger/parity/targets.mjs';
import { SINK, call, fundedWallet, measureRate, measureWaits } from './ledger/load.mjs';
import { measureRaw } from './ledger/raw.mjs';

const SCRIPT = fileURLToPath(new URL('../packages/ledger/tests/support/child.mjs', import.meta.url));
const WAYS = [
  { name: 'one a request, preflight' },
  { name: 'one a request, skipPreflight', skipPreflight: true },
  { name: 'batches of 50, preflight', batch: 50 },
];

const count = Number(process.argv[2] ?? 5000);
const history = Number(process.argv[3] ?? 0);
const say = (what, ...values) => console.log(`${`${what}:`.padEnd(62)}${values.join('   ')}`);
const perSecond = (rate) => `${rate.toFixed(0).padStart(7)} tx/s`;
const ms = (value) => `${value.toFixed(0)} ms`;
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(0)} MB`;

/** Starts a ledger in a process of its own. `took` is from the start of the process until it serves. */
async function launch(dataDir) {
  const since = performance.now();
  const child = spawn(process.execPath, [SCRIPT, JSON.stringify({ dataDir })], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  const [line] = await once(child.stdout, 'data');
  const stop = async () => {
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  return { ...JSON.parse(line), took: performance.now() - since, pid: child.pid, stop };
}

/** Resident memory of a process, where the system tells. */
function memoryOf(pid) {
  try {
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) * 1024;
  } catch {
    return Number.NaN;
  }
}

/** Processor time that a process has used, in microseconds, where the system tells: it says more than the clock on a busy machine. */
function cpuOf(pid) {
  try {
    const [, rest] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
    const [user, system] = rest.split(' ').slice(11, 13);
    return (Number(user) + Number(system)) * 10_000;
  } catch {
    return Number.NaN;
  }
}

/** Each way in turn, as a share of what LiteSVM alone does. */
async function measureWays(name, node, raw) {
  const wallet = await fundedWallet(node.rpcUrl);
  for (const { name: way, ...options } of WAYS) {
    const before = cpuOf(node.pid);
    const rate = await measureRate(node.rpcUrl, wallet, count, options);
    const cpu = `${((cpuOf(node.pid) - before) / count).toFixed(0)} µs of CPU each`;
    say(
      `${name}, ${way}`,
      perSecond(rate),
      `${(rate / raw.native).toFixed(2)} of raw`,
      node.pid === undefined ? '' : cpu,
    );
  }
  const waits = await measureWaits(node, wallet, Math.min(name === 'ledger' ? 300 : 20, count));
  const at = (share) => waits[Math.floor(share * (waits.length - 1))].toFixed(2);
  say(`${name}, send -> confirmed`, `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms`);
}

/** Lists everything about an address, newest first. */
async function measureListing({ rpcUrl }) {
  const since = performance.now();
  let listed = 0;
  for (let before; ; ) {
    const page = await call(rpcUrl, 'getSignaturesForAddress', [
      SINK,
      { limit: 1000, before, commitment: 'confirmed' },
    ]);
    listed += page.length;
    if (page.length < 1000) break;
    before = page.at(-1).signature;
  }
  say(`a list of ${listed} signatures`, ms(performance.now() - since));
}

/** Writes what is still missing, starts again, and reads. */
async function measureRestart(dataDir) {
  const first = await launch(dataDir);
  const wallet = await fundedWallet(first.rpcUrl);
  for (let left = history - (await call(first.rpcUrl, 'getTransactionCount')); left > 0; left -= count) {
    await measureRate(first.rpcUrl, wallet, Math.min(count, left), { batch: 50 });
  }
  const written = await call(first.rpcUrl, 'getTransactionCount', [{ commitment: 'confirmed' }]);
  await first.stop();
  const again = await launch(dataDir);
  say(`start over ${written} transactions`, ms(again.took), `${megabytes(memoryOf(again.pid))} of memory`);
  const since = performance.now();
  await measureRate(again.rpcUrl, wallet, 1, {});
  say('its first transaction', ms(performance.now() - since));
  say('memory then', megabytes(memoryOf(again.pid)));
  say('disk', `${(statSync(join(dataDir, 'ledger.lmdb')).size / written).toFixed(0)} bytes a transaction`);
  await measureListing(again);
  await again.stop();
}

const raw = measureRaw(count);
say('LiteSVM alone, its JavaScript interface', perSecond(raw.wrapper));
say('LiteSVM alone, its native interface ("raw")', perSecond(raw.native));
const dataDir = mkdtempSync(join(tmpdir(), 'ledger-bench-'));
try {
  const ledger = await launch(dataDir);
  say('first start', ms(ledger.took), `${megabytes(memoryOf(ledger.pid))} of memory`);
  await measureWays('ledger', ledger, raw);
  say('memory after that', megabytes(memoryOf(ledger.pid)));
  await ledger.stop();
  await measureRestart(dataDir);
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
const { RELAY_PARITY_VALIDATOR: path } = process.env;
if (path !== undefined) {
  const validator = await startValidator(path);
  try {
    await measureWays('validator', validator, raw);
  } finally {
    await validator.close();
  }
}
