// How many packages a second live their whole life, from the listing to the settlement: three bids, two legs, each confirmed.
// Many are under way at once. Run it after `npm run build`: node bench/packages.mjs [packages, 200 unless given] [at once, 16 unless given] [rounds, 1 unless given]
// A service that has just started takes a quarter more for each, since Node has not compiled what it runs: later rounds show what it takes from then on.
// With `counts` in the place of the rounds it also says what one package takes: statements, RPCs, writes and so on. Counting makes all the rest slower.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { startOwnInstance } from '../examples/dist/demo/instance.js';
import { lives, parties } from './lives.mjs';
import { cpuOf, UNLIMITED } from './market.mjs';

const PACKAGES = Number(process.argv[2] ?? 200);
const AT_ONCE = Number(process.argv[3] ?? 16);
const ROUNDS = Number(process.argv[4]) || 1;
const COUNTS =
  process.argv[4] === 'counts' ? join(await mkdtemp(join(tmpdir(), 'legwork-counts-')), 'counts.json') : undefined;
const COUNTED = new URL('counted.mjs', import.meta.url).href;
const counting = COUNTS && { LEGWORK_COUNTS: COUNTS, NODE_OPTIONS: `--import ${COUNTED}` };

/** What the service has asked for so far, by name; nothing when it is not counted. */
async function countsOf(pid) {
  if (COUNTS === undefined) return {};
  await rm(COUNTS, { force: true });
  process.kill(pid, 'SIGUSR2');
  for (;;) {
    const text = await readFile(COUNTS, 'utf8').catch(() => '');
    if (text.endsWith('}')) return JSON.parse(text);
    await sleep(10);
  }
}

function showCounts(before, after) {
  const perPackage = Object.entries(after).map(([name, count]) => [name, (count - (before[name] ?? 0)) / PACKAGES]);
  const names = perPackage
    .filter(([, count]) => count >= 0.05)
    .toSorted(([a, most], [b, least]) => a.split(':')[0].localeCompare(b.split(':')[0]) || least - most);
  for (const [name, count] of names) console.log(`${count.toFixed(1).padStart(9)}  ${name}`);
}

const instance = await startOwnInstance({ ...UNLIMITED, ...counting });
try {
  for (let round = 0; round < ROUNDS; round += 1) {
    const all = await parties(instance.url, PACKAGES);
    const begun = performance.now();
    const [before, counted] = [await cpuOf(instance.pid), await countsOf(instance.pid)];
    await lives(instance.url, all, PACKAGES, AT_ONCE);
    const seconds = (performance.now() - begun) / 1000;
    const [service, others] = (await cpuOf(instance.pid)).map((ms, at) => ((ms - before[at]) / PACKAGES).toFixed(1));
    console.log(
      `${PACKAGES} packages, ${AT_ONCE} at once: ${(PACKAGES / seconds).toFixed(1)} a second from listing to settlement`,
    );
    console.log(`CPU a package: service ${service} ms, PostgreSQL and ledger ${others} ms`);
    showCounts(counted, await countsOf(instance.pid));
  }
} finally {
  await instance.stop();
}
