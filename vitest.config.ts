import { defineConfig } from 'vitest/config';

const conditions = ['agent-relay-source', 'module', 'node', 'development|production'];
/** A worker loads the sources once for all its test files: loading them anew for each took a third of the time. */
const limits = { testTimeout: 30_000, hookTimeout: 60_000, pool: 'forks', isolate: false } as const;

/** Packages resolve to their sources; what runs as a process of its own (the command, a ledger to be killed) is built. */
const shared = { resolve: { conditions }, ssr: { resolve: { conditions } } };

export default defineConfig({
  test: {
    // Many tests wait for processes and timers: on two cores, four workers keep both busy.
    maxWorkers: 4,
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
            'packages/{protocol,program-client,ledger,sdk,cli}/tests/**/*.test.ts',
            'program/tests/**/*.test.ts',
            'examples/tests/**/*.test.ts',
          ],
          ...limits,
        },
      },
    ],
  },
});
