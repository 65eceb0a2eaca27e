import { Client } from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { CITIES, fillWork, wordAt } from '../../../../../bench/workRows.mjs';
import type { AppContext } from '../../../src/context.js';
import { findWork } from '../../../src/work/find.js';
import { marksOf } from '../../../src/work/words.js';
import { explainAll, hearReadings } from '../../db/plans.js';
import { testContext } from '../../http/service.js';
import { withTestDatabase } from '../../support/database.js';
import { migrateAt } from '../../support/service.js';

const ROWS = 20_000;
const database = withTestDatabase(migrateAt, 'service');
let context: AppContext;
let heard: ReturnType<typeof hearReadings>;

async function withClient(user: 'relay' | 'postgres', work: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ ...inject('postgres'), user, database: nameOf(database.connectionString), ssl: false });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

const nameOf = (connectionString: string) => new URL(connectionString.replace('@/', '@socket/')).pathname.slice(1);

beforeAll(async () => {
  const filling = await testContext(database.connectionString);
  const marks = async (word: string) =>
    (await marksOf({ db: filling.db, keyRing: undefined }, [word], new Date())).marks;
  await withClient('relay', (client) => fillWork(client, ROWS, marks, () => undefined));
  await filling.db.destroy();
  await withClient('postgres', async (client) => {
    const name = nameOf(database.connectionString);
    await explainAll(client, name);
    // How PostgreSQL goes by itself.
    for (const way of ['seqscan', 'hashjoin', 'mergejoin'])
      await client.query(`alter database ${name} reset enable_${way}`);
  });
  heard = hearReadings();
  context = await testContext(database.connectionString);
});
afterAll(async () => {
  heard.stop();
  await context.db.destroy();
});

const [city] = CITIES;
const near = `${city?.lat},${city?.lng}`;

test.each([
  {},
  { kind: 'package' },
  { kind: 'opening' },
  { q: wordAt(0.5) },
  { q: wordAt(0.001) },
  { q: `${wordAt(0.01)} ${wordAt(0.02)}` },
  { q: 'unheardofword' },
  { capability: 'cargo bike' },
  { capability: 'crane' },
  { near, radiusKm: 5 },
  { near, radiusKm: 25, q: wordAt(0.02) },
  { near, radiusKm: 25 },
  { near, radiusKm: 25, minPaySolPerKm: 0.3 },
  { near, radiusKm: 25, for: `9${'a'.repeat(42)}` },
  { near, radiusKm: 3_000 },
  { near, radiusKm: 3_000, q: wordAt(0.5) },
  { near: '-60,-120', radiusKm: 500 },
  { minPaySol: 0.5 },
  { minPaySolPerKm: 0.3 },
  { hasTerms: true, maxStakeSol: 0.002 },
  { deadlineBefore: new Date(Date.now() + 2 * 3_600_000) },
  { for: `9${'a'.repeat(42)}` },
] as const)('%o is found by indexes, without a look at every row (M-84)', async (asked) => {
  heard.readings.length = 0;
  await findWork(context, { ...asked, limit: 50 });
  expect(heard.readings.length).toBeGreaterThan(0);
  const whole = heard.readings.filter(({ step }) => /^Seq Scan (?:work_package|work_leg|packages|digital)/.test(step));
  expect(whole).toEqual([]);
  expect(Math.max(...heard.readings.map(({ rows }) => rows))).toBeLessThan(ROWS / 4);
});
