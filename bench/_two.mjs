import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres } from '@legwork/postgres';
import { startInstance } from '../examples/dist/demo/instance.js';
import { lives, parties } from './lives.mjs';
import { UNLIMITED } from './market.mjs';
import { usageAlone, usageOf } from './processes.mjs';
const N = +process.argv[2] || 100,
  AT = +process.argv[3] || 8,
  FOLLOW = +(process.argv[4] ?? 1),
  COUNT = process.argv[5] === 'counts';
const COUNTED = new URL('counted.mjs', import.meta.url).href;
const folder = await mkdtemp(join(tmpdir(), 'two-'));
const pg = await startPostgres({ dataDir: folder, log: () => undefined });
const settings = { ...UNLIMITED, DATABASE_URL: pg.connectionString, LOG_LEVEL: 'warn', PERSONAL_DATA_DAYS: '0' };
const counts = [join(folder, 'c0.json'), join(folder, 'c1.json')];
const env = (i) => (COUNT ? { LEGWORK_COUNTS: counts[i], NODE_OPTIONS: `--import ${COUNTED}` } : {});
const instance = await startInstance(join(folder, 'data'), {
  ledgerPort: 0,
  movesTime: false,
  settings: { ...settings, ...env(0) },
});
const kids = [];
for (let k = 0; k < FOLLOW; k++) {
  const { rpcUrl, rpcSubscriptionsUrl, programId } = JSON.parse(
    await readFile(join(folder, 'data', 'instance.json'), 'utf8'),
  );
  const key = (await readdir(join(folder, 'data', 'ledger'), { recursive: true })).find((n) =>
    /coordinator[^/]*\.json$/.test(n),
  );
  const child = spawn(
    process.execPath,
    [new URL('../packages/cli/bin/legwork.mjs', import.meta.url).pathname, 'serve'],
    {
      env: {
        ...process.env,
        ...settings,
        ...(k === 0 ? env(1) : {}),
        PORT: '0',
        SOLANA_RPC_URL: rpcUrl,
        SOLANA_WS_URL: rpcSubscriptionsUrl,
        SOLANA_CLUSTER: 'embedded',
        RELAY_PROGRAM_ID: programId,
        COORDINATOR_KEYPAIR: join(folder, 'data', 'ledger', key),
        LOG_LEVEL: 'info',
        PERSONAL_DATA_KEYS: join(folder, 'data', 'personal-data-keys'),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  await new Promise((r, j) => {
    child.stdout.on('data', (t) => String(t).includes('"msg":"started"') && r());
    child.once('exit', () => j(new Error('no start')));
  });
  kids.push(child);
}
const postmaster = Number.parseInt(await readFile(join(folder, 'postgres', 'cluster', 'postmaster.pid'), 'utf8'), 10);
const read = async (pid, file) => {
  await rm(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  for (;;) {
    const t = await readFile(file, 'utf8').catch(() => '');
    if (t.endsWith('}')) return JSON.parse(t);
    await sleep(20);
  }
};
const state = async () => ({
  cpu: [
    (await usageAlone(instance.pid)).cpuSec,
    ...(await Promise.all(kids.map(async (k) => (await usageAlone(k.pid)).cpuSec))),
    (await usageOf(postmaster)).cpuSec,
    (await usageOf(instance.pid)).cpuSec - (await usageAlone(instance.pid)).cpuSec,
  ],
  c: COUNT ? await Promise.all([read(instance.pid, counts[0]), ...(FOLLOW ? [read(kids[0].pid, counts[1])] : [])]) : [],
});
try {
  const all = await parties(instance.url, N + 20);
  await lives(instance.url, all, 20, AT);
  const a = await state();
  const t = performance.now();
  await lives(instance.url, all, N, AT);
  const s = (performance.now() - t) / 1000;
  const b = await state();
  console.log(
    `${(N / s).toFixed(2)}/s; ms a package: service, followers…, pg, ledger:`,
    b.cpu.map((x, i) => (((x - a.cpu[i]) / N) * 1000).toFixed(1)).join(' '),
  );
  const names = new Set(b.c.flatMap(Object.keys));
  const rows = [...names]
    .map((n) => [n, ...b.c.map((c, i) => ((c[n] ?? 0) - (a.c[i][n] ?? 0)) / N)])
    .filter((r) => r.slice(1).some((v) => v >= 0.08))
    .sort((x, y) => x[0].split(':')[0].localeCompare(y[0].split(':')[0]) || y[1] + (y[2] ?? 0) - (x[1] + (x[2] ?? 0)));
  for (const [n, ...v] of rows) console.log(v.map((x) => x.toFixed(1).padStart(8)).join(''), n);
} finally {
  for (const k of kids) k.kill('SIGTERM');
  await sleep(500);
  await instance.stop();
  await pg.stop();
  await rm(folder, { recursive: true, force: true });
}
