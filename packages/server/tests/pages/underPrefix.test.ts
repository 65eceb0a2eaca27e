import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { provenAgent } from '../operations/did/scene.js';
import { type Party, withService } from '../support/service.js';
import { withBrowser } from './browser.js';
import { facts, look, openRewards } from './rewardsPage.js';
import { sdkBundle } from './sdkBundle.js';

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
  await page
    .getByText('Claims are closed: they were open from 2020-01-01 00:00:00 UTC until 2020-01-07 23:59:59 UTC.')
    .waitFor();
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
  await page.getByText('No claims yet.').waitFor();
  expect(requests.filter(({ pathname }) => !pathname.startsWith('/market/'))).toEqual([]);
  expect(complaints).toEqual([]);
  await page.getByRole('link', { name: 'Legwork' }).click();
  await page.waitForURL('**/market/');
  await page.getByRole('link', { name: 'Overview' }).and(page.locator('[aria-current=page]')).waitFor();
});

test('(S-69) over plain http it says where it works, offers no wallet and shows the list', async () => {
  const { signer } = await service.current.party(0);
  const { port } = new URL(service.current.server.url);
  const { page } = await openRewards(browser.current, `http://relay.example:${port}/market`, { keys: [signer] });
  const notice = page.getByText('This page came over plain http: no wallet can sign, no camera opens');
  await notice.waitFor();
  expect(await notice.getByRole('link').getAttribute('href')).toBe('https://relay.example/market/rewards');
  expect(await page.getByRole('button', { name: /^Connect/ }).count()).toBe(0);
  expect(await page.getByText('No other wallet found').isVisible()).toBe(false);
  await page.getByText('No claims yet.').waitFor();
});

describe('the SDK in a browser', () => {
  let agent: Party;
  let page: Page;
  let complaints: string[];

  beforeAll(async () => {
    agent = await provenAgent(service.current);
    const { url } = service.current.server;
    ({ page, complaints } = await openRewards(browser.current, `${url}/market`));
    const body = await sdkBundle();
    await page.route(`${url}/sdk.js`, (route) => route.fulfill({ contentType: 'text/javascript', body }));
  });

  /** The result of a function of the bundle in the page. */
  async function inPage(name: string, ...given: string[]): Promise<unknown> {
    const { url } = service.current.server;
    const told = JSON.stringify([`${url}/market`, ...given]);
    return page.evaluate(`import('/sdk.js').then((sdk) => sdk.${name}(...${told}))`);
  }

  test('(M-64, S-63) resolves a DID and verifies a credential', async () => {
    const subject = `did:svc:${agent.pubkey}`;
    const { served, ...told } = (await inPage('verifyInPage', agent.pubkey)) as { served: unknown };
    expect(told).toMatchObject({
      checked: { valid: true, payload: { sub: subject, vc: { credentialSubject: { id: subject, legsCompleted: 1 } } } },
      byAnother: { valid: false, reason: 'unknown_issuer' },
      changed: { valid: false, reason: 'bad_signature' },
      resolved: served,
    });
    expect(served).toMatchObject({ id: subject });
    // Zod tries once whether it may compile; the page's policy forbids it, and it does without.
    expect(complaints.filter((one) => !one.includes("'script-src' was not explicitly set"))).toEqual([]);
  });

  test('(S-10, S-26) signs with a key of the browser’s own', async () => {
    expect(await inPage('signInPage')).toEqual({
      earned: '0',
      refused: expect.stringMatching(/\(403 claim_window_closed\)$/),
    });
  });

  test('(S-26, S-30) follows events', async () => {
    expect(await inPage('followInPage')).toBe('PACKAGE_LISTED');
  });
});
