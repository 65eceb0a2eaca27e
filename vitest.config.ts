import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
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

const conditions = ['legwork-source', 'module', 'node', 'development|production'];
const limits = {
  // Nothing is asserted about how long anything takes: these only end what hangs, on machines that are busy as well.
  testTimeout: 60_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 45_000 } },
  pool: 'forks',
  /** A worker loads the sources once for all its test files: loading them again for each took a third of the time. */
  isolate: false,
} as const;

/** Packages resolve to their sources; what runs as a process of its own (the command, a ledger to be killed) is built. */
const shared = { resolve: { conditions }, ssr: { resolve: { conditions } } };

/** The slow lane, `npm run test:slow`, has what takes long by its nature: kills, whole commands, whole models, faults in every place. */
const isSlowLane = process.env['LEGWORK_TEST_LANE'] === 'slow';
const testsIn = (folder: string) => `${folder}/**/*${isSlowLane ? '.slow' : ''}.test.ts`;
const exclude = isSlowLane ? [] : ['**/*.slow.test.ts'];

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
    sequence: { sequencer: ProjectByProject },
    projects: [
      {
        ...shared,
        test: {
          name: 'server',
          include: [testsIn('packages/server/tests')],
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
