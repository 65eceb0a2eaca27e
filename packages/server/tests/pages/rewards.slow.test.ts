import { toLamports } from '@legwork/protocol/contract';
import { generateKeyPairSigner } from '@solana/kit';
import { expect, test } from 'vitest';
import { anySignature, claimRow, insertClaims } from '../operations/rewards/scene.js';
import { withService } from '../support/service.js';
import { withBrowser } from './browser.js';
import { alerted, earn, earnSponsored, facts, look, openRewards, register, registered } from './rewardsPage.js';
import { refuses, WALLET, wraps } from './wallet.js';

const OPEN = { REWARD_WINDOW_OPENS: '2026-01-01T00:00:00.000Z', REWARD_WINDOW_CLOSES: '2999-12-31T23:59:59.999Z' };
const service = withService({ settings: (usual) => ({ ...usual, ...OPEN }) });
const browser = withBrowser();

const PREVIEW = '2. What your claim would record';

async function payoutAddress(): Promise<string> {
  return (await generateKeyPairSigner()).address;
}

test('(S-69) what digital tasks paid is previewed, registered with a payout address, and listed', async () => {
  const agent = await service.current.party(0);
  await earn(service.current, agent);
  await earnSponsored(service.current, agent);
  const payout = await payoutAddress();
  const { url } = service.current.server;
  const { page, requests, complaints } = await openRewards(browser.current, url, { keys: [agent.signer] });
  await look(page);
  expect(await facts(page, PREVIEW)).toEqual({
    'Earned by digital tasks': '0.07 SOL',
    'of which sponsored': '0.02 SOL',
    'of which self-funded': '0.05 SOL',
    'Completed legs': '2',
    Posters: '2',
  });
  expect(await registered(service.current, agent.pubkey)).toBeUndefined();
  await register(page, payout);
  expect(await facts(page, 'Your claim')).toMatchObject({
    Earnings: '0.07 SOL',
    Key: agent.pubkey,
    'Payout to': payout,
    'Payout key proven': 'no',
    Paid: 'not yet',
  });
  expect(await registered(service.current, agent.pubkey)).toMatchObject({
    mainnet_pubkey: payout,
    earnings_lamports: 70_000_000n,
    mainnet_proven: false,
  });
  const row = page.getByRole('row').filter({ hasText: agent.pubkey });
  await row.waitFor();
  expect((await row.getByRole('cell').allTextContents()).slice(0, 3)).toEqual(['1', agent.pubkey, '0.07 SOL']);
  expect(new Set(requests.map(({ origin }) => origin))).toEqual(new Set([url]));
  expect(complaints).toEqual([]);
});

test('(M-67, S-67) a key that has a claim is shown it, whether it looks again or registers in a page left open', async () => {
  const agent = await service.current.party(0);
  const payout = await payoutAddress();
  const open = () => openRewards(browser.current, service.current.server.url, { keys: [agent.signer] });
  const [first, second] = [(await open()).page, (await open()).page];
  await look(first);
  await look(second);
  await register(first, payout);
  expect(await facts(first, 'Your claim')).toMatchObject({ Earnings: '0 SOL', 'Payout to': payout });
  await register(second, await payoutAddress());
  expect(await facts(second, 'Your claim')).toMatchObject({ 'Payout to': payout });
  expect(await second.getByText('This key already has a claim').isVisible()).toBe(true);
  const { page } = await open();
  await look(page);
  expect(await facts(page, 'Your claim')).toMatchObject({ 'Payout to': payout });
  expect(await page.getByRole('region', { name: PREVIEW, exact: true }).isVisible()).toBe(false);
});

test('(S-67) what was earned after the preview is not registered unseen', async () => {
  const agent = await service.current.party(0);
  const { page } = await openRewards(browser.current, service.current.server.url, { keys: [agent.signer] });
  await look(page);
  expect(await facts(page, PREVIEW)).toMatchObject({ 'Earned by digital tasks': '0 SOL' });
  await earn(service.current, agent);
  const payout = await payoutAddress();
  await register(page, payout);
  expect(await alerted(page)).toBe('This key has earned 0.05 SOL by now. Show its earnings again, then register.');
  expect(await registered(service.current, agent.pubkey)).toBeUndefined();
  await page.getByRole('button', { name: 'Show its earnings' }).click();
  await expect.poll(() => facts(page, PREVIEW)).toMatchObject({ 'Earned by digital tasks': '0.05 SOL' });
  await register(page, payout);
  expect(await facts(page, 'Your claim')).toMatchObject({ Earnings: '0.05 SOL' });
});

test('(S-69) a wrong payout address is named at its field, and neither it nor an address not looked at is registered', async () => {
  const { signer, pubkey } = await service.current.party(0);
  const { page } = await openRewards(browser.current, service.current.server.url, { keys: [signer] });
  await look(page);
  const payout = page.getByLabel('Address of your wallet on Solana mainnet');
  const button = page.getByRole('button', { name: 'Register the claim' });
  await payout.fill(await payoutAddress());
  await button.click();
  expect(await alerted(page)).toBe('Check the address, then tick this.');
  await page.getByRole('checkbox').check();
  await payout.fill('not an address');
  expect(await page.getByRole('checkbox').isChecked()).toBe(false);
  await page.getByRole('checkbox').check();
  await button.click();
  expect(await alerted(page)).toMatch(/^This cannot be a payout address: .*base58/);
  expect(await payout.getAttribute('aria-invalid')).toBe('true');
  expect(await payout.and(page.locator(':focus')).count()).toBe(1);
  expect(await registered(service.current, pubkey)).toBeUndefined();
});

test('(M-67) the payout key proves itself with another account of the wallet, and a wrong proof is refused', async () => {
  const { signer, pubkey } = await service.current.party(0);
  const payout = await generateKeyPairSigner();
  const { page } = await openRewards(browser.current, service.current.server.url, { keys: [signer, payout] });
  await look(page, pubkey);
  await page.getByLabel('Address of your wallet on Solana mainnet').fill(payout.address);
  await page.getByText('Prove that you hold the payout key').click();
  await page.getByRole('button', { name: 'Sign it with the connected wallet' }).click();
  const proof = page.getByLabel('Signature, base58');
  await expect.poll(() => proof.inputValue()).toMatch(/^[1-9A-HJ-NP-Za-km-z]{86,88}$/);
  const right = await proof.inputValue();
  await page.getByRole('checkbox').check();
  await proof.fill(right.split('').reverse().join(''));
  await page.getByRole('button', { name: 'Register the claim' }).click();
  expect(await alerted(page)).toContain('mainnetSignature');
  expect(await registered(service.current, pubkey)).toBeUndefined();
  await proof.fill(right);
  await page.getByRole('button', { name: 'Register the claim' }).click();
  expect(await facts(page, 'Your claim')).toMatchObject({ 'Payout key proven': 'yes, its key signed' });
  expect(await registered(service.current, pubkey)).toMatchObject({ mainnet_proven: true });
});

test('(S-69) a wallet that refuses, or signs another text, registers nothing and says why', async () => {
  const { signer } = await service.current.party(0);
  const { url } = service.current.server;
  const refusing = await openRewards(browser.current, url, { keys: [signer], sign: refuses });
  await look(refusing.page);
  expect(await alerted(refusing.page)).toContain('The user said no.');
  const wrapping = await openRewards(browser.current, url, { keys: [signer], sign: wraps });
  await look(wrapping.page);
  expect(await alerted(wrapping.page)).toContain(`${WALLET} signed a different text from the one this page asked for.`);
  for (const { requests } of [refusing, wrapping]) {
    expect(requests.filter(({ pathname }) => pathname === '/reward-claims/preview')).toEqual([]);
  }
});

test('(S-174, D-49) a wallet that signs transactions alone previews and registers, and is told before what it will show', async () => {
  const { signer, pubkey } = await service.current.party(0);
  const { url } = service.current.server;
  const { page } = await openRewards(browser.current, url, { keys: [signer], sign: refuses, isSilent: true });
  await look(page);
  expect(await facts(page, PREVIEW)).toMatchObject({ 'Earned by digital tasks': '0 SOL' });
  expect(await page.getByText(`${WALLET} cannot sign messages.`).isVisible()).toBe(true);
  const payout = await payoutAddress();
  await register(page, payout);
  expect(await facts(page, 'Your claim')).toMatchObject({ 'Payout to': payout });
  expect(await registered(service.current, pubkey)).toMatchObject({ mainnet_pubkey: payout });
});

test('(S-69, S-214) a browser whose clock is wrong signs once more in the time of the service', async () => {
  const { signer } = await service.current.party(0);
  const { page } = await openRewards(browser.current, service.current.server.url, { keys: [signer] });
  await page.clock.setFixedTime(Date.now() - 600_000);
  await look(page);
  expect(await facts(page, PREVIEW)).toMatchObject({ 'Earned by digital tasks': '0 SOL' });
});

test('(S-69) a key that the wallet does not show any more is not used', async () => {
  const [one, other] = [await service.current.party(0), await service.current.party(0)];
  const { page } = await openRewards(browser.current, service.current.server.url, { keys: [one.signer, other.signer] });
  await look(page, one.pubkey);
  await facts(page, PREVIEW);
  await page.evaluate(`testWalletShow([${JSON.stringify(other.pubkey)}])`);
  expect(await alerted(page)).toBe(`${WALLET} no longer shows that key. Connect again.`);
  expect(await page.getByRole('region', { name: PREVIEW, exact: true }).isVisible()).toBe(false);
  await look(page);
  expect(await page.getByLabel('Key of the agent').inputValue()).toBe(other.pubkey);
});

test('(M-68, S-69) without a wallet but the device it says so, what a payout is, and how a program claims', async () => {
  const { page, complaints } = await openRewards(browser.current, service.current.server.url);
  await page.getByText('No other wallet found.').waitFor();
  expect(await page.getByText('This is a voluntary gift, neither escrow nor a contract.').isVisible()).toBe(true);
  expect(await page.getByText('relay.previewRewardClaim').isVisible()).toBe(true);
  expect(await page.getByText(`curl '${service.current.server.url}/reward-claims/my`).isVisible()).toBe(true);
  expect(await page.getByRole('button', { name: /^Connect/ }).allInnerTexts()).toEqual(['Connect This device']);
  expect(complaints).toEqual([]);
});

test('(S-69) the keyboard alone leads from the wallet to the claim', async () => {
  const { signer, pubkey } = await service.current.party(0);
  const payout = await payoutAddress();
  const { page } = await openRewards(browser.current, service.current.server.url, { keys: [signer] });
  const focused = page.locator(':focus');
  const next = async (name: string | RegExp, role: 'button' | 'textbox' | 'checkbox' | 'combobox') => {
    const wanted = page.getByRole(role, { name });
    // Before the page shows it, Tab leads around and never to it.
    await wanted.waitFor();
    for (let presses = 0; presses < 20; presses += 1) {
      if ((await wanted.and(focused).count()) === 1) return;
      await page.keyboard.press('Tab');
    }
    throw new Error(`Tab does not lead to ${name}`);
  };
  await next(`Connect ${WALLET}`, 'button');
  await page.keyboard.press('Enter');
  await expect.poll(() => focused.getAttribute('id')).toBe('key');
  await next('Show its earnings', 'button');
  await page.keyboard.press('Enter');
  await expect.poll(() => focused.textContent()).toBe(PREVIEW);
  await next('Address of your wallet on Solana mainnet', 'textbox');
  await page.keyboard.type(payout);
  await next(new RegExp(`^The payout goes to ${payout}\\.`), 'checkbox');
  await page.keyboard.press('Space');
  await next('Register the claim', 'button');
  await page.keyboard.press('Enter');
  await expect.poll(() => focused.textContent()).toBe('Your claim');
  expect(await registered(service.current, pubkey)).toMatchObject({ mainnet_pubkey: payout });
});

test('(S-69) the list goes on beyond a page, ranked throughout', async () => {
  for (let claims = 0; claims < 26; claims += 1) {
    const { client, pubkey: devnetPubkey } = await service.current.party(0);
    await client.registerRewardClaim({ devnetPubkey, mainnetPubkey: devnetPubkey, confirmedEarningsLamports: 0 });
  }
  const { page } = await openRewards(browser.current, service.current.server.url);
  const ranks = page.locator('tbody tr td:first-child');
  await expect.poll(() => ranks.count()).toBe(25);
  const more = page.getByRole('button', { name: 'Show more claims' });
  await more.click();
  await expect.poll(() => more.isVisible()).toBe(false);
  const { count } = await service.current.db
    .selectFrom('reward_claims')
    .select((select) => select.fn.countAll<bigint>().as('count'))
    .executeTakeFirstOrThrow();
  expect(await ranks.allTextContents()).toEqual(Array.from({ length: Number(count) }, (_, index) => String(index + 1)));
  const keys = await page.locator('tbody tr td:nth-child(2)').allTextContents();
  expect(new Set(keys).size).toBe(Number(count));
  const earnings = (await page.locator('tbody tr td:nth-child(3)').allTextContents()).map(Number.parseFloat);
  expect(earnings).toEqual(earnings.toSorted((a, b) => b - a));
});

test('(M-68, S-69) it says of each claim whether it was paid, and of one of 0 that there is nothing to pay', async () => {
  const { signer, pubkey } = await service.current.party(0);
  const paidSignature = anySignature();
  const paid = claimRow({ devnet_pubkey: pubkey, earnings_lamports: toLamports(2n) });
  const [unpaid, empty] = [claimRow({ earnings_lamports: toLamports(1n) }), claimRow()];
  const marker = { paid_signature: paidSignature, paid_at: new Date('2026-06-01T12:00:00.000Z') };
  await insertClaims(service.current.db, [{ ...paid, ...marker }, unpaid, empty]);
  const { page } = await openRewards(browser.current, service.current.server.url, { keys: [signer] });
  const more = page.getByRole('button', { name: 'Show more claims' });
  await page.getByRole('row').nth(1).waitFor();
  if (await more.isVisible()) await more.click();
  const payment = (key: string) => page.getByRole('row').filter({ hasText: key }).getByRole('cell').last();
  expect(await payment(empty.devnet_pubkey).innerText()).toBe('nothing to pay');
  expect(await payment(unpaid.devnet_pubkey).innerText()).toBe('not yet');
  await look(page);
  expect(await facts(page, 'Your claim')).toMatchObject({ Paid: '2026-06-01 12:00:00 UTC' });
  for (const place of [payment(pubkey), page.getByRole('region', { name: 'Your claim', exact: true })]) {
    const href = await place.getByRole('link').getAttribute('href');
    expect(href).toBe(`https://explorer.solana.com/tx/${paidSignature}`);
  }
});

test('(S-69) it fits a narrow screen: only the code and the list scroll sideways', async () => {
  const { signer } = await service.current.party(0);
  const { page } = await openRewards(browser.current, service.current.server.url, { keys: [signer], width: 320 });
  await look(page);
  await facts(page, PREVIEW);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
});
