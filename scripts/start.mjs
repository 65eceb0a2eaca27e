// `npm start`: makes the clone runnable, then runs `legwork start` with the given options in this very process, so
// that Ctrl-C, its exit code and its screen are the command's own.
import { ensureBuilt, ensureInstalled, orExplain } from './bootstrap.mjs';

await orExplain(async () => {
  await ensureInstalled();
  await ensureBuilt();
  process.argv.splice(2, 0, 'start');
  await import('../packages/cli/bin/legwork.mjs');
});
