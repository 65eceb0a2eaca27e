import type { Browser } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { launchChromium } from '../../../../scripts/chromium.mjs';

/** A browser for the tests of the current file; there once they run. @param more what it is told besides the usual */
export function withBrowser(more: string[] = []): { readonly current: Browser } {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await launchChromium(more);
  });
  afterAll(() => browser?.close());
  return {
    get current() {
      if (!browser) throw new Error('The browser is there only while tests and hooks run.');
      return browser;
    },
  };
}
