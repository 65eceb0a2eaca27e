import type { DigitalTaskDetail, PackageDetail } from '@legwork/sdk';
import { pagePath } from '@legwork/protocol/contract';
import { confirmLeg, listPackage, toLamports, uploadArtifact } from '@legwork/sdk';
import type { Locator, Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { claimedLeg } from '../operations/artifacts/scene.js';
import { untilTask } from '../operations/digitalTasks/scene.js';
import { bidInput, draft, untilPackage } from '../support/market.js';
import { newWallet } from '../support/packageRows.js';
import { withService } from '../support/service.js';
import { theFirst } from '../support/theFirst.js';
import { savedFrom } from './acting.js';
import { withBrowser } from './browser.js';
import { faultsOfEveryPage } from './everyPage.js';
import { Front } from './front.js';
import { completedTask, delivered, formedRelay } from './scene.js';
import { open, verdicts, type Visit, visit } from './visit.js';
import { personal } from '../../src/db/sealing.js';

const browser = withBrowser();
const service = withService();
let parcel: PackageDetail;
let task: DigitalTaskDetail;
let visits: Visit[] = [];

beforeAll(async () => {
  [parcel, task] = await Promise.all([
    formedRelay(service.current, 'a box of books').then((relay) => delivered(service.current, relay)),
    completedTask(service.current),
  ]);
});

afterEach(async () => {
  await Promise.all(visits.map(({ context }) => context.close()));
  visits = [];
});

/** The letters that lead to pages. */
const GO = { p: '/p', t: '/t', a: '/a', n: '/post', m: '/me', r: '/rewards', d: '/developers', o: '/' };

/** Opens a page, in a browser of its own. */
async function look(path: string): Promise<Visit> {
  const visitor = await visit(browser.current);
  visits.push(visitor);
  await open(visitor, service.current.server.url + path);
  return visitor;
}

/** As {@link look}, where answers whose address is like `about` say something else. */
async function lookDeceived(path: string, about: string, [said, instead]: [string, string]): Promise<Visit> {
  const visitor = await visit(browser.current);
  visits.push(visitor);
  await visitor.page.route(about, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: (await response.text()).replaceAll(said, instead) });
  });
  await open(visitor, service.current.server.url + path);
  return visitor;
}

const differing = async (page: Page) => (await verdicts(page)).filter((said) => said.startsWith('Differs'));

/** The verdicts of a page or part that shows so many, by their first words. */
async function verdictsOf(page: Page | Locator, count: number): Promise<string[]> {
  await expect.poll(() => verdicts(page)).toHaveLength(count);
  return (await verdicts(page)).map((said) => said.split(':', 1).join());
}

describe.each([
  { theme: 'dark', width: 1360 },
  { theme: 'light', width: 360 },
] as const)('in the $theme at $width pixels', (looks) => {
  test('(D-4, D-30) every page is quiet, fits, speaks to the service alone and keeps nobody out', async () => {
    const visitor = await visit(browser.current, looks);
    visits.push(visitor);
    expect(await faultsOfEveryPage(visitor, service.current, { parcel, task })).toEqual([]);
  });
});

test('(D-5) a relay is watched from its listing to its settlement without a reload', async () => {
  const { current } = service;
  const { page } = await look('/');
  await page.evaluate("globalThis.isTheSamePage = 'yes'");
  const happening = page.getByRole('log');
  const shipper = await current.party();
  const { id } = await listPackage(shipper.client, shipper.signer, draft({ description: 'a lamp to watch' }));
  await expect.poll(() => happening.getByText('a lamp to watch').count()).toBe(1);
  await happening.getByRole('link', { name: 'a lamp to watch' }).first().click();
  await page.getByRole('heading', { level: 1, name: 'a lamp to watch' }).waitFor();
  await page.getByText('Listed', { exact: true }).first().waitFor();
  const courier = await current.party(1);
  await courier.client.submitBid(bidInput(courier, id, 'zoo', 'ostkreuz', 0.2));
  const { swarm } = await untilPackage(current, id, ({ status }) => status === 'in_transit');
  await page.getByText('In transit', { exact: true }).first().waitFor();
  await confirmLeg(shipper.client, current.rpc, shipper.signer, theFirst(swarm?.legs ?? []).id);
  await page.getByText('Delivered', { exact: true }).first().waitFor();
  await page.getByText(/went back to its funder/).waitFor();
  await page.getByRole('navigation').getByRole('link', { name: 'Overview' }).click();
  await expect.poll(() => happening.getByText(/^a lamp to watch Every leg is over/).count()).toBe(1);
  expect(await page.evaluate('globalThis.isTheSamePage')).toBe('yes');
});

test('(D-22) one listing far away leaves the city in sight, is counted on the map, and is shown when that is wanted', async () => {
  const shipper = await service.current.party(3);
  const list = (changes: Parameters<typeof draft>[0]) => listPackage(shipper.client, shipper.signer, draft(changes));
  for (const description of ['a cello', 'a viola', 'a harp']) await list({ description });
  await list({ description: 'a didgeridoo', originLat: -33.87, originLng: 151.21, destLat: -33.8, destLng: 151.1 });
  const { page } = await look('/');
  await page.getByRole('button', { name: '1 out of view: show all' }).click();
  await expect.poll(() => page.getByRole('button', { name: /out of view/ }).count()).toBe(0);
});

test('(D-5, D-9) a service that is killed is said to be away; once it is back, what happened meanwhile is told once', async () => {
  const { current } = service;
  const front = await Front.start(() => current.server.url);
  const visitor = await visit(browser.current);
  visits.push(visitor);
  await open(visitor, front.url);
  const happening = visitor.page.getByRole('log');
  await happening.getByText('a box of books').first().waitFor();
  front.cut();
  const shipper = await current.party();
  await listPackage(shipper.client, shipper.signer, draft({ description: 'a lamp in the dark' }));
  await visitor.page.getByText(/^Offline, as of /).waitFor();
  expect(await happening.getByText('a lamp in the dark').count()).toBe(0);
  front.mend();
  await visitor.page.getByText('Live', { exact: true }).waitFor();
  await happening.getByText('a lamp in the dark').waitFor();
  expect(await happening.getByText('a lamp in the dark').count()).toBe(1);
  await front.close();
});

describe('a package that was delivered', () => {
  const path = () => pagePath('package', parcel.id);
  const checkAll = (page: Page) => page.getByRole('button', { name: 'Check all on the ledger' }).click();

  test('(D-10, D-11, D-12, D-13, D-16) nothing but its sum counts as checked before it is; then all of it holds', async () => {
    const { page } = await look(path());
    expect(await verdicts(page)).toEqual(['Holds: Sums to 0']);
    await checkAll(page);
    await page.getByText('8 of 8 hold').waitFor();
    expect(await differing(page)).toEqual([]);
    expect(await verdicts(page)).toContainEqual(expect.stringMatching(/^Holds: Same chain, same payments/));
  });

  test('(D-10, D-12) a payment that the answer makes a lamport larger is named', async () => {
    const { page } = await lookDeceived(path(), '**/money', ['"amount":"121428571"', '"amount":"121428572"']);
    expect(await differing(page)).toHaveLength(1);
    await checkAll(page);
    await page.getByText(/ of 8 differ/).waitFor();
    expect((await differing(page)).join()).toContain('0.121428572');
  });

  test('(D-11) a choice that left a cheaper bid out is named', async () => {
    const { db } = service.current;
    const winners = parcel.swarm?.legs.map((leg) => leg.agentPubkey) ?? [];
    const losing = db.updateTable('bids').where('package_id', '=', parcel.id).where('agent_pubkey', 'not in', winners);
    await losing.set({ cost_lamports: toLamports(1n) }).execute();
    const { client } = await service.current.party(0);
    const read = () => client.getDecision({ packageId: parcel.id, swarmId: parcel.swarm?.id ?? '' });
    // No event tells what was changed here, and an answer may be a second old.
    await expect.poll(async () => (await read()).considered?.some(({ cost }) => cost === 1n)).toBe(true);
    const { page } = await look(path());
    await page.getByRole('button', { name: 'Re-run here' }).click();
    await expect.poll(() => differing(page)).toHaveLength(1);
    await losing.set({ cost_lamports: toLamports(120_000_000n) }).execute();
  });
});

test('(D-14) a result holds against its hash on the ledger, and no longer once its text was changed', async () => {
  const path = pagePath('task', task.id);
  const check = async ({ page }: Visit) => {
    const result = page.getByRole('figure').filter({ hasText: 'Result' }).first();
    await result.getByRole('button', { name: 'Check on the ledger' }).click();
    return verdictsOf(result, 1);
  };
  expect(await check(await look(path))).toEqual(['Holds']);
  await service.current.db
    .updateTable('digital_legs')
    .set({ result: personal('another text') })
    .where('task_id', '=', task.id)
    .execute();
  expect(await check(await look(path))).toEqual(['Differs']);
});

test('(D-14) a file of a result is saved as it was handed in, and another name of it does not hold', async () => {
  const { agent, leg } = await claimedLeg(service.current);
  const handed = { content: new TextEncoder().encode('topic,count\n'), name: 'topics.csv', contentType: 'text/csv' };
  const artifacts = [await uploadArtifact(agent.client, { ...leg, ...handed })];
  await agent.client.completeDigitalLeg({ ...leg, agentPubkey: agent.pubkey, result: 'See the file.', artifacts });
  await untilTask(service.current, leg.taskId, ({ completedLegs }) => completedLegs === 1);
  const path = pagePath('task', leg.taskId);
  const { page } = await look(path);
  const check = async (shown: Page) => {
    const result = shown.getByRole('figure');
    await result.getByRole('button', { name: 'Check on the ledger' }).click();
    return verdictsOf(result, 1);
  };
  expect(await check(page)).toEqual(['Holds']);
  const saved = await savedFrom(page, 'Save topics.csv');
  expect(saved).toEqual({ name: 'topics.csv', text: 'topic,count\n' });
  const deceived = await lookDeceived(path, '**/digital-tasks/*', ['topics.csv', 'topics.exe']);
  expect(await check(deceived.page)).toEqual(['Differs']);
});

test('(D-15) a credential is verified in the browser, and a figure that the page shows otherwise is named', async () => {
  const path = pagePath('agent', theFirst(parcel.swarm?.legs ?? []).agentPubkey);
  const verify = async ({ page }: Visit) => {
    await page.getByRole('button', { name: 'Verify in this browser' }).click();
    return verdictsOf(page, 4);
  };
  expect(await verify(await look(path))).toEqual(['Holds', 'Holds', 'Holds', 'Holds']);
  const deceived = await lookDeceived(path, '**/agents/*', ['"legsCompleted":1', '"legsCompleted":2']);
  expect(await verify(deceived)).toEqual(['Holds', 'Holds', 'Holds', 'Differs']);
});

test('(D-120) an agent that registered before two hundred others stands by its name too', async () => {
  const { db } = service.current;
  const agent = theFirst(parcel.swarm?.legs ?? []).agentPubkey;
  const keys = await Promise.all(Array.from({ length: 201 }, () => newWallet()));
  const others = keys.map((pubkey) => ({ pubkey, display_name: 'One of many' }));
  await db.insertInto('agents').values(others).execute();
  const early = { pubkey: agent, display_name: 'Early Bird', registered_at: new Date(0) };
  await db
    .insertInto('agents')
    .values(early)
    .onConflict((conflict) => conflict.column('pubkey').doUpdateSet({ ...early, pubkey: undefined }))
    .execute();
  const { page } = await look(pagePath('package', parcel.id));
  await expect.poll(() => page.getByRole('link', { name: 'Early Bird' }).count()).toBeGreaterThan(0);
  await db.deleteFrom('agents').where('display_name', '=', 'One of many').execute();
});

test('(D-31) an id, a key, a name or words that are put into the search lead to their page', async () => {
  const { page } = await look('/');
  const { id, swarm } = parcel;
  const leg = theFirst(swarm?.legs ?? []);
  const field = page.getByRole('searchbox', { name: 'Find by title, agent, id or key' });
  const leads = async (text: string, path: string) => {
    await page.keyboard.press('Control+k');
    await field.fill(text);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**${path}`);
    await page.locator('h1').focus();
  };
  await leads(id, pagePath('package', id));
  await leads(id.slice(-6), pagePath('package', id));
  await leads(task.id, pagePath('task', task.id));
  await leads(leg.agentPubkey, pagePath('agent', leg.agentPubkey));
  const agent = await service.current.party(1);
  await agent.client.registerAgent({ agentPubkey: agent.pubkey, displayName: 'Quillon' });
  await leads('quill', pagePath('agent', agent.pubkey));
  const open = await listPackage(agent.client, agent.signer, draft({ description: 'an aneroid barometer' }));
  await leads('barometers', pagePath('package', open.id));
  await field.fill('no such thing');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByRole('search').getByRole('status').innerText()).toMatch(/\w/);
});

test('(D-32) the keyboard alone goes to every page, along rows and into them, and back', async () => {
  const { page } = await look('/');
  const at = (path: string) => page.waitForURL((url) => url.pathname === path);
  for (const [letter, path] of Object.entries(GO)) {
    await page.keyboard.press('g');
    await page.keyboard.press(letter);
    await at(path);
  }
  await page.keyboard.press('g');
  await page.keyboard.press('t');
  await at('/t');
  await page.getByRole('link', { name: task.title }).first().waitFor();
  // There may be newer tasks above it.
  const nextRow = async () => {
    await page.keyboard.press('j');
    return page.evaluate('document.activeElement.getAttribute("href")');
  };
  await expect.poll(nextRow).toContain(task.id);
  await page.keyboard.press('Enter');
  await at(pagePath('task', task.id));
  await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('H1');
  await page.keyboard.press('Escape');
  await at('/t');
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
});
