import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startOwnInstance } from '../../examples/dist/demo/instance.js';
import { UNLIMITED } from '../../bench/market.mjs';
import { root } from '../bootstrap.mjs';
import { launchChromium } from '../chromium.mjs';
import { addresses } from './addresses.mjs';
import { movingPicture } from './moving.mjs';
import { shown } from './moving.mjs';
import { phonesPicture } from './phones.mjs';
import { compressed } from './webp.mjs';

const FOLDER = join(root, 'docs/pictures');

const LOOKS = {
  light: { colorScheme: 'light', viewport: { width: 1360, height: 850 } },
  dark: { colorScheme: 'dark', viewport: { width: 1360, height: 850 } },
  phone: { colorScheme: 'light', viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
};

/** Demos and visitors are one client here, who asks more than one may; pages show the address that a service has unless told. */
const SETTINGS = { ...UNLIMITED, LIMIT_EVENT_SOCKETS: '0', PUBLIC_URL: 'http://127.0.0.1:8080' };

/** Until the market is busy. */
const BUSY_MS = 20_000;

export async function makePictures() {
  await mkdir(FOLDER, { recursive: true });
  const instance = await startOwnInstance(SETTINGS, true);
  const browser = await launchChromium();
  try {
    const encoder = await browser.newPage();
    await encoder.goto(`${instance.url}/config`);
    await keep('phones.webp', await phonesPicture(browser, encoder, instance.url));
    const city = playDemo(instance.url, 'agents', '--minutes', '1.5');
    await pause(BUSY_MS);
    const relays = playDemo(instance.url, 'packages');
    await keep('legwork.webp', await movingPicture(browser, encoder, instance.url));
    const keepAll = async (pages) => {
      for (const [name, path] of pages)
        for (const look of Object.keys(LOOKS))
          await keep(`${name}-${look}.webp`, await still(browser, encoder, instance.url + path, look));
    };
    const { lively, settled } = await addresses(instance.url);
    await keepAll(lively);
    await Promise.all([city, relays]);
    await keepAll(await settled());
  } finally {
    await browser.close();
    await instance.stop();
  }
}

async function playDemo(url, ...which) {
  const args = [join(root, 'scripts/demo.mjs'), ...which, '--url', url];
  const demo = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(demo, 'exit');
  if (code !== 0) throw new Error(`the demo ended with ${code}`);
}

async function still(browser, encoder, url, look) {
  const context = await browser.newContext({
    ...LOOKS[look],
    locale: 'en-US',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  page.on('pageerror', (error) => {
    throw new Error(`${url}: ${error.message}`);
  });
  await page.goto(url);
  await shown(page);
  const { webp } = await compressed(encoder, await page.screenshot());
  await context.close();
  return webp;
}

async function keep(name, picture) {
  await writeFile(join(FOLDER, name), picture);
  process.stdout.write(`docs/pictures/${name}  ${Math.ceil(picture.length / 1024)} KB\n`);
}
