import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { cameraArgs, filmOf } from '../../../../scripts/camera.mjs';
import { launchChromium } from '../../../../scripts/chromium.mjs';
import { visit, type Visit } from './visit.js';

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
  const browser: Browser = await launchChromium(cameraArgs(film));
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
