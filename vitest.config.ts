import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const conditions = ['legwork-source', 'module', 'node', 'development|production'];
const limits = {
  // Nothing is asserted about how long anything takes: these only end what hangs, on machines that are busy as well.
  testTimeout: 60_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 15_000 } },
  pool: 'forks',
  /** A worker loads the sources once for all its test files: loading them anew for each took a third of the time. */
  isolate: false,
} as const;

/** Packages resolve to their sources; what runs as a process of its own (the command, a ledger to be killed) is built. */
const shared = { resolve: { conditions }, ssr: { resolve: { conditions } } };

/** What takes longest, most of it waiting. A clean clone knows no durations, and would leave some of it to the very end. */
const LONG =
  /(examples|demoTasks|silence|slowRequests|heldSockets|fullDisk|newcomers|promises|whoseWord|cluster|taskOutbox|[fF]aults|faultsSilence|wrongField|xits|outbox|reserve|restore|drain|formation|property|recovery|cli\/tests\/\w+)\.test\.ts$/;

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project))];
    // A worker serves one project: files of the other one between would make it begin anew.
    return projects.flatMap((project) => {
      const own = sorted.filter((file) => file.project === project);
      return [...own.filter(isLong), ...own.filter((file) => !isLong(file))];
    });
  }
}

function isLong({ moduleId }: TestSpecification): boolean {
  return LONG.test(moduleId);
}

export default defineConfig({
  test: {
    // Many tests wait for processes and timers: on two cores, five workers keep both busy.
    maxWorkers: 5,
    sequence: { sequencer: LongFirst },
    projects: [
      {
        ...shared,
        test: {
          name: 'server',
          include: ['packages/server/tests/**/*.test.ts'],
          globalSetup: ['packages/server/tests/support/postgresGlobalSetup.ts'],
          ...limits,
        },
      },
      {
        ...shared,
        test: {
          name: 'parts',
          include: [
            'packages/*/tests/**/*.test.ts',
            '!packages/server/tests/**',
            'program/tests/**/*.test.ts',
            'examples/tests/**/*.test.ts',
          ],
          ...limits,
        },
      },
    ],
  },
});
