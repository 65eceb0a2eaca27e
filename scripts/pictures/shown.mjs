import { setTimeout as pause } from 'node:timers/promises';

/** What a map needs after everything is loaded, to place its names. */
const SETTLES_MS = 1_500;

/** Waits until a page shows what it is about, and follows the market. */
export async function shown(page) {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.getByText('Live', { exact: true }).waitFor({ state: 'attached' });
  await page.waitForFunction(() => document.querySelector('[aria-busy=true]') === null);
  await page.waitForLoadState('networkidle');
  await pause(SETTLES_MS);
}
