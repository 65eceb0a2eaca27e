// `npm run demo`: makes the clone runnable, then plays the demo with the given options in this very process.
import { ensureBuilt, ensureInstalled, orExplain } from './bootstrap.mjs';

void orExplain(async () => {
  await ensureInstalled();
  await ensureBuilt();
  await import('../examples/dist/demo/main.js');
});
