import { defineConfig } from 'vitest/config';

const conditions = ['legwork-source', 'module', 'node', 'development|production'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['soak/*.soak.ts'],
    pool: 'forks',
    // The soak bounds itself; this is for a soak that hangs.
    testTimeout: (16 + Number(process.env['SOAK_MINUTES'] ?? 0)) * 60_000,
    disableConsoleIntercept: true,
  },
});
