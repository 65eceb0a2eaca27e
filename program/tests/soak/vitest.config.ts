import { defineConfig } from 'vitest/config';

const conditions = ['legwork-source', 'module', 'node', 'development|production'];

/** The long runs, apart from `npm test`. */
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    name: 'soak',
    include: ['program/tests/soak/*.soak.ts'],
    pool: 'forks',
    fileParallelism: false,
    disableConsoleIntercept: true,
  },
});
