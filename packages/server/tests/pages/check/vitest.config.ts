import { defineConfig } from 'vitest/config';

const conditions = ['legwork-source', 'module', 'node', 'development|production'];

/** Looks at the pages that take too long for `npm test`: every page in every look, kills, replicas, prefixes, hostile texts. */
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    name: 'pages',
    include: ['packages/server/tests/pages/check/*.check.ts'],
    globalSetup: ['packages/server/tests/support/postgresGlobalSetup.ts'],
    testTimeout: 180_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    pool: 'forks',
    maxWorkers: 1,
  },
});
