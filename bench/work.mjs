// How long a search for work takes among a million open packages and legs of tasks. One client asks over HTTP, one request after the
// other; `in database` is what the service's own statements take there, as EXPLAIN ANALYZE says of the slowest of them.
// Run it after `npm run build`: node bench/work.mjs [open rows, 1000000 unless given] [requests of each kind, 100 unless given]
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { startPostgres } from '@legwork/postgres';
import { startOwnInstance } from '../examples/dist/demo/instance.js';
import { connect } from '../packages/server/dist/db/connect.js';
import { marksOf } from '../packages/server/dist/work/words.js';
import { UNLIMITED } from './market.mjs';
import { CITIES, fillWork, wordAt } from './workRows.mjs';

const pg = createRequire(new URL('../packages/server/package.json', import.meta.url))('pg');

const ROWS = Number(process.argv[2] ?? 1_000_000);
const REQUESTS = Number(process.argv[3] ?? 100);
const WARM_UP = 5;
/** The most time that a search takes, milliseconds. */
const GOAL_MS = 20;

const near = (index, radiusKm) => {
  const { lat, lng } = CITIES[(index * 7) % CITIES.length];
  return `near=${lat.toFixed(2)},${lng.toFixed(2)}&radiusKm=${radiusKm}`;
};
const inDays = (days) => new Date(Date.now() + days * 86_400_000).toISOString();
const agent = `9${'a'.repeat(42)}`;

/** The query of the `index`th request of each kind. */
const SEARCHES = {
  everything: () => '',
  'packages alone': () => 'kind=package',
  openings: () => 'kind=opening',
  'a word that comes often': (index) => `q=${wordAt(0.001 * (index % 10))}`,
  'a rare word': (index) => `q=${wordAt(0.5 + 0.004 * (index % 100))}`,
  'a word in between': (index) => `q=${wordAt(0.05 + 0.001 * (index % 100))}`,
  'two words': (index) => `q=${wordAt(0.01 + 0.001 * (index % 10))}+${wordAt(0.02)}`,
  'a word and a place': (index) => `q=${wordAt(0.02)}&${near(index, 25)}`,
  'within 5 km': (index) => near(index, 5),
  'within 25 km': (index) => near(index, 25),
  'within 300 km': (index) => near(index, 300),
  'within 3000 km': (index) => near(index, 3000),
  'in the ocean': () => 'near=-60,-120&radiusKm=500',
  'a capability that many ask for': () => 'capability=cargo+bike',
  'a rare capability': () => 'capability=crane',
  'pay, of one in twenty': () => 'minPaySol=0.45',
  'pay, of one in a thousand': () => 'minPaySol=0.5435',
  'pay a kilometre near a place': (index) => `minPaySolPerKm=0.02&${near(index, 50)}`,
  'pay, of one in a thousand, near a place': (index) => `minPaySol=0.5435&${near(index, 300)}`,
  'with terms, little stake': () => 'hasTerms=true&maxStakeSol=0.002',
  'deadline within hours': () => `deadlineBefore=${inDays(0.05)}`,
  'deadline far off': () => `deadlineAfter=${inDays(29)}`,
  'for an agent': () => `for=${agent}`,
  'for an agent near a place': (index) => `for=${agent}&${near(index, 25)}&minPaySol=0.1`,
  nothing: () => 'q=unheardofword',
};

async function measure(url, queryOf) {
  const times = [];
  let found = 0;
  for (let index = -WARM_UP; index < REQUESTS; index += 1) {
    const path = `/work?${queryOf(Math.abs(index))}`;
    const startedAt = performance.now();
    const response = await fetch(`${url}${path}`);
    const body = await response.json();
    if (index >= 0) times.push(performance.now() - startedAt);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(body)}`);
    found = Math.max(found, body.length);
  }
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  return { fastest: at(0), p50: at(0.5), p95: at(0.95), found };
}

/** Late pages cost what first ones do: the time of the fiftieth. */
async function lateQuery(url) {
  let path = '/work?limit=200';
  for (let page = 0; page < 50; page += 1) {
    const response = await fetch(`${url}${path}`);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    await response.arrayBuffer();
    path = `/work${/<([^>]+)>; rel="next"/.exec(response.headers.get('link'))[1]}`;
  }
  return path.slice(path.indexOf('?') + 1);
}

const folder = await mkdtemp(join(tmpdir(), 'legwork-bench-'));
const postgres = await startPostgres({ dataDir: folder, log: () => undefined });
const client = new pg.Client(postgres.connectionString);
let instance;
try {
  instance = await startOwnInstance({
    ...UNLIMITED,
    DATABASE_URL: postgres.connectionString,
    PERSONAL_DATA_KEYS: '',
    LOG_LEVEL: 'warn',
  });
  await client.connect();
  const db = connect(postgres.connectionString, 2, () => undefined);
  const marks = async (word) => (await marksOf({ db, keyRing: undefined }, [word], new Date())).marks;
  await fillWork(client, ROWS, marks, (step) => console.error(step));
  await db.destroy();
  const late = await lateQuery(instance.url);
  const rows = [];
  for (const [name, queryOf] of Object.entries({ ...SEARCHES, 'everything, page 51': () => late })) {
    const { fastest, p50, p95, found } = await measure(instance.url, queryOf);
    rows.push({
      search: name,
      'most found': found,
      'fastest ms': fastest.toFixed(1),
      'p50 ms': p50.toFixed(1),
      'p95 ms': p95.toFixed(1),
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
