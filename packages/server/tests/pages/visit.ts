import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, Frame, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

type Theme = 'light' | 'dark';

interface Look {
  width?: number;
  theme?: Theme;
  /** Of the browser, as in `de-DE`. */
  locale?: string;
}

/** A visit to a service's pages, with the browser's complaints meanwhile. */
export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** The browser's complaints: errors of scripts, blocks by the content security policy, and loads that failed. */
  readonly complaints: string[];
  /** The hosts that it spoke to. */
  readonly hosts: Set<string>;
}

/** A phone is as high as it is, a desk has room. */
const heightFor = (width: number) => (width < 760 ? 844 : 850);

/** Opens a browser's window that nobody has used before; the first page is still to be gone to. */
export async function visit(
  browser: Browser,
  { width = 1360, theme = 'light', locale = 'en-US' }: Look = {},
): Promise<Visit> {
  const context = await browser.newContext({
    viewport: { width, height: heightFor(width) },
    colorScheme: theme,
    locale,
    reducedMotion: 'reduce',
  });
  // A page that shows nothing by then shows nothing: a busy machine needs a tenth of it.
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  const hosts = new Set<string>();
  page.on('request', (request) => hosts.add(new URL(request.url()).host));
  page.on('websocket', (socket) => hosts.add(new URL(socket.url()).host));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  return { page, context, complaints, hosts };
}

/** Goes to a page and waits until it shows what it is about. */
export async function open({ page }: Visit, url: string): Promise<void> {
  await page.goto(url);
  await settled(page);
}

/** Waits until a page has its heading, and no part of it is loading. */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1').waitFor();
  await expect.poll(() => page.locator('[aria-busy=true]').count()).toBe(0);
  await expect.poll(() => page.getByText('Loading', { exact: true }).count()).toBe(0);
}

/** The verdicts of the checks on a page or a part of it: `Holds: slot 54`. */
export async function verdicts(shown: Page | Locator): Promise<string[]> {
  const texts = await shown
    .getByText(/^(Holds|Differs):/)
    .locator('..')
    .allTextContents();
  return texts.map((text) => text.trim());
}

/** Nothing of a page may stand beside what a window shows. */
export async function overhang(page: Page | Frame): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  id: string;
  impact: string;
  nodes: { target: string[]; failureSummary: string }[];
}

/** The barriers that keep people from using a page, however small, as axe finds them. */
export async function barriers(page: Page | Frame): Promise<string[]> {
  // The page's policy is about what the page runs; this runs beside it.
  await page.evaluate(axe);
  const found = (await page.evaluate("axe.run({ resultTypes: ['violations'] })")) as { violations: Violation[] };
  return found.violations.flatMap(({ id, impact, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${impact} ${id} ${target.join(' ')}: ${failureSummary}`),
  );
}
