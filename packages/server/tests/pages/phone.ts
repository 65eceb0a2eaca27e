import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import encodeQR from 'qr';
import { launchChromium } from '../../../../scripts/chromium.mjs';
import { visit, type Visit } from './visit.js';

const [WIDTH, HEIGHT] = [640, 480];
const [BLACK, WHITE, GREY] = [16, 235, 128];

/** A picture of the camera with a code in it, as a film of one frame. */
function filmOf(text: string): Buffer {
  const squares = encodeQR(text, 'raw', { ecc: 'low', border: 4 });
  const scale = Math.floor(HEIGHT / squares.length);
  const light = Buffer.alloc(WIDTH * HEIGHT, WHITE);
  for (const [row, line] of squares.entries()) {
    for (const [column, isDark] of line.entries()) {
      if (!isDark) continue;
      for (let y = row * scale; y < (row + 1) * scale; y += 1) {
        light.fill(BLACK, y * WIDTH + column * scale, y * WIDTH + (column + 1) * scale);
      }
    }
  }
  const colour = Buffer.alloc((WIDTH * HEIGHT) / 2, GREY);
  return Buffer.concat([Buffer.from(`YUV4MPEG2 W${WIDTH} H${HEIGHT} F10:1 Ip A1:1 C420\nFRAME\n`), light, colour]);
}

/** A phone with a camera of its own, which sees what it is shown. */
export interface Phone extends Visit {
  /** Holds a code before the camera; it is looked at from the next time that the camera is opened. */
  readonly see: (text: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** A clock that is ahead by so many minutes. */
const wrongClock = (minutes: number) => `{
  const [Real, ahead] = [Date, ${minutes} * 60000];
  globalThis.Date = class extends Real {
    constructor(...given) { given.length === 0 ? super(Real.now() + ahead) : super(...given); }
    static now() { return Real.now() + ahead; }
  };
}`;

/** @param minutes that its clock is ahead */
export async function takePhone(minutes: number): Promise<Phone> {
  const folder = await mkdtemp(join(tmpdir(), 'legwork-phone-'));
  const film = join(folder, 'camera.y4m');
  await writeFile(film, filmOf('nothing of interest'));
  const browser: Browser = await launchChromium([
    '--use-fake-ui-for-media-stream',
    '--use-fake-device-for-media-stream',
    `--use-file-for-fake-video-capture=${film}`,
  ]);
  const looked = await visit(browser, { width: 360 });
  await looked.page.addInitScript(wrongClock(minutes));
  return {
    ...looked,
    see: (text) => writeFile(film, filmOf(text)),
    close: async () => {
      await browser.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
