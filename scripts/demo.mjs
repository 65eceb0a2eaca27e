// `npm run demo`: makes the clone runnable, then plays the demo that the first argument names, with the other arguments as
// its options, in this very process.
import { ensureBuilt, ensureInstalled, orExplain } from './bootstrap.mjs';

const [demo] = process.argv.splice(2, 1);

void orExplain(async () => {
  await ensureInstalled();
  await ensureBuilt();
  await import(`../examples/dist/demo/${demo}/main.js`);
});
