// `npm run audit`: makes the clone runnable, then runs `legwork audit` with the given options in this very process.
import { ensureBuilt, ensureInstalled, orExplain } from './bootstrap.mjs';

await orExplain(async () => {
  await ensureInstalled();
  await ensureBuilt();
  process.argv.splice(2, 0, 'audit');
  await import('../packages/cli/bin/legwork.mjs');
});
// Only what could not be made runnable gets here: no audit, which is not the same as a difference.
process.exitCode = 2;
