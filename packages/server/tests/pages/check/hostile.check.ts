import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { claim, goal, handIn, untilTask } from '../../operations/digitalTasks/scene.js';
import { bidInput, confirmAll, draft, untilPackage } from '../../support/market.js';
import { refusalOf } from '../../support/sdkRefusal.js';
import { withService } from '../../support/service.js';
import { withBrowser } from '../browser.js';
import { type Subjects, faultsOfEveryPage } from '../everyPage.js';
import { open, settled, verdicts, type Visit, visit } from '../visit.js';
import { listDigitalTask, listPackage } from '../../support/listed.js';

const browser = withBrowser();
const service = withService();

/** Hides. */
const HIDDEN = '\u200e\u200b\ufeff';
/** Turns the direction of what follows, too: only results hold it. */
const MARKS = `\u202e\u2066${HIDDEN}`;
const MARKUP = `<img src=x onerror="globalThis.isHacked=1"><script>globalThis.isHacked=1</script></script><style>*{display:none}</style>`;
/** As long as may be, and nowhere to break a line. */
const ENDLESS = `${MARKUP}${HIDDEN}${'W'.repeat(4_000)}`;
const LINES = `${'é\n'.repeat(1_500)}${MARKUP}`;

let subjects: Subjects;

beforeAll(async () => {
  const { current } = service;
  const agent = await current.party(1);
  await agent.client.registerAgent({
    agentPubkey: agent.pubkey,
    displayName: `<script>globalThis.isHacked=1</script>${'N'.repeat(80)}`.slice(0, 80),
    capabilities: ['x'.repeat(40)],
  });
  const shipper = await current.party(3);
  const { id } = await listPackage(shipper.client, shipper.signer, draft({ description: ENDLESS.slice(0, 4_000) }));
  await agent.client.submitBid(bidInput(agent, id, 'zoo', 'ostkreuz', 0.1));
  const parcel = await untilPackage(current, id, ({ status }) => status === 'in_transit');
  await confirmAll(current, { shipper, couriers: [agent], parcel });
  const task = await listDigitalTask(shipper.client, shipper.signer, {
    ...goal(),
    title: `${HIDDEN}${MARKUP}`.slice(0, 200),
    description: LINES.slice(0, 4_000),
    legs: [{ instruction: ENDLESS.slice(0, 2_000) }],
  });
  await claim(agent, task, 0);
  await handIn(agent, task, 0, `${MARKUP}${MARKS}${'R'.repeat(100_000)}`);
  subjects = {
    parcel: await untilPackage(current, id, ({ status }) => status === 'delivered'),
    task: await untilTask(current, task.id, ({ status }) => status === 'completed'),
  };
});

/** Reports whether anything of a text became part of the page. */
const isHarmed = (page: Page) =>
  page.evaluate("globalThis.isHacked === 1 || document.querySelector('main img, main style, main script') !== null");

test('a zero in a text and marks in a name are refused', async () => {
  const { client, signer, pubkey } = await service.current.party();
  expect(await refusalOf(listPackage(client, signer, draft({ description: 'a\0b' })))).toMatchObject({ status: 400 });
  const displayName = `Ada${MARKS}`;
  expect(await refusalOf(client.registerAgent({ agentPubkey: pubkey, displayName }))).toMatchObject({ status: 400 });
});

describe.each([1360, 390])('at %i pixels', (width) => {
  test('(D-14, D-30) names, listings and results of any form are text: they break no page and run nothing', async () => {
    const visitor = await visit(browser.current, { width });
    expect(await faultsOfEveryPage(visitor, service.current, subjects)).toEqual([]);
    expect(await isHarmed(visitor.page)).toBe(false);
    const { url } = service.current.server;
    for (const path of [`/p/${subjects.parcel.id}`, `/t/${subjects.task.id}`, '/']) {
      await open(visitor, url + path);
      expect.soft(await isHarmed(visitor.page), path).toBe(false);
    }
    await visitor.context.close();
  });
});

describe('a node that lies', () => {
  const bodies: readonly (readonly [name: string, body: string])[] = [
    ['no JSON', MARKUP],
    ['another form', '{"jsonrpc":"2.0","id":1,"result":{"value":{"lamports":"many","data":7}}}'],
    ['an error of markup', JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32_000, message: MARKUP } })],
    ['nothing', JSON.stringify({ jsonrpc: '2.0', id: 1, result: null })],
  ];

  async function deceived(path: string, body: string): Promise<Visit> {
    const visitor = await visit(browser.current);
    const { rpcUrl } = service.current.ledger;
    await visitor.page.route(`${rpcUrl}/**`, (route) =>
      route.fulfill({ contentType: 'application/json', headers: { 'access-control-allow-origin': '*' }, body }),
    );
    await open(visitor, service.current.server.url + path);
    return visitor;
  }

  test.each(bodies)('(D-10) that answers %s makes nothing hold, and leaves the rest of the page', async (_, body) => {
    const { page, context } = await deceived(`/p/${subjects.parcel.id}`, body);
    await page.getByRole('button', { name: 'Check all on the ledger' }).click();
    await page.getByText(/could not run|differ$/).waitFor();
    const held = (await verdicts(page)).filter((said) => said.startsWith('Holds'));
    expect(held.filter((said) => !/^Holds: (Sums to|Same chain)/.test(said))).toEqual([]);
    expect(await isHarmed(page)).toBe(false);
    await page.getByRole('heading', { name: 'History' }).waitFor();
    await context.close();
  });

  test.each(bodies)('that answers %s leaves the pages of the ledger with a sentence', async (_, body) => {
    const [leg] = subjects.parcel.swarm?.legs ?? [];
    for (const path of [`/tx/${leg?.confirmSignature}`, `/account/${subjects.parcel.onChainPackage}`]) {
      const { page, context } = await deceived(path, body);
      await settled(page);
      expect(await isHarmed(page)).toBe(false);
      expect((await page.locator('main').innerText()).length).toBeGreaterThan(20);
      await context.close();
    }
  });
});
