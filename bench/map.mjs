// The map's load on the visitor's processor while couriers move: 500 relays of three legs each across Berlin, all under way, drawn
// as often as they move. The page, the service and the browser are real; the relays are made here. Prints the processor's time of the
// map's script a frame: the clock's time says more about what else the machine does.
// Run it after `npm run build`: node bench/map.mjs [relays, 500 unless given] [frames, 300 unless given]
// CHROMIUM names a browser; without it, the one that the tests of pages unpacked is taken.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { startOwnInstance } from '../examples/dist/demo/instance.js';

const RELAYS = Number(process.argv[2] ?? 500);
const FRAMES = Number(process.argv[3] ?? 300);
/** Between two pictures the browser has a moment to show the first. */
const FRAMES_AT_ONCE = 5;
const GOAL_MS = 2;
/** So short that every frame of the screen differs from the last. */
const LEG_MIN = 1;

const COURIER = '11111111111111111111111111111112';
const place = () => ({ lat: 52.4 + Math.random() * 0.2, lng: 13.2 + Math.random() * 0.4 });
const legOf = (from, to, completedAt) => ({
  agentPubkey: COURIER,
  pickupLat: from.lat,
  pickupLng: from.lng,
  dropoffLat: to.lat,
  dropoffLng: to.lng,
  status: completedAt ? 'completed' : 'pending',
  completedAt,
});

/** A relay in its second leg, as `GET /relays` writes it. */
function relay(_, index) {
  const [origin, first, second, destination] = [place(), place(), place(), place()];
  const startedAt = new Date(Date.now() + Math.random() * 30_000).toISOString();
  return {
    id: `00000000-0000-7000-8000-${String(index).padStart(12, '0')}`,
    status: 'in_transit',
    description: 'a parcel',
    originLat: origin.lat,
    originLng: origin.lng,
    destLat: destination.lat,
    destLng: destination.lng,
    legs: [legOf(origin, first, startedAt), legOf(first, second, null), legOf(second, destination, null)],
    completedLegs: 1,
    totalLegs: 3,
    holder: COURIER,
    legStartedAt: startedAt,
    estimatedDurationMin: LEG_MIN,
    asset: 'sol',
    decimals: 9,
    paid: '1',
    paidLamports: 1,
    total: '3',
    totalLamports: 3,
    maxBudget: '4',
    maxBudgetLamports: 4,
    listedAt: startedAt,
  };
}

async function launch() {
  const { CHROMIUM } = process.env;
  if (CHROMIUM !== undefined) return chromium.launch({ executablePath: CHROMIUM });
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium');
  const unpacked = join(dirname(entry), '../../unpacked');
  if (!existsSync(unpacked)) throw new Error('Set CHROMIUM, or run a test of packages/server/tests/pages first.');
  const env = {
    ...process.env,
    LD_LIBRARY_PATH: join(unpacked, 'al2023/lib'),
    FONTCONFIG_FILE: join(unpacked, 'fonts.conf'),
  };
  return chromium.launch({ executablePath: join(unpacked, 'chromium'), env });
}

/** In the page: keeps what draws a frame of the relays, and hides that no graphics card draws, which would make frames fewer. */
function keepDrawing() {
  const before = (owner, name, change) => {
    const apply = (call, self, given) => Reflect.apply(call, self, change(given));
    owner[name] = new Proxy(owner[name], { apply });
  };
  let hasCleared = false;
  before(CanvasRenderingContext2D.prototype, 'clearRect', (area) => {
    hasCleared = true;
    return area;
  });
  before(HTMLCanvasElement.prototype, 'getContext', ([type, options]) => [
    type,
    { ...options, failIfMajorPerformanceCaveat: false },
  ]);
  before(window, 'requestAnimationFrame', ([draw]) => [
    (time) => {
      hasCleared = false;
      draw(time);
      if (hasCleared) window.drawFrame = draw;
    },
  ]);
}

async function measure(browser, url) {
  const page = await browser.newPage({ viewport: { width: 1360, height: 850 }, locale: 'en-US' });
  await page.addInitScript(keepDrawing);
  // Not the script of the same name.
  await page.route(/\/relays(?:\?|$)/, (route) => route.fulfill({ json: Array.from({ length: RELAYS }, relay) }));
  await page.goto(url);
  await page.getByRole('button', { name: 'Zoom in' }).waitFor();
  // Until coasts and names are there: afterwards, only what moves is drawn.
  await pause(20_000);
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const before = await scriptMs(session);
  await page.evaluate(drawAgain, { frames: FRAMES, atOnce: FRAMES_AT_ONCE });
  return ((await scriptMs(session)) - before) / FRAMES;
}

/** In the page, as tasks of its own: what an inspector evaluates is not counted as script. */
async function drawAgain({ frames, atOnce }) {
  for (let frame = 0; frame < frames; frame += atOnce) {
    await new Promise((resolve) => {
      setTimeout(() => {
        for (let time = 0; time < atOnce; time += 1) window.drawFrame(performance.now());
        resolve();
      });
    });
  }
}

async function scriptMs(session) {
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'ScriptDuration').value * 1000;
}

const instance = await startOwnInstance();
const browser = await launch();
try {
  const perFrame = await measure(browser, instance.url);
  console.log(`${RELAYS} moving relays: ${perFrame.toFixed(2)} ms of script a frame (goal: ${GOAL_MS} ms)`);
} finally {
  await browser.close();
  await instance.stop();
}
