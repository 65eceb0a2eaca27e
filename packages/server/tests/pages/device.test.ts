import { PAGES } from '@legwork/protocol/contract';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { withService } from '../support/service.js';
import { press, withVisitors } from './acting.js';
import { addressOf, connectDevice, fillIn, getTestSol, sheet, tryDevice, typeBack, wordsOf } from './devicePage.js';
import { barriers, overhang, type Visit } from './visit.js';

const service = withService();
const { visitor, goTo } = withVisitors(service);
const PHONE = { width: 360 } as const;

const aPhone = () => visitor([], undefined, PHONE);
const choose = (page: Page, name: string) => sheet(page).getByRole('button', { name, exact: true }).click();

const BESIDE_SHEET = `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('dialog[open]'))`;

/** Nothing keeps people out, nothing stands beside the window or the sheet, and the browser has nothing to complain of. */
async function expectUsable({ page, complaints }: Visit): Promise<void> {
  expect(await barriers(page)).toEqual([]);
  expect(await overhang(page)).toBe(0);
  expect(await page.evaluate(BESIDE_SHEET)).toBe(0);
  expect(complaints).toEqual([]);
}

const listedBy = async (shipper: string) => {
  const { client } = await service.current.party(0);
  return (await client.listPackages({ shipper })).items;
};

describe('a stranger with a phone', () => {
  test.each(['light', 'dark'] as const)(
    'makes a wallet, gets test SOL and posts a package, %s (D-70, D-71, D-74)',
    async (theme) => {
      const one = await visitor([], undefined, { ...PHONE, theme });
      const page = await goTo(one, PAGES.post);
      await connectDevice(page);
      await sheet(page).getByRole('button', { name: 'Make one' }).waitFor();
      await expectUsable(one);
      await choose(page, 'Make one');
      const words = await wordsOf(page);
      await expectUsable(one);
      await choose(page, 'I wrote them down');
      await expectUsable(one);
      await typeBack(page, words);
      const address = await addressOf(page);
      await getTestSol(page);
      await fillIn(page);
      await press(page, 'Sign and list it');
      await sheet(page).getByText('Locks in escrow: 0.3 SOL').waitFor();
      const changes = sheet(page).getByRole('list', { name: 'What changes hands' });
      // The locked sum, the rent of two accounts, and the fee.
      await expect.poll(() => changes.innerText()).toMatch(/^This device\s+−0\.30306044 SOL\s+vault/);
      await expectUsable(one);
      await choose(page, 'Sign');
      await page.getByRole('heading', { level: 1, name: 'a violin in its case' }).waitFor();
      expect(await listedBy(address)).toMatchObject([{ maxBudgetLamports: 300_000_000n }]);
    },
  );

  test('is in with seven presses where the words are skipped, after it was said what that means (D-74)', async () => {
    const one = await aPhone();
    const page = await goTo(one, PAGES.post);
    await connectDevice(page);
    await choose(page, 'Make one');
    await choose(page, 'Skip this');
    await sheet(page).getByText('everything the key holds is lost for good').waitFor();
    await expectUsable(one);
    await choose(page, 'Skip, I may lose it');
    const address = await addressOf(page);
    await page.getByText('You have not written its words down').waitFor();
    await getTestSol(page);
    await fillIn(page);
    await press(page, 'Sign and list it');
    await choose(page, 'Sign');
    await page.getByRole('heading', { level: 1, name: 'a violin in its case' }).waitFor();
    expect(await listedBy(address)).toHaveLength(1);
  });

  test('refuses, and nothing is listed; the keyboard is where it was (D-71)', async () => {
    const page = await goTo(await aPhone(), PAGES.post);
    const address = await tryDevice(page);
    await getTestSol(page);
    await fillIn(page);
    await press(page, 'Sign and list it');
    await sheet(page).getByRole('list').first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('alert').filter({ hasText: 'You refused to sign it. Nothing was sent.' }).waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Sign and list it');
    expect(await listedBy(address)).toEqual([]);
  });

  test('without any SOL reads that the ledger would refuse it, and refusing has the focus (D-71)', async () => {
    const page = await goTo(await aPhone(), PAGES.post);
    await tryDevice(page);
    await fillIn(page);
    await press(page, 'Sign and list it');
    await sheet(page).getByText('The ledger would refuse it now').waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Refuse');
  });

  test('comes through all of it by keys (D-30, D-74)', async () => {
    const page = await goTo(await aPhone(), PAGES.post);
    const onButton = async (name: string) => {
      for (let tries = 0; tries < 30; tries += 1) {
        if ((await page.evaluate('document.activeElement.textContent')) === name) return page.keyboard.press('Enter');
        await page.keyboard.press('Tab');
      }
      throw new Error(`no way leads to ${name}`);
    };
    await onButton('Connect This device');
    await sheet(page).getByRole('heading', { name: 'A wallet on this device' }).waitFor();
    // A key that was meant for the page does not press what came up under it.
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H2');
    await page.keyboard.press('Escape');
    await page.getByText('No wallet was made.').waitFor();
    await onButton('Connect This device');
    await sheet(page).getByRole('heading', { name: 'A wallet on this device' }).waitFor();
    await onButton('Make one');
    const words = await wordsOf(page);
    await onButton('I wrote them down');
    await sheet(page).getByRole('textbox').first().waitFor();
    const asked = (await sheet(page).locator('label').allInnerTexts()).map((label) => Number(/\d+/.exec(label)?.[0]));
    await page.keyboard.type('nonsense');
    await page.keyboard.press('Enter');
    await sheet(page).getByText(`This is not word ${asked[0]}:`).waitFor();
    await page.keyboard.press('Control+A');
    for (const place of asked) {
      await page.keyboard.type(words[place - 1] ?? '');
      await page.keyboard.press('Tab');
    }
    await onButton('Done');
    await addressOf(page);
  });
});
