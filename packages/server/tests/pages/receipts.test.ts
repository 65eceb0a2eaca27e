import { readFile } from 'node:fs/promises';
import { pagePath } from '@legwork/protocol/contract';
import { type PackageDetail, papersOf, papersOfAnswer, type Receipt } from '@legwork/sdk';
import type { Locator } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { postedTask } from '../operations/digitalTasks/scene.js';
import { withService } from '../support/service.js';
import { theFirst } from '../support/theFirst.js';
import { savedFrom, withVisitors } from './acting.js';
import { checkedReceipts, delivered, formedRelay, shownReceipts } from './scene.js';
import { barriers, overhang, verdicts, type Visit } from './visit.js';

const service = withService();
const { visitor, goTo } = withVisitors(service);
let parcel: PackageDetail;

beforeAll(async () => {
  parcel = await formedRelay(service.current, 'a box of books').then((relay) => delivered(service.current, relay));
});

/** The handoffs of the package, once they are shown. */
async function handoffs(one: Visit): Promise<Locator> {
  return shownReceipts(await goTo(one, pagePath('package', parcel.id)));
}

test.each([
  { theme: 'dark', width: 1440 },
  { theme: 'light', width: 1440 },
  { theme: 'light', width: 390 },
  { theme: 'dark', width: 360 },
] as const)(
  '(D-30, D-52) a handoff says who gave it to whom and what was noted, when it is asked for: $theme, $width',
  async (looks) => {
    const one = await visitor([], undefined, looks);
    const panel = await handoffs(one);
    const [first, second, ...others] = await panel.getByRole('listitem').allInnerTexts();
    expect(others).toEqual([]);
    expect(first).toMatch(
      /Taken over\s+end of leg 1[^]*condition not stated: a transaction without a signed text[^]*slot \d+/,
    );
    expect(second).toMatch(/Received\s+end of leg 2[^]*with a note\s+c0c0…[^]*first noted here; until then .* had it/);
    expect(await verdicts(panel)).toEqual([]);
    expect([...one.hosts]).toEqual([new URL(service.current.server.url).host]);
    expect(await checkedReceipts(panel)).toBe('Holds: 1 of 2 signed, 2 on the ledger');
    expect(await overhang(one.page)).toBe(0);
    expect(await barriers(one.page)).toEqual([]);
    expect(one.complaints).toEqual([]);
    const saved = await savedFrom(one.page, 'Download');
    const { receipts } = await (await service.current.party(0)).client.getPackageReceipts({ packageId: parcel.id });
    expect(JSON.parse(saved.text)).toEqual(receipts);
  },
);

test('(D-111) papers are saved from the page of a package and of a task, by whoever reads it, and are what was signed for', async () => {
  const { task } = await postedTask(service.current);
  const one = await visitor([]);
  for (const [kind, listing] of [
    ['package', parcel],
    ['task', task],
  ] as const) {
    const page = await goTo(one, pagePath(kind, listing.id));
    const link = page.getByRole('link', { name: 'Papers' });
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
    expect(download.suggestedFilename()).toBe(`${listing.id}.papers.json`);
    const saved: unknown = JSON.parse(await readFile(await download.path(), 'utf8'));
    expect(papersOfAnswer(saved)).toEqual(papersOf(listing));
  }
  expect(one.complaints).toEqual([]);
});

type Change = (first: Receipt, last: Receipt) => Receipt[];

test.each<[what: string, change: Change, differs: RegExp]>([
  [
    'a damage that was taken out',
    (first, last) => [first, { ...last, condition: 'as described', hash: null }],
    /Receipt 2: its text says something else, another condition/,
  ],
  ['the last one left out', (first) => [first], /Leg 2 was confirmed but has no receipt/],
  [
    'another listing',
    (first, last) => [first, last].map((one) => ({ ...one, listing: first.from })),
    /Receipt 1 is about another listing than this page/,
  ],
  [
    'another transaction',
    (first, last) => [{ ...first, landed: last.landed }, last],
    /Receipt 1: transaction .* is not this handoff/,
  ],
])('(D-52) receipts with %s do not hold, and the page says where', async (_, change, differs) => {
  const one = await visitor([]);
  await one.page.route('**/receipts', async (route) => {
    const response = await route.fetch();
    const answer: { receipts: Receipt[] } = await response.json();
    const [first, last] = [theFirst(answer.receipts), theFirst(answer.receipts.toReversed())];
    await route.fulfill({ response, json: { ...answer, receipts: change(first, last) } });
  });
  expect(await checkedReceipts(await handoffs(one))).toMatch(differs);
});

test('(D-16, D-52) receipts that no node was asked about are neither true nor false', async () => {
  const one = await visitor([]);
  const panel = await handoffs(one);
  await one.page.route(service.current.ledger.rpcUrl, (route) => route.abort());
  await panel.getByRole('button', { name: 'Check these receipts' }).click();
  await panel.getByText(/^Not checked: /).waitFor();
  expect(await verdicts(panel)).toEqual([]);
});
