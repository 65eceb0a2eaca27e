import { createHash } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { messages } from './packages/dashboard/messages.js';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const IN_MEMORY = '/dev/shm';
const ROOM = 4 * 2 ** 30;

/** Whether this machine keeps files in memory, with room for a run and the right to execute them. */
function hasRoomInMemory(): boolean {
  try {
    const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
    const options = mounts.map((line) => line.split(' ')).find(([, folder]) => folder === IN_MEMORY)?.[3];
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return options !== undefined && !options.split(',').includes('noexec') && bavail * bsize >= ROOM;
  } catch {
    return false;
  }
}

/**
 * A folder for all that a run leaves, removed at its end. Hundreds of databases and ledgers come and go: on a disk, making one takes
 * ten times the processor's time.
 */
function folderOfRun(): string {
  const home = process.env['TMPDIR'] === undefined && hasRoomInMemory() ? IN_MEMORY : tmpdir();
  const folder = mkdtempSync(join(home, 'legwork-tests-'));
  // As root, PostgreSQL runs as another user, who has to get through.
  chmodSync(folder, 0o711);
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

process.env['TMPDIR'] = folderOfRun();

declare module 'vitest' {
  export interface ProvidedContext {
    /** Which lane runs: properties are tried more often in the slow one. */
    lane: 'fast' | 'slow';
  }
}

/**
 * The slow lane, `npm run test:slow`, has what takes long by its nature: kills, whole commands, whole models, faults in every
 * place. `*.property.test.ts` is in both lanes.
 */
const lane = process.env['LEGWORK_TEST_LANE'] === 'slow' ? 'slow' : 'fast';
const testsIn = (folder: string) => `${folder}/**/*${lane === 'slow' ? '.{slow,property}' : ''}.test.ts`;
const exclude = lane === 'slow' ? [] : ['**/*.slow.test.ts'];

// As Node has them, without `module`: what some packages offer as one Node cannot load.
const conditions = ['legwork-source', 'node', 'development|production'];
const limits = {
  // Nothing is asserted about how long anything takes: these only end what hangs, on machines that are busy as well.
  testTimeout: lane === 'slow' ? 600_000 : 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 45_000, interval: 100 } },
  pool: 'forks',
  provide: { lane },
  /** A worker loads the sources once for all its test files: loading them again for each took a third of the time. */
  isolate: false,
} as const;

/** Packages resolve to their sources; what runs as a process of its own (the command, a ledger to be killed) is built. */
const shared = { plugins: [messages()], resolve: { conditions }, ssr: { resolve: { conditions } } };

/**
 * Where transformed sources are kept from one run to the next. Vitest finds them by their text; where an import of a package leads,
 * that package says, and messages are compiled on the way, so that the folder's name has to follow from what all of these say.
 */
function folderOfTransformed(): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(join(import.meta.dirname, 'packages')))
    hash.update(readFileSync(join(import.meta.dirname, 'packages', name, 'package.json')));
  hash.update(readFileSync(join(import.meta.dirname, 'packages/dashboard/messages.ts')));
  return join('node_modules/.legwork-tests', hash.digest('hex').slice(0, 16));
}

class ProjectByProject extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    // A worker serves one project: files of the other one in between would make it start over.
    return [...new Set(sorted.map(({ project }) => project))].flatMap((project) =>
      sorted.filter((file) => file.project === project),
    );
  }
}

export default defineConfig({
  test: {
    // Many tests wait for processes and timers: on two cores, five workers keep both busy.
    maxWorkers: 5,
    experimental: { fsModuleCache: true, fsModuleCachePath: folderOfTransformed() },
    sequence: { sequencer: ProjectByProject },
    projects: [
      {
        ...shared,
        test: {
          name: 'server',
          // What the soak checks with is tested beside it.
          include: ['packages/server/tests', 'soak'].map(testsIn),
          exclude,
          globalSetup: ['packages/server/tests/support/postgresGlobalSetup.ts'],
          ...limits,
        },
      },
      {
        ...shared,
        test: {
          name: 'parts',
          include: ['packages/*/tests', 'program/tests', 'examples/tests'].map(testsIn),
          exclude: [...exclude, 'packages/server/tests/**'],
          ...limits,
        },
      },
    ],
  },
});
