import { listDigitalTask, type DigitalTaskDraft } from '@legwork/sdk';
import { mandateAddress } from '@legwork/program-client';
import { PAGES } from '@legwork/protocol/contract';
import { address } from '@solana/kit';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type Party, withService } from '../support/service.js';
import { connect, press, withVisitors } from './acting.js';
import { sheet, tryDevice } from './devicePage.js';
import { shoot, usdcOf, withTokens } from './tokens.js';
import { barriers, overhang } from './visit.js';

const service = withService();
const { visitor, goTo } = withVisitors(service);
const ONE = 1_000_000n;

const panel = (page: Page) => page.getByRole('region', { name: 'Mandates' });
const fact = (page: Page, term: string) =>
  panel(page)
    .locator('div', { has: page.getByText(term, { exact: true }) })
    .last()
    .locator('dd');

const goal = (owner: string, maxBudget: bigint): DigitalTaskDraft => ({
  title: 'A summary',
  description: 'Summarise the feedback.',
  legs: [{ instruction: 'summarise it' }],
  maxBudget: String(maxBudget),
  asset: 'usdc',
  terms: 'plain',
  mandateOwnerPubkey: owner,
});

async function addressFor(owner: string, delegate: Party): Promise<string> {
  const { programId } = await delegate.client.getConfig();
  return mandateAddress(address(programId), { owner: address(owner), delegate: delegate.signer.address, asset: 1 });
}

/** Opens the form and fills it in: 5 USDC a day, of 20. */
async function fillIn(page: Page, delegate: Party): Promise<void> {
  await press(page, 'Give a mandate');
  await panel(page).getByLabel('Asset').selectOption('usdc');
  await panel(page).getByLabel('Key that may post').fill(delegate.pubkey);
  await panel(page).getByLabel('Cap per period, USDC').fill('5');
  await panel(page).getByLabel('Deposit now, USDC').fill('20');
  await panel(page).getByLabel('SOL for the rent of listings').fill('0.02');
}

async function usable(page: Page) {
  expect([await barriers(page), await overhang(page)]).toEqual([[], 0]);
}

test.each([
  [360, 'dark'],
  [390, 'light'],
  [1440, 'dark'],
  [1440, 'light'],
] as const)(
  'an owner gives a mandate, sees what is listed with it, bounds it anew, empties it and ends it: %i, %s (D-30, D-98)',
  async (width, theme) => {
    const [owner, delegate] = [await withTokens(service.current, 500_000_000n), await service.current.party(1)];
    const at = await addressFor(owner.pubkey, delegate);
    const one = await visitor([owner], undefined, { width, theme });
    const page = await goTo(one, PAGES.turns);
    await connect(page);
    await panel(page).getByText('This key has given none.').waitFor();
    await fillIn(page, delegate);
    await panel(page).getByLabel('Key that may post').fill(owner.pubkey);
    await press(page, 'Give it');
    await panel(page).getByText('This is your own key').waitFor();
    await panel(page).getByLabel('Key that may post').fill(delegate.pubkey);
    await press(page, 'Give it');
    const asked = panel(page).getByRole('alertdialog');
    const says = await asked.innerText();
    expect(says).toContain(`${delegate.pubkey} may post packages and tasks with this money: up to 5 USDC per 24 hours`);
    expect(says).toMatch(/Anyone with that key, a thief included, can take that much with an accomplice/);
    expect(says).toMatch(/Your wallet deposits 20 USDC and 0\.02 SOL for the rent of listings/);
    expect(says).toMatch(/take up to 0\.00404376 SOL of rent, which comes back when you end it/);
    await usable(page);
    await shoot(page, `mandate-give-${width}-${theme}`);
    await press(page, 'Yes, sign it');
    await expect.poll(() => fact(page, 'Available now').innerText()).toBe('5 USDC');
    expect([await usdcOf(service.current, at), await usdcOf(service.current, owner.pubkey)]).toEqual([
      20n * ONE,
      80n * ONE,
    ]);

    await listDigitalTask(delegate.client, delegate.signer, goal(owner.pubkey, 3n * ONE));
    await page.reload();
    await connect(page);
    await expect.poll(() => fact(page, 'Available now').innerText()).toBe('2 USDC');
    expect(await fact(page, 'Balance').innerText()).toBe('17 USDC');
    await panel(page).getByText('1 listed with it').click();
    await panel(page).getByRole('link', { name: 'A summary' }).waitFor();
    await usable(page);
    await shoot(page, `mandate-${width}-${theme}`);

    await press(page, 'Change or top up');
    expect(await panel(page).getByLabel('Cap per period, USDC').inputValue()).toBe('5');
    await panel(page).getByLabel('Cap per period, USDC').fill('10');
    await panel(page).getByLabel('Deposit now, USDC').fill('1.5');
    await press(page, 'Set these limits');
    await press(page, 'Yes, sign it');
    await expect.poll(() => fact(page, 'Available now').innerText()).toBe('7 USDC');
    expect(await usdcOf(service.current, at)).toBe(18_500_000n);

    await press(page, 'Empty it');
    await press(page, 'Yes, sign it');
    await expect.poll(() => fact(page, 'Balance').innerText()).toBe('0 USDC');
    expect(await usdcOf(service.current, owner.pubkey)).toBe(97n * ONE);
    await press(page, 'End it');
    expect(await panel(page).getByRole('alertdialog').innerText()).toContain(
      'give this mandate again and end it again',
    );
    await press(page, 'Yes, sign it');
    await panel(page).getByText('This key has given none.').waitFor();
    expect(one.complaints).toEqual([]);
  },
);

test('on a phone its sheet tells what the mandate allows, and what goes there, in USDC (D-71, D-98)', async () => {
  const delegate = await service.current.party(0);
  const one = await visitor([], undefined, { width: 360 });
  const page = await goTo(one, PAGES.turns);
  const own = await tryDevice(page);
  await press(page, 'Get test USDC');
  await page.getByText('This device holds 1 SOL and 100 USDC.').waitFor();
  await fillIn(page, delegate);
  await press(page, 'Give it');
  await press(page, 'Yes, sign it');
  await sheet(page).getByText('At most: 5 USDC in each period of 86400 seconds').waitFor();
  const changes = sheet(page).getByRole('list', { name: 'What changes hands' });
  await expect.poll(() => changes.innerText()).toMatch(/^This device\s+−0\.02404876 SOL, −20 USDC\s+/);
  expect(await changes.innerText()).toMatch(/mandate \S+\s+\+0\.02200448 SOL, \+20 USDC/);
  expect(await sheet(page).getByRole('alert').count()).toBe(0);
  await usable(page);
  await shoot(page, 'mandate-sheet');
  await sheet(page).getByRole('button', { name: 'Sign', exact: true }).click();
  await expect.poll(() => fact(page, 'Available now').innerText()).toBe('5 USDC');
  expect(await usdcOf(service.current, await addressFor(own, delegate))).toBe(20n * ONE);
});
