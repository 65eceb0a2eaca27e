import { listingRent } from '@legwork/program-client';
import { pagePath, PAGES, toLamports } from '@legwork/protocol/contract';
import { ruledPayment, stakeShares } from '@legwork/protocol/rules';
import { formatAmount, formatSol, listPackage } from '@legwork/sdk';
import { generateKeyPairSigner } from '@solana/kit';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { leaveWith } from '../fees/scene.js';
import { courier, legNow } from '../operations/turns/scene.js';
import { bidInput, draft, untilPackage } from '../support/market.js';
import { type Party, withService } from '../support/service.js';
import { ALL_HOLD, checked, connect, press, sayRuling, told, withVisitors } from './acting.js';
import { fillIn, packagesOf } from './posting.js';
import { sheet, tryDevice } from './devicePage.js';
import { shoot, usdcOf, withTokens } from './tokens.js';
import { barriers, overhang } from './visit.js';

const ARBITER = await generateKeyPairSigner();
const service = withService({ settings: (usual) => ({ ...usual, ARBITER_PUBKEY: ARBITER.address }) });
const { visitor, goTo, turnsOf } = withVisitors(service);
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
      await page.getByText('You lock 25.000001 USDC now').waitFor();
      await page.getByText('Each courier stakes 5 USDC').waitFor();
      await page
        .getByText(`On top, in SOL: ${formatSol(listingRent('package', true))} rent for the listing's account`)
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
      await page.getByRole('textbox', { name: 'Goal' }).fill('Group the feedback, then sum it up.');
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
    (asked: object) => ({ ...asked, maxBudget: undefined, asset: undefined, maxBudgetSol: 0.025 }),
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
    route.continue({ postData: JSON.stringify(changed(route.request().postDataJSON() as object)) }),
  );
  await press(page, 'Sign and list it');
  expect(await told(page)).toMatch(words);
  expect(await packagesOf(shipper)).toEqual([]);
});

/** A package of 25 USDC whose courier asks 10 for it. None of its three parties has SOL any more. */
async function bound(isPlain = false) {
  const { current } = service;
  const [shipper, carrier, arbiter] = [
    await withTokens(current, 0n),
    await courier(current),
    await current.party(0),
  ] as const;
  await carrier.client.registerAgent({ agentPubkey: carrier.pubkey });
  await leaveWith(current, carrier, 0n);
  const { maxBudgetSol: _, ...parcel } = draft();
  const { id } = await listPackage(shipper.client, shipper.signer, {
    ...parcel,
    maxBudget: String(25n * ONE),
    asset: 'usdc',
    terms: isPlain ? 'plain' : { arbiterPubkey: arbiter.pubkey },
  });
  const { costSol: __, ...bid } = bidInput(carrier, id, 'zoo', 'ostkreuz', 0);
  await carrier.client.submitBid({ ...bid, cost: String(10n * ONE) });
  await untilPackage(current, id, ({ status }) => status === 'in_transit');
  return { shipper, carrier, arbiter, id };
}

const STAKE = 5n * ONE;

test('without any SOL a leg is accepted, picked up, claimed, disputed and ruled on the pages, to the base unit (D-35, D-38)', async () => {
  const { shipper, carrier, arbiter, id } = await bound();
  const one = await visitor([carrier, shipper, arbiter], undefined, { width: 360, theme: 'dark' });
  const stageIs = async (stage: string) => {
    await expect.poll(async () => (await legNow(service.current, id, 0)).stage).toBe(stage);
  };
  const holds = async (party: Party) => (await usdcOf(service.current, party.pubkey)) ?? 0n;
  const yes = (page: Page) => press(page, 'Yes, sign it');

  const page = await turnsOf(one, carrier);
  await page.getByText(`Test Wallet holds 0 SOL and 100 USDC.`).waitFor();
  await press(page, 'Accept, with a stake of 5 USDC');
  await stageIs('accepted');
  expect(await holds(carrier)).toBe(95n * ONE);
  await press(page, 'Pick it up');
  await stageIs('carried');
  await page.getByLabel('For a claim').fill('At the door, behind the bin.');
  await press(page, 'Claim delivery');
  await stageIs('claimed');

  await turnsOf(one, shipper);
  await page.getByLabel('For a dispute').fill('The bin is empty.');
  await press(page, 'Dispute, with a stake of 5 USDC');
  await shoot(page, 'turn-usdc-dispute');
  await stageIs('disputed');
  expect(await holds(shipper)).toBe(70n * ONE);

  const { agreedPayment } = await legNow(service.current, id, 0);
  const shares = stakeShares(toLamports(STAKE), 'arbiter', 30);
  const paid = ruledPayment(agreedPayment, 30);
  const said = (amount: bigint) => formatAmount(amount, { asset: 'usdc', decimals: 6 });
  await turnsOf(one, arbiter, PAGES.desk);
  await sayRuling(page, 'courier', '30');
  const question = await page.getByRole('alertdialog').innerText();
  expect(question).toContain(`${said(paid)}, which is 30 % of ${said(agreedPayment)}, is paid to ${carrier.pubkey}`);
  expect(question).toContain(
    `${said(shares.worker)} to ${carrier.pubkey}, ${said(shares.disputer)} to ${shipper.pubkey}`,
  );
  expect(question).toContain(`${said(shares.fee)} to you as the arbiter`);
  expect([await barriers(page), await overhang(page)]).toEqual([[], 0]);
  await shoot(page, 'turn-usdc-rule');
  await yes(page);
  await untilPackage(service.current, id, ({ status }) => status === 'delivered');
  expect([await holds(carrier), await holds(arbiter)]).toEqual([95n * ONE + paid + shares.worker, shares.fee]);
  await expect.poll(() => holds(shipper)).toBe(70n * ONE + shares.disputer + 25n * ONE - paid);

  await goTo(one, pagePath('package', id));
  expect(await checked(page)).toMatch(ALL_HOLD);
  await shoot(page, 'package-usdc-ruled');
  expect(one.complaints).toEqual([]);
});

test('without any SOL a shipper confirms a leg without terms, told before whom it pays how much in USDC (D-95)', async () => {
  const { shipper, carrier, id } = await bound(true);
  const one = await visitor([shipper], undefined, { width: 390 });
  const page = await goTo(one, PAGES.turns);
  await connect(page);
  const { agreedPayment } = await legNow(service.current, id, 0);
  const pays = formatAmount(agreedPayment, { asset: 'usdc', decimals: 6 });
  await press(page, 'Confirm that you have it');
  expect(await page.getByRole('alertdialog').innerText()).toContain(`It pays ${pays} from escrow to ${carrier.pubkey}`);
  expect([await barriers(page), await overhang(page)]).toEqual([[], 0]);
  await press(page, `Yes, pay ${pays}`);
  await untilPackage(service.current, id, ({ status }) => status === 'delivered');
  expect(await usdcOf(service.current, carrier.pubkey)).toBe(100n * ONE + agreedPayment);
  expect(one.complaints).toEqual([]);
});
