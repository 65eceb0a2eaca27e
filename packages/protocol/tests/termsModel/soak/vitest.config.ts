import { defineConfig } from 'vitest/config';

const conditions = ['legwork-source', 'module', 'node', 'development|production'];

/** The parts of the model that take minutes, apart from `npm test`. */
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    name: 'soak',
    include: ['packages/protocol/tests/termsModel/soak/*.soak.ts'],
    pool: 'forks',
    disableConsoleIntercept: true,
    testTimeout: 3_600_000,
  },
});
