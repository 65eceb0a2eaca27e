import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { press } from './acting.js';

export const DEVICE = 'This device';
export const connectDevice = (page: Page) => press(page, `Connect ${DEVICE}`);
/** The sheet over a page until it is answered. */
export const sheet = (page: Page) => page.getByRole('dialog');

/** Connects the wallet of the device, made without writing its words down. @returns its address */
export async function tryDevice(page: Page): Promise<string> {
  await connectDevice(page);
  await sheet(page).getByRole('button', { name: 'Make one' }).click();
  await sheet(page).getByRole('button', { name: 'Skip this' }).click();
  await sheet(page).getByRole('button', { name: 'Skip, I may lose it' }).click();
  return addressOf(page);
}

/** The address that the page shows once the device is connected. */
export async function addressOf(page: Page): Promise<string> {
  await page.getByRole('button', { name: `Disconnect ${DEVICE}` }).waitFor();
  const link = page.getByRole('region', { name: 'Your wallet' }).getByRole('link').first();
  return (await link.getAttribute('title')) ?? '';
}

/** The twelve words that the sheet shows. */
export async function wordsOf(page: Page): Promise<string[]> {
  const items = sheet(page).getByRole('listitem');
  await expect.poll(() => items.count()).toBe(12);
  return items.allInnerTexts();
}

/** Types the words back that the sheet asks for. */
export async function typeBack(page: Page, words: readonly string[]): Promise<void> {
  const labels = sheet(page).locator('label');
  await expect.poll(() => labels.count()).toBe(3);
  for (const label of await labels.allInnerTexts()) {
    await sheet(page)
      .getByLabel(label, { exact: true })
      .fill(words[Number(/\d+/.exec(label)?.[0]) - 1] ?? '');
  }
  await sheet(page).getByRole('button', { name: 'Done' }).click();
}

export const getTestSol = async (page: Page) => {
  await press(page, 'Get 1 test SOL');
  await page.getByText('This device holds 1 SOL').waitFor();
};

/** Another script of the page finds the wallet, as the Wallet Standard has it: `theirs` from then on. */
export async function findAsScript(page: Page): Promise<void> {
  await page.evaluate(`{
    const register = (wallet) => { if (wallet.name === ${JSON.stringify(DEVICE)}) globalThis.theirs = wallet; };
    dispatchEvent(new CustomEvent('wallet-standard:app-ready', { detail: { register } }));
    globalThis.answers = [];
  }`);
}

type Wanted = { readonly transaction: Uint8Array } | { readonly message: Uint8Array };

/** That script asks for a signature; what comes of it is in {@link answersOf}. */
export async function askAsScript(page: Page, wanted: Wanted): Promise<void> {
  const [name, bytes] = 'message' in wanted ? ['Message', wanted.message] : ['Transaction', wanted.transaction];
  await page.evaluate(`{
    const asked = { account: theirs.accounts[0], ${name.toLowerCase()}: new Uint8Array(${JSON.stringify([...bytes])}) };
    theirs.features['solana:sign${name}'].sign${name}(asked)
      .then(() => 'signed', (error) => error.message).then((answer) => answers.push(answer));
    undefined;
  }`);
}

export const answersOf = (page: Page): Promise<string[]> => page.evaluate('answers');

/** Fills in what a package is, on the page that posts. */
export async function fillIn(page: Page): Promise<void> {
  await page.getByLabel('Description').fill('a violin in its case');
  await page.getByRole('combobox', { name: 'From' }).fill('52.5074, 13.3326');
  await page.getByRole('combobox', { name: 'To', exact: true }).fill('52.5031, 13.4694');
  await page.getByRole('textbox', { name: 'Weight' }).fill('2.5');
  await page.getByRole('textbox', { name: 'Volume' }).fill('30');
  await page.getByRole('textbox', { name: 'Budget' }).fill('0.3');
}
