import { defineConfig } from 'vitest/config';

const conditions = ['agent-relay-source', 'module', 'node', 'development|production'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['packages/*/tests/**/*.test.ts', 'program/tests/**/*.test.ts', 'examples/tests/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: 'forks',
    globalSetup: ['packages/server/tests/support/postgresGlobalSetup.ts'],
  },
});
