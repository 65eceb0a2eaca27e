// `npm run pictures`: makes docs/pictures from a market that really runs, on an instance of its own: every page light, dark and
// on a phone, and the overview at work, as a moving picture. Takes three minutes.
import { ensureBuilt, ensureInstalled, orExplain } from './bootstrap.mjs';

await orExplain(async () => {
  await ensureInstalled();
  await ensureBuilt();
  const { makePictures } = await import('./pictures/make.mjs');
  await makePictures();
});
