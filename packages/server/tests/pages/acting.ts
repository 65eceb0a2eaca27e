import { readFile } from 'node:fs/promises';
import { PAGES } from '@legwork/protocol/contract';
import type { Page } from 'playwright-core';
import { afterEach } from 'vitest';
import type { Party, TestService } from '../support/service.js';
import { withBrowser } from './browser.js';
import { open, type Visit, visit } from './visit.js';
import { installWallet, type SigningTransaction, WALLET } from './wallet.js';

type Look = Parameters<typeof visit>[1];

/** People who look at the pages of a test file's service, and leave after each test. */
export function withVisitors(service: { readonly current: TestService }) {
  const browser = withBrowser();
  let visits: Visit[] = [];
  afterEach(async () => {
    await Promise.all(visits.map(({ context }) => context.close()));
    visits = [];
  });

  /** A browser whose wallet has these keys. @param isSilent it signs transactions, and no messages */
  async function visitor(
    parties: readonly Party[],
    sign?: SigningTransaction,
    look?: Look & { readonly isSilent?: boolean },
  ): Promise<Visit> {
    const one = await visit(browser.current, look);
    visits.push(one);
    const keys = parties.map(({ signer }) => signer);
    const { isSilent = false } = look ?? {};
    await installWallet(one.page, keys, { isSilent, ...(sign && { signTransaction: sign }) });
    return one;
  }

  async function goTo(one: Visit, path: string): Promise<Page> {
    await open(one, service.current.server.url + path);
    return one.page;
  }

  /** Goes to the turns of one of the parties. */
  async function turnsOf(one: Visit, party: Party, path: string = PAGES.turns): Promise<Page> {
    const page = await goTo(one, path);
    await connect(page);
    await page.getByLabel('Account').selectOption(party.pubkey);
    return page;
  }

  return { visitor, goTo, turnsOf };
}

export const connect = (page: Page) => page.getByRole('button', { name: `Connect ${WALLET}` }).click();
export const press = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' }).click();

/** The file that the browser saves when this button is pressed. */
export async function savedFrom(page: Page, button: string): Promise<{ name: string; text: string }> {
  const [download] = await Promise.all([page.waitForEvent('download'), press(page, button)]);
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') };
}

/** Says at the arbiter's desk what a leg is to be ruled, and is asked back. */
export async function sayRuling(page: Page, worker: 'courier' | 'agent', percent: string): Promise<void> {
  await page.getByLabel(`Percent of the payment for the ${worker}`, { exact: true }).fill(percent);
  await page.getByLabel('Your reason').fill('The claim is right in part.');
  await press(page, 'Rule');
}

export const told = (page: Page) => page.getByRole('alert').filter({ hasText: /./ }).innerText();

/** Makes every check of a page. @returns what it came to: `11 of 11 hold` */
export async function checked(page: Page): Promise<string> {
  await press(page, 'Check all on the ledger');
  const tally = page.getByText(/\d+ of \d+ (hold|differ)/);
  await page.getByRole('button', { name: 'Checking…' }).waitFor({ state: 'detached' });
  return (await tally.innerText()).trim();
}

/** The verdict where all is true. */
export const ALL_HOLD = /^(\d+) of \1 hold$/;
