import { defineConfig } from 'vitest/config';

const conditions = ['legwork-source', 'module', 'node', 'development|production'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['soak/bridge/*.soak.ts'],
    globalSetup: ['packages/server/tests/support/postgresGlobalSetup.ts'],
    pool: 'forks',
    // For a soak that hangs.
    testTimeout: 4 * 3_600_000,
    hookTimeout: 120_000,
    disableConsoleIntercept: true,
  },
});
