// The cost of the dashboard: a visitor until the largest thing is painted, the service under many open overviews while the market is
// busy, and who builds it. The script of a frame of the map: bench/map.mjs. Run it after `npm run build`:
//   node bench/dashboard.mjs [open overviews, 1000 unless given] [seconds, 60 unless given]
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createLegworkClient } from '@legwork/sdk';
import { startOwnInstance } from '../examples/dist/demo/instance.js';
import { root } from '../scripts/bootstrap.mjs';
import { launchChromium } from '../scripts/chromium.mjs';
import { summary, UNLIMITED } from './market.mjs';
import { usageAlone } from './processes.mjs';

const OPEN = Number(process.argv[2] ?? 1000);
const SECONDS = Number(process.argv[3] ?? 60);
const VISITS = 5;
const PROBE_EVERY_MS = 100;
/** By then a page has painted everything. */
const SETTLES_MS = 3_000;

const say = (what, figure) => process.stdout.write(`${what.padEnd(44)} ${figure}\n`);
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** In the page: keeps when the largest thing so far was painted. */
function watchPaint() {
  new PerformanceObserver((list) => {
    window.largestPaintMs = list.getEntries().at(-1).startTime;
  }).observe({ type: 'largest-contentful-paint', buffered: true });
}

/** Milliseconds until the largest thing of a page is painted, for somebody who has never been here. */
async function largestPaint(browser, url) {
  const context = await browser.newContext({ viewport: { width: 1360, height: 850 }, locale: 'en-US' });
  const page = await context.newPage();
  await page.addInitScript(watchPaint);
  await page.goto(url);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await pause(SETTLES_MS);
  const paint = await page.evaluate(() => window.largestPaintMs);
  await context.close();
  return paint;
}

async function measurePaint(url) {
  const { items } = await createLegworkClient({ url }).listPackages({ status: 'delivered', limit: 1 });
  const browser = await launchChromium();
  for (const [name, path] of [
    ['overview', '/'],
    ['package', `/p/${items[0].id}`],
  ]) {
    const paints = [];
    for (let visit = 0; visit < VISITS; visit += 1) paints.push(await largestPaint(browser, url + path));
    say(`largest paint, ${name}, median of ${VISITS}`, `${median(paints).toFixed(0)} ms`);
  }
  await browser.close();
}

/** How long the list of packages takes meanwhile, and what the service uses. */
async function observe(url, service) {
  const times = [];
  const before = await usageAlone(service);
  const began = performance.now();
  while (performance.now() - began < SECONDS * 1000) {
    const asked = performance.now();
    await (await fetch(`${url}/packages`)).arrayBuffer();
    times.push(performance.now() - asked);
    await pause(PROBE_EVERY_MS);
  }
  const seconds = (performance.now() - began) / 1000;
  const after = await usageAlone(service);
  const share = ((after.cpuSec - before.cpuSec) / seconds) * 100;
  return { seconds, times, service: `${share.toFixed(0)} % of a core, ${Math.round(after.bytes / 2 ** 20)} MB` };
}

async function measureCrowd(url, service) {
  const alone = await observe(url, service);
  say('nobody looks: service', alone.service);
  say('nobody looks: GET /packages', summary(alone.times));
  const crowd = fork(join(import.meta.dirname, 'openDashboards.mjs'), [url, String(OPEN)]);
  const tell = async () => {
    crowd.send('tell');
    return (await once(crowd, 'message'))[0];
  };
  await once(crowd, 'message');
  const before = await tell();
  const { times, seconds, service: used } = await observe(url, service);
  const after = await tell();
  crowd.kill();
  const rate = (name) => ((after[name] - before[name]) / seconds).toFixed(0);
  say(`${OPEN} look: service`, used);
  say(`${OPEN} look: GET /packages`, summary(times));
  say(`${OPEN} look: they ask a second`, `${rate('asked')}, ${rate('unchanged')} unchanged, ${rate('failed')} failed`);
  say(`${OPEN} look: events a second to all of them`, rate('events'));
}

const instance = await startOwnInstance({ ...UNLIMITED, LIMIT_EVENT_SOCKETS: '0' }, true);
// Long enough for everything: it is ended with the instance.
const demo = spawn(
  process.execPath,
  [join(root, 'scripts/demo.mjs'), 'agents', '--minutes', '30', '--url', instance.url],
  {
    stdio: 'ignore',
  },
);
const ended = once(demo, 'exit').then(([code]) => {
  throw new Error(`demo:agents ended with ${code}`);
});
try {
  await Promise.race([pause(30_000), ended]);
  await measurePaint(instance.url);
  await measureCrowd(instance.url, instance.pid);
} finally {
  demo.kill('SIGINT');
  await ended.catch(() => undefined);
  await instance.stop();
}
