import { defineConfig } from 'vitest/config';

const conditions = ['legwork-source', 'node', 'development|production'];

/** The official conformance suite of MCP, which is fetched: apart from `npm test`. */
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    name: 'conformance',
    include: ['packages/server/tests/mcp/conformance/*.check.ts'],
    globalSetup: ['packages/server/tests/support/postgresGlobalSetup.ts'],
    disableConsoleIntercept: true,
    testTimeout: 600_000,
    hookTimeout: 120_000,
    pool: 'forks',
    maxWorkers: 1,
  },
});
