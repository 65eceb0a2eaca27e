import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { migrateAt, withService } from '../../support/service.js';
import { startFixture } from './fixture.js';
import { type Ended, type McpRevision, REVISIONS, runSuite } from './suite.js';

const SERVERS = ['fixture', 'service'] as const;
type ServerName = (typeof SERVERS)[number];

/** Scenarios that fail for one reason, or checks of them: `scenario:check`. */
interface Expected {
  servers: readonly ServerName[];
  revisions: readonly McpRevision[];
  why: string;
  scenarios: readonly string[];
}

const service = withService();
let [fixture, database]: [Awaited<ReturnType<typeof startFixture>> | undefined, TestDatabase | undefined] = [
  undefined,
  undefined,
];
beforeAll(async () => {
  database = await createTestDatabase(migrateAt, 'fixture');
  fixture = await startFixture(database.connectionString);
});

/** How each scenario ended, by `revision server`. */
const ran = new Map<string, ReadonlyMap<string, Ended>>();
afterAll(async () => {
  await fixture?.close();
  await database?.drop();
  process.stdout.write(`\n${table()}\n`);
});

test.each(REVISIONS.flatMap((revision) => SERVERS.map((server) => [revision, server] as const)))(
  'at %s what fails of the suite on the %s is what is known to fail, and why',
  async (revision, server) => {
    const url = server === 'fixture' ? fixture?.url : service.current.server.url;
    const ended = await runSuite(url ?? '', revision);
    ran.set(`${revision} ${server}`, new Map(ended.map((one) => [one.scenario, one])));
    const groups = JSON.parse(await readFile(join(import.meta.dirname, 'expected.json'), 'utf8')) as Expected[];
    const known = groups
      .filter(({ servers, revisions }) => servers.includes(server) && revisions.includes(revision))
      .flatMap(({ scenarios }) => scenarios);
    const failed = ended.flatMap(({ scenario, failures }) =>
      known.includes(scenario)
        ? failures.slice(0, 1).map(() => ({ name: scenario, why: '' }))
        : failures.map(({ id, why }) => ({ name: `${scenario}:${id}`, why })),
    );
    const surprises = failed.filter(({ name }) => !known.includes(name));
    expect(surprises, 'fails and is not in expected.json').toEqual([]);
    const names = new Set(failed.map(({ name }) => name));
    expect(new Set(known), 'is in expected.json and does not fail').toEqual(names);
  },
);

const SIGNS = { passed: '✓', failed: '✗', skipped: '–' } as const;

/** Every scenario in a row, every run in a column, and how many of each run passed. */
function table(): string {
  const runs = [...ran.values()];
  const names = [...new Set(runs.flatMap((run) => [...run.keys()]))].sort();
  const sign = (run: ReadonlyMap<string, Ended>, name: string) => SIGNS[run.get(name)?.state ?? 'skipped'];
  const sum = (run: ReadonlyMap<string, Ended>) => {
    const of = (state: Ended['state']) => [...run.values()].filter((one) => one.state === state).length;
    return `${of('passed')} ✓ ${of('failed')} ✗ ${of('skipped')} –`;
  };
  const rows = [
    ['', ...ran.keys()],
    ...names.map((name) => [name, ...runs.map((run) => (run.has(name) ? sign(run, name) : ''))]),
    ['in all', ...runs.map(sum)],
  ];
  return rows
    .map(([name = '', ...cells]) => name.padEnd(46) + cells.map((cell) => cell.padEnd(20)).join(''))
    .join('\n');
}
