import { Client } from 'pg';
import { MOST_COUNTED } from '@legwork/protocol/contract';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { fill } from '../../../../bench/pagesRows.mjs';
import { answerOf } from '../mcp/toolCalls.js';
import { claim, handIn, postedTask, untilTask } from '../operations/digitalTasks/scene.js';
import { ADMIN_KEY } from '../operations/rewards/scene.js';
import { confirmAll, formedPackage, untilPackage } from '../support/market.js';
import { withService } from '../support/service.js';
import { untilQuiet } from '../support/snapshot.js';
import { explainAll, hearReadings, type Reading } from './plans.js';

const SIZES = { packages: 5_000, tasks: 10_500, agents: 4_000 };
/** The most rows that a statement reads of one table: pages of a few hundred, and tables with a look-up per row. All tables are far larger. */
const MOST_ROWS = 3_000;

/** Once a day the erasure of what is long over reads that; no request waits for it. */
const service = withService({ settings: () => ({ ADMIN_KEY, METRICS_PORT: '0', PERSONAL_DATA_DAYS: '0' }) });
let heard: ReturnType<typeof hearReadings>;
/** A value for every parameter of every operation that only reads. */
let samples: Record<string, readonly string[]>;

async function onServer<T>(user: 'relay' | 'postgres', work: (client: Client, database: string) => Promise<T>) {
  const url = new URL(service.current.environment()['DATABASE_URL']?.replace('@/', '@socket/') ?? '');
  const database = url.pathname.slice(1);
  const client = new Client({ ...inject('postgres'), user, database, ssl: false });
  await client.connect();
  try {
    return await work(client, database);
  } finally {
    await client.end();
  }
}

async function readSamples(client: Client): Promise<typeof samples> {
  const one = async (column: string, from: string): Promise<[string]> => {
    const { rows } = await client.query<{ value: string }>(`select ${column}::text as value from ${from} limit 1`);
    return [rows[0]?.value ?? ''];
  };
  const [agent] = await one('agent_pubkey', 'legs');
  return {
    agentPubkey: [agent],
    agent: [agent],
    pubkey: [agent],
    devnetPubkey: [agent],
    arbiterPubkey: [agent],
    packageId: await one('package_id', `swarms where status = 'settled'`),
    package: await one('package_id', `swarms where status = 'settled'`),
    swarmId: await one('id', 'swarms'),
    legId: await one('id', 'legs'),
    taskId: await one('id', `digital_tasks where status = 'completed'`),
    task: await one('id', `digital_tasks where status = 'completed'`),
    shipper: await one('shipper_pubkey', 'packages'),
    text: [agent, agent.slice(0, 6), ...(await one('right(id::text, 6)', 'packages')), 'abcdef'],
    sha256: ['0'.repeat(64)],
    near: ['52.5,13.4'],
    bbox: ['13.35,52.48,13.36,52.49'],
    asset: ['sol', 'usdc'],
    topics: ['PACKAGE_LISTED', 'LEDGER_REVERTED,PACKAGE_FAILED'],
    before: await one('(max(seq) / 2)', 'events'),
    q: ['courier 12', 'nobody'],
    open: ['true', 'false'],
    for: [agent],
    hasTerms: ['true', 'false'],
    capability: ['cargo bike'],
    minPaySol: ['0.2', '100'],
    minPaySolPerKm: ['0.01'],
    maxStakeSol: ['0.1'],
    deadlineAfter: [new Date().toISOString()],
    deadlineBefore: [new Date(Date.now() + 86_400_000).toISOString()],
  };
}

beforeAll(async () => {
  await onServer('relay', async (client) => {
    await fill(client, SIZES, () => undefined);
    samples = await readSamples(client);
  });
  await onServer('postgres', explainAll);
  heard = hearReadings();
  await service.current.stop();
  await service.current.restart();
});
afterAll(() => heard?.stop());

interface Described {
  parameters?: { name: string; in: 'path' | 'query' | 'header'; required?: boolean; schema: { enum?: string[] } }[];
}

/** Every way to ask for what the description of the service says can be read: each parameter left out, and with each of its values. */
async function waysToRead(): Promise<string[]> {
  const answer = await fetch(`${service.current.server.url}/openapi.json`);
  const { paths } = (await answer.json()) as { paths: Record<string, { get?: Described }> };
  return Object.entries(paths).flatMap(([path, { get }]) =>
    get === undefined || path === COUNTS ? [] : waysOf(path, get),
  );
}

/** It counts everything, for all who ask at once, and spends little of one connection on it. Rule S-23. */
const COUNTS = '/stats';
/** Size and place of a page change how much is read, and not how. */
const OF_PAGES = new Set(['limit', 'cursor', 'radiusKm']);

/** The parameters of a search for work, each tried alone. */
const SEARCHED_BY = /^(?:q|capability|min|max|hasTerms|deadline|for)/;
const MANY_ARGUMENTS = 6;

function waysOf(path: string, { parameters = [] }: Described): string[] {
  const asked = parameters.filter(({ name, in: place }) => place !== 'header' && !OF_PAGES.has(name));
  return asked.reduce(
    (ways, { name, in: place, required = false, schema }) => {
      const values = schema.enum ?? samples[name];
      if (values === undefined) throw new Error(`no sample for ${name} of ${path}`);
      const isFull = (way: string) => asked.length > MANY_ARGUMENTS && SEARCHED_BY.test(name) && way.includes('?');
      const given = values.flatMap((value) =>
        ways
          .filter((way) => !isFull(way))
          .map((way) =>
            place === 'path'
              ? way.replace(`{${name}}`, value)
              : `${way}${way.includes('?') ? '&' : '?'}${name}=${encodeURIComponent(value)}`,
          ),
      );
      return required || place === 'path' ? given : [...ways, ...given];
    },
    [path],
  );
}

/** The steps that read too much, by statement. */
const tooMuch = (readings: readonly Reading[]) =>
  Object.fromEntries(
    readings.filter(({ rows }) => rows > MOST_ROWS).map(({ statement, step, rows }) => [`${step}: ${statement}`, rows]),
  );

test('no request reads more of a table than it shows, however much there was before (S-149)', async () => {
  const failed: string[] = [];
  for (const way of await waysToRead()) {
    const answer = await fetch(`${service.current.server.url}${way}`, { headers: { 'x-admin-key': ADMIN_KEY } });
    await answer.arrayBuffer();
    const [, next] = /<(.+)>; rel="next"/.exec(answer.headers.get('link') ?? '') ?? [];
    const last = next === undefined ? answer : await fetch(new URL(next, answer.url));
    // Rows that no transaction wrote have none to make receipts from: the ledger says so, once they are read.
    const hasNoTransaction = last.status === 503 && /\/(?:receipts|custody)$/.test(last.url);
    if (last.status >= 500 && !hasNoTransaction) failed.push(last.url);
  }
  expect(failed).toEqual([]);
  expect((await fetch(service.current.server.metricsUrl ?? '')).status).toBe(200);
  expect(heard.readings.length).toBeGreaterThan(500);
  expect(tooMuch(heard.readings)).toEqual({});
});

test('a list counts no further than it says (S-35)', async () => {
  heard.readings.length = 0;
  expect(await answerOf(service.current, 'svc_list_digital_tasks', {})).toMatchObject({ total: MOST_COUNTED });
  expect(Math.max(...heard.readings.map(({ rows }) => rows))).toBe(MOST_COUNTED);
});

test('nothing on the way from a listing to its settlement reads more than concerns it (S-149)', async () => {
  heard.readings.length = 0;
  const market = await formedPackage(service.current, [
    ['zoo', 'hauptbahnhof', 0.03],
    ['hauptbahnhof', 'ostkreuz', 0.05],
  ]);
  await confirmAll(service.current, market);
  await untilPackage(service.current, market.parcel.id, ({ status }) => status === 'delivered');
  const { task } = await postedTask(service.current, { legs: [{ instruction: 'all of it' }] });
  const worker = await service.current.party(1);
  await claim(worker, task, 0);
  await handIn(worker, task, 0);
  await untilTask(service.current, task.id, ({ status }) => status === 'completed');
  await untilQuiet(service.current);
  expect(heard.readings.length).toBeGreaterThan(100);
  expect(tooMuch(heard.readings)).toEqual({});
});
