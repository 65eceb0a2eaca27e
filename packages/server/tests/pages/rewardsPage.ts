import type { KeyPairSigner } from '@solana/kit';
import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import { postedTask, claim, handIn, untilTask } from '../operations/digitalTasks/scene.js';
import type { Party, TestService } from '../support/service.js';
import { untilQuiet } from '../support/snapshot.js';
import { installWallet, type Signing, signs, WALLET } from './wallet.js';

interface Opened {
  page: Page;
  /** Everything that the page loaded or sent. */
  requests: URL[];
  /** The browser's complaints: errors of scripts, and blocks by the content security policy. */
  complaints: string[];
}

/** Opens the page in a browser whose wallet has these keys; without keys there is no wallet. */
export async function openRewards(
  browser: Browser,
  url: string,
  {
    keys = [],
    sign = signs,
    isSilent = false,
    width = 1000,
  }: { keys?: KeyPairSigner[]; sign?: Signing; isSilent?: boolean; width?: number } = {},
): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width, height: 900 } });
  const page = await context.newPage();
  if (keys.length > 0) await installWallet(page, keys, { sign, isSilent });
  const requests: URL[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => requests.push(new URL(request.url())));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // A refusal of the service is one of the page's ordinary cases.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text());
  });
  await page.goto(`${url}/rewards`);
  return { page, requests, complaints };
}

/** Connects the wallet and asks what the first key, or this one, earned. */
export async function look(page: Page, key?: string): Promise<void> {
  await page.getByRole('button', { name: `Connect ${WALLET}` }).click();
  if (key !== undefined) await page.getByLabel('Key of the agent').selectOption(key);
  await page.getByRole('button', { name: 'Show its earnings' }).click();
}

/** Fills the form in and sends it. */
export async function register(page: Page, payout: string): Promise<void> {
  await page.getByLabel('Address of your wallet on Solana mainnet').fill(payout);
  await page.getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Register the claim' }).click();
}

/** The terms and values of the description list in this section. */
export async function facts(page: Page, section: string): Promise<Record<string, string>> {
  const shown = page.getByRole('region', { name: section, exact: true });
  await shown.waitFor();
  const [terms, values] = await Promise.all([
    shown.locator('dt').allTextContents(),
    shown.locator('dd').allTextContents(),
  ]);
  return Object.fromEntries(terms.map((term, index) => [term, values[index] ?? '']));
}

/** Lets the agent complete the first leg of a task, which pays 0.05 SOL, and waits until it is paid. */
export async function earn(service: TestService, agent: Party): Promise<void> {
  const { task } = await postedTask(service);
  await claim(agent, task, 0);
  await handIn(agent, task, 0);
  await untilTask(service, task.id, ({ completedLegs }) => completedLegs === 1);
  // Pay that is not final yet is not to be claimed.
  await untilQuiet(service);
}

/** As {@link earn}, of a task that the coordinator pays for: 0.02 SOL. */
export async function earnSponsored(service: TestService, agent: Party): Promise<void> {
  const poster = await service.party(0);
  const task = await poster.client.postSponsoredDigitalTask({
    shipperPubkey: poster.pubkey,
    title: 'Sum up',
    description: 'Sum up the feedback.',
    maxBudgetSol: 0.02,
    legs: [{ instruction: 'Sum it up.' }],
  });
  await claim(agent, task, 0);
  await handIn(agent, task, 0);
  await untilTask(service, task.id, ({ status }) => status === 'completed');
}

/** The service's registration of a key; undefined: none. */
export async function registered(service: TestService, devnetPubkey: string) {
  return service.db
    .selectFrom('reward_claims')
    .selectAll()
    .where('devnet_pubkey', '=', devnetPubkey)
    .executeTakeFirst();
}

/** The text of an alert that says something. */
export async function alerted(page: Page): Promise<string> {
  const alerts = page.getByRole('alert').filter({ hasText: /./ });
  await expect.poll(() => alerts.count()).toBe(1);
  return alerts.innerText();
}
