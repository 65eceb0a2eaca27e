import { expect, test } from 'vitest';
import { withService } from '../support/service.js';
import { withBrowser } from './browser.js';
import { facts, look, openRewards } from './rewardsPage.js';

const browser = withBrowser();
/** It closed long ago, and clients find the service under a prefix. */
const service = withService({
  settings: (usual) => ({
    ...usual,
    REWARD_WINDOW_OPENS: '2020-01-01T00:00:00.000Z',
    REWARD_WINDOW_CLOSES: '2020-01-07T23:59:59.999Z',
    PUBLIC_URL: 'https://relay.example/market',
  }),
});

test('(M-67, S-69) outside the window it says when claims were taken, shows earnings and offers no form', async () => {
  const { signer } = await service.current.party(0);
  const { page } = await openRewards(browser.current, `${service.current.server.url}/market`, { keys: [signer] });
  expect(
    await page.getByText('Claims are not taken any more: they were until 2020-01-07 23:59:59 UTC.').isVisible(),
  ).toBe(true);
  await look(page);
  expect(await facts(page, '2. What your claim would record')).toMatchObject({ 'Earned by digital tasks': '0 SOL' });
  expect(await page.getByText('this cannot be registered').isVisible()).toBe(true);
  expect(await page.getByRole('button', { name: 'Register the claim' }).isVisible()).toBe(false);
});

test('(S-26, S-69) under a prefix it loads, signs and lists, and leads home', async () => {
  const { signer } = await service.current.party(0);
  const { page, requests, complaints } = await openRewards(browser.current, `${service.current.server.url}/market`, {
    keys: [signer],
  });
  await look(page);
  await facts(page, '2. What your claim would record');
  await page.getByText('There are none.').waitFor();
  expect(requests.filter(({ pathname }) => !pathname.startsWith('/market/'))).toEqual([]);
  expect(complaints).toEqual([]);
  await page.getByRole('link', { name: 'Agent Relay' }).click();
  await page.waitForURL('**/market/');
  const link = page.getByRole('link', { name: 'https://relay.example/market/rewards' });
  expect(await link.isVisible()).toBe(true);
});
