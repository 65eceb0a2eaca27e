import { listingRent } from '@legwork/program-client';
import { PAGES } from '@legwork/protocol/contract';
import { formatSol } from '@legwork/sdk';
import { generateKeyPairSigner } from '@solana/kit';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { withService } from '../support/service.js';
import { ALL_HOLD, checked, connect, press, told, withVisitors } from './acting.js';
import { fillIn, packagesOf } from './posting.js';
import { sheet, tryDevice } from './devicePage.js';
import { shoot, usdcOf, withTokens } from './tokens.js';
import { barriers, overhang } from './visit.js';

const ARBITER = await generateKeyPairSigner();
const service = withService({ settings: (usual) => ({ ...usual, ARBITER_PUBKEY: ARBITER.address }) });
const { visitor, goTo } = withVisitors(service);
const ONE = 1_000_000n;

const inUsdc = async (page: Page, budget: string) => {
  await page.getByRole('radio', { name: 'USDC' }).check();
  await page.getByRole('textbox', { name: 'Budget, USDC' }).fill(budget);
};

describe('a package in USDC is posted with a wallet that has no SOL', () => {
  test.each([
    [360, 'dark'],
    [390, 'light'],
    [1440, 'dark'],
    [1440, 'light'],
  ] as const)(
    'what is on top, and who pays it, stands there before: %i, %s (D-30, D-36, D-97)',
    async (width, theme) => {
      const shipper = await withTokens(service.current, 0n);
      const one = await visitor([shipper], undefined, { width, theme });
      const page = await goTo(one, PAGES.post);
      await connect(page);
      await page.getByText('Test Wallet holds 0 SOL and 100 USDC.').waitFor();
      await fillIn(page, 'I do');
      // An amount of SOL is none of USDC.
      await page.getByRole('radio', { name: 'USDC' }).check();
      expect(await page.getByRole('textbox', { name: 'Budget, USDC' }).inputValue()).toBe('');
      await inUsdc(page, '25,0000001');
      await press(page, 'Sign and list it');
      await page.getByText('25.0000001 USDC has more than the 6 decimals of USDC; leave out the others.').waitFor();
      await inUsdc(page, '0.001');
      await page.getByText('The least is 0.01 USDC.').waitFor();
      await inUsdc(page, '101');
      await page.getByText('Your wallet has 100 USDC, which is less than you want to lock.').waitFor();
      await inUsdc(page, '25,000001');
      await page.getByText('25.000001 USDC of yours is locked now').waitFor();
      await page.getByText('Each courier locks 5 USDC of its own').waitFor();
      await page
        .getByText(`On top, in SOL: ${formatSol(listingRent('package', true))} of rent for the account of the listing`)
        .waitFor();
      await page.getByText('Your wallet has 0 SOL, so the service pays all of that').waitFor();
      expect([await barriers(page), await overhang(page)]).toEqual([[], 0]);
      await shoot(page, `post-usdc-${width}-${theme}`);
      await press(page, 'Sign and list it');
      await page.getByRole('heading', { level: 1, name: 'a violin in its case' }).waitFor();
      const [listed] = await packagesOf(shipper);
      expect(listed).toMatchObject({ asset: 'usdc', maxBudget: 25_000_001n, terms: { stake: 5n * ONE } });
      expect([
        await usdcOf(service.current, shipper.pubkey),
        await usdcOf(service.current, listed?.onChainVault ?? ''),
      ]).toEqual([74_999_999n, 25_000_001n]);
      await page.getByText('25.000001 USDC').first().waitFor();
      expect([await barriers(page), await overhang(page)]).toEqual([[], 0]);
      await shoot(page, `package-usdc-${width}-${theme}`);
      expect(await checked(page)).toMatch(ALL_HOLD);
      expect(one.complaints).toEqual([]);
    },
  );
});

describe('a phone without anything', () => {
  test.each(['light', 'dark'] as const)(
    'gets test USDC, and a sheet tells what leaves it in USDC before it posts a task, %s (D-71, D-74, D-97)',
    async (theme) => {
      const one = await visitor([], undefined, { width: 360, theme });
      const page = await goTo(one, `${PAGES.post}?kind=task`);
      const own = await tryDevice(page);
      await press(page, 'Get test USDC');
      await page.getByText('This device holds 1 SOL and 100 USDC.').waitFor();
      await page.getByRole('textbox', { name: 'Title' }).fill('Sum up the feedback');
      await page.getByRole('textbox', { name: 'The whole goal' }).fill('Group the feedback, then sum it up.');
      await page.getByRole('textbox', { name: 'Leg 1' }).fill('Group it by topic.');
      await inUsdc(page, '1.5');
      await page.getByText('Your wallet pays that.').waitFor();
      await page.getByText(/^Each leg pays/).waitFor();
      await press(page, 'Sign and list it');
      await sheet(page).getByText('Locks in escrow: 1.5 USDC').waitFor();
      await sheet(page).getByText('Stake of each side: 0.3 USDC').waitFor();
      const changes = sheet(page).getByRole('list', { name: 'What changes hands' });
      await expect.poll(() => changes.innerText()).toMatch(/^This device\s+−0\.\d+ SOL, −1\.5 USDC\s/);
      expect(await changes.innerText()).toMatch(/vault \S+\s+\+1\.5 USDC/);
      expect(await sheet(page).getByRole('alert').count()).toBe(0);
      expect([await barriers(page), await overhang(page)]).toEqual([[], 0]);
      await shoot(page, `sheet-usdc-${theme}`);
      await sheet(page).getByRole('button', { name: 'Sign', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Sum up the feedback' }).waitFor();
      expect(await usdcOf(service.current, own)).toBe(98_500_000n);
      expect(one.complaints).toEqual([]);
    },
  );
});

test.each([
  [
    'budget',
    (asked: object) => ({ ...asked, maxBudget: '50000000' }),
    /budget \(base units\) of the listing is 50000000/,
  ],
  [
    'asset',
    ({ maxBudget: _, asset: __, ...asked }: Record<string, unknown>) => ({ ...asked, maxBudgetSol: 0.025 }),
    /pays in SOL, and not in the token/,
  ],
])('not with another %s than was typed: the page signs nothing (D-17)', async (_, changed, words) => {
  const shipper = await withTokens(service.current, 100_000_000n);
  const one = await visitor([shipper], () => Promise.reject(new Error('this is not to be signed')));
  const page = await goTo(one, PAGES.post);
  await connect(page);
  await fillIn(page, 'I do');
  await page.getByRole('radio', { name: 'Plain' }).check();
  await inUsdc(page, '25');
  await page.route('**/packages/build-tx', (route) =>
    route.continue({ postData: JSON.stringify(changed(route.request().postDataJSON() as Record<string, unknown>)) }),
  );
  await press(page, 'Sign and list it');
  expect(await told(page)).toMatch(words);
  expect(await packagesOf(shipper)).toEqual([]);
});
