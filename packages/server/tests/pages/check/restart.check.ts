import { createLegworkClient, listPackage } from '@legwork/sdk';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { RunningServer } from '../../../src/startServer.js';
import { draft } from '../../support/market.js';
import { withService } from '../../support/service.js';
import { withBrowser } from '../browser.js';
import { open, type Visit, visit } from '../visit.js';
import { Front } from '../front.js';

const browser = withBrowser();
const service = withService();
let replica: RunningServer;
let front: Front;
let visitor: Visit;

beforeAll(async () => {
  replica = await service.current.replica();
  front = await Front.start(() => service.current.server.url);
});
afterAll(async () => {
  await front.close();
  await replica.close();
});

beforeEach(async () => {
  visitor = await visit(browser.current);
  await open(visitor, front.url);
  await stateOf(visitor.page, 'Live');
  return () => visitor.context.close();
});

const stateOf = (page: Page, says: string | RegExp) =>
  page.getByRole('status').filter({ hasText: says }).first().waitFor();

/** Lists a package by another process of the same service. */
async function listElsewhere(description: string): Promise<void> {
  const { signer } = await service.current.party();
  await listPackage(createLegworkClient({ url: replica.url, signer }), signer, draft({ description }));
}

/** The ticker's entries, newest first, by the titles of their listings. */
const told = (page: Page) => page.getByRole('log').getByRole('listitem').getByRole('link').allTextContents();

/** The log's entries, newest first. */
async function logged(): Promise<(string | undefined)[]> {
  const { db } = service.current;
  const packages = await db.selectFrom('packages').select(['id', 'description']).execute();
  const titles = new Map(packages.map(({ id, description }) => [`package:${id}`, description]));
  const events = await db
    .selectFrom('events')
    .select('subject')
    .where('seq', 'is not', null)
    .orderBy('seq', 'desc')
    .execute();
  return events.map(({ subject }) => titles.get(subject));
}

/** The ticker's entries once the newest is there. */
async function toldUntil(newest: string): Promise<string[]> {
  await expect.poll(async () => (await told(visitor.page))[0]).toBe(newest);
  return told(visitor.page);
}

test('(D-5) what happens through another replica is told at once', async () => {
  await listElsewhere('through the other replica');
  expect(await toldUntil('through the other replica')).toEqual(await logged());
});

test('(D-5, D-9) a service that is killed is said to be away; once it is back, what happened meanwhile is told, once each', async () => {
  front.cut();
  await stateOf(visitor.page, /^Offline, as of /);
  for (const description of ['while it was away', 'a second one']) await listElsewhere(description);
  expect(await told(visitor.page)).not.toContain('while it was away');
  front.mend();
  await stateOf(visitor.page, 'Live');
  expect(await toldUntil('a second one')).toEqual(await logged());
});

test('(D-5, D-9) so it is when it is stopped and started again', async () => {
  await service.current.stop();
  await listElsewhere('while it was stopped');
  await stateOf(visitor.page, /^Offline, as of /);
  await service.current.restart();
  await stateOf(visitor.page, 'Live');
  expect(await toldUntil('while it was stopped')).toEqual(await logged());
});

test('(D-5) what is cut again and again tells nothing twice', async () => {
  for (let cut = 0; cut < 5; cut += 1) {
    front.cut();
    await listElsewhere(`after cut ${cut}`);
    front.mend();
    await expect.poll(async () => (await told(visitor.page))[0]).toBe(`after cut ${cut}`);
  }
  expect(await toldUntil('after cut 4')).toEqual(await logged());
});
