import { setTimeout as pause } from 'node:timers/promises';
import { animated, compressed, framesIn } from './webp.mjs';

/** The time that a map needs to place its names after everything is loaded. */
const SETTLES_MS = 1_500;

/** Waits until a page shows what it is about, and follows the market. */
export async function shown(page) {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.getByText('Live', { exact: true }).waitFor({ state: 'attached' });
  await page.waitForFunction(() => document.querySelector('[aria-busy=true]') === null);
  await page.waitForLoadState('networkidle');
  await pause(SETTLES_MS);
}

const LASTS_MS = 12_000;
const EVERY_MS = 250;
const SIZE = { width: 1200, height: 750 };

/** The overview at work, as long as {@link LASTS_MS}. */
export async function movingPicture(browser, encoder, url) {
  const pictures = await filmed(browser, url);
  const frames = [];
  for (const [index, { png, at }] of pictures.entries()) {
    const ms = (pictures[index + 1]?.at ?? at + EVERY_MS) - at;
    const part = await compressed(encoder, png, pictures[index - 1]?.png);
    if (part) frames.push({ ...part, ms });
    else frames.at(-1).ms += ms;
  }
  const webp = animated(frames);
  const found = await framesIn(encoder, webp);
  if (found !== frames.length) throw new Error(`the moving picture shows ${found} of ${frames.length} frames`);
  return webp;
}

async function filmed(browser, url) {
  const context = await browser.newContext({
    viewport: SIZE,
    colorScheme: 'light',
    locale: 'en-US',
    timezoneId: 'UTC',
  });
  const page = await context.newPage();
  await page.goto(url);
  await shown(page);
  const pictures = [];
  const began = performance.now();
  for (let at = 0; at < LASTS_MS; at = performance.now() - began) {
    pictures.push({ at, png: await page.screenshot() });
    await new Promise((resolve) => setTimeout(resolve, at + EVERY_MS - (performance.now() - began)));
  }
  await context.close();
  return pictures;
}
