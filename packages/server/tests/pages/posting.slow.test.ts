import { PAGES } from '@legwork/protocol/contract';
import { receiverOfWords } from '@legwork/sdk';
import { generateKeyPairSigner } from '@solana/kit';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { carryTo, courier, listedWithTerms, move } from '../operations/turns/scene.js';
import { bidInput, untilPackage } from '../support/market.js';
import { withService } from '../support/service.js';
import { connect, press, told, withVisitors } from './acting.js';
import { fillIn, from, linkOf, name, packagesOf, to } from './posting.js';
import { barriers, overhang, settled, type Visit } from './visit.js';

const ARBITER = await generateKeyPairSigner();
const service = withService({ settings: (usual) => ({ ...usual, ARBITER_PUBKEY: ARBITER.address }) });
const { visitor, goTo } = withVisitors(service);

async function posting(one: Visit, receives?: string): Promise<Page> {
  const page = await goTo(one, PAGES.post);
  await connect(page);
  await fillIn(page, receives);
  return page;
}

/** A package that one courier brought. @returns what it paid, lamports */
async function paidFor(): Promise<bigint> {
  const listed = await listedWithTerms(service.current);
  const one = await courier(service.current);
  await one.client.submitBid(bidInput(one, listed.parcel.id, 'zoo', 'ostkreuz', 0.1));
  const parcel = await untilPackage(service.current, listed.parcel.id, ({ status }) => status === 'in_transit');
  const cast = { ...listed, parcel, couriers: [one] };
  await carryTo(service.current, cast, 0);
  await move(service.current, cast, 0, listed.shipper, 'confirm');
  const { swarm } = await untilPackage(service.current, parcel.id, ({ status }) => status === 'delivered');
  return swarm?.legs[0]?.agreedPaymentLamports ?? 0n;
}

test('the budget is what the like was paid at most, until a person sets another (D-89)', async () => {
  const paid = await paidFor();
  const page = await posting(await visitor([await service.current.party(1)], undefined, { width: 360 }), 'I do');
  const budget = page.getByRole('textbox', { name: 'Budget' });
  await page.getByText(/^Similar ones cost 0\.\d+ SOL, mostly .* What is left comes back\.$/u).waitFor();
  expect(await budget.inputValue()).toBe('0.3');
  await page.evaluate('sessionStorage.clear()');
  await page.reload();
  await name(page, from(page), 'Charlottenburg, Berlin');
  await name(page, to(page), 'Friedrichshain, Berlin');
  await page.getByRole('textbox', { name: 'Weight' }).fill('2.5');
  await expect.poll(() => budget.inputValue()).toMatch(/^0\.\d{1,4}$/u);
  expect(Number(await budget.inputValue())).toBeGreaterThanOrEqual(Number(paid) / 1e9);
  await budget.fill('');
  await page.getByRole('textbox', { name: 'Weight' }).fill('3');
  await page.getByText(/^Similar ones cost/u).waitFor();
  expect(await budget.inputValue()).toBe('');
});

describe('nothing that was typed is lost, and nothing is paid twice (D-91, D-92)', () => {
  test('while the service is away in the middle, the page is loaded again, and another tab does the same', async () => {
    const shipper = await service.current.party(3);
    const one = await visitor([shipper], undefined, { width: 360 });
    const page = await posting(one);
    await page.reload();
    await settled(page);
    expect(await from(page).inputValue()).toBe('Charlottenburg, Berlin');
    expect(await page.getByLabel('Description').inputValue()).toBe('a violin in its case');
    await connect(page);
    await page.route('**/packages', (route) =>
      route.request().method() === 'POST' ? route.abort() : route.continue(),
    );
    await press(page, 'Sign and list it');
    await page.getByText('You signed it, but no answer came').waitFor();
    expect(await page.getByLabel('Description').isDisabled()).toBe(true);
    expect([await barriers(page), await overhang(page)]).toEqual([[], 0]);
    expect(await packagesOf(shipper)).toEqual([]);
    const kept = String(await page.evaluate('JSON.stringify(sessionStorage)'));
    await page.unroute('**/packages');
    await page.reload();
    await settled(page);
    await press(page, 'Send it again');
    await page.getByRole('heading', { level: 1, name: 'a violin in its case' }).waitFor();
    const { link } = await linkOf(page);

    // A tab that was duplicated before has signed the same.
    const second = await one.context.newPage();
    await second.goto(service.current.server.url + PAGES.post);
    await second.evaluate(`for (const [name, text] of Object.entries(${kept})) sessionStorage.setItem(name, text)`);
    await second.reload();
    await press(second, 'Send it again');
    await second.getByRole('heading', { level: 1, name: 'a violin in its case' }).waitFor();
    expect(await packagesOf(shipper)).toHaveLength(1);
    expect((await linkOf(second)).link).toBe(link);
    // The next form begins empty.
    await second.goto(service.current.server.url + PAGES.post);
    expect(await second.getByLabel('Description').inputValue()).toBe('');
  });

  test('where the browser is full: the link is to be copied before anything is listed', async () => {
    const shipper = await service.current.party(3);
    const one = await visitor([shipper], undefined, { width: 360, theme: 'dark' });
    await one.page.addInitScript(
      "IDBObjectStore.prototype.put = () => { throw new DOMException('full', 'QuotaExceededError'); }",
    );
    const page = await posting(one);
    await press(page, 'Sign and list it');
    await page.getByText('This browser could not keep the receiver').waitFor();
    expect([await barriers(page), await overhang(page)]).toEqual([[], 0]);
    expect(await packagesOf(shipper)).toEqual([]);
    const { words } = await linkOf(page);
    await press(page, 'I have copied the link: list it');
    await page.getByRole('heading', { level: 1, name: 'a violin in its case' }).waitFor();
    const [listed] = await packagesOf(shipper);
    expect(listed?.terms?.receiverPubkey).toBe((await receiverOfWords(words, shipper.pubkey)).address);
  });

  test('a place that is not known, a wallet that is not there, and a description with markup', async () => {
    const page = await goTo(await visitor([await service.current.party(1)], undefined, { width: 360 }), PAGES.post);
    await page.getByLabel('Description').fill('<img src=x onerror=alert(1)><b>bold</b>');
    await from(page).fill('Xyzzyville');
    await page.getByText('No place with this name is known here').waitFor();
    await press(page, 'Sign and list it');
    const id = await from(page).getAttribute('aria-describedby');
    expect(await page.locator(`[id="${id}"]`).innerText()).toMatch(/^Choose one of the places found/);
    await fillIn(page);
    await page.getByLabel('Description').fill('<img src=x onerror=alert(1)><b>bold</b>');
    await press(page, 'Sign and list it');
    expect(await told(page)).toBe('Connect the wallet that pays for it.');
    await connect(page);
    await press(page, 'Sign and list it');
    await page.getByRole('heading', { level: 1, name: '<img src=x onerror=alert(1)><b>bold</b>' }).waitFor();
    expect(await page.locator('main img[src="x"]').count()).toBe(0);
  });
});

test('a place is chosen by keyboard, by a pin and by where the device is (D-86, D-87, D-88)', async () => {
  const one = await visitor([], undefined, { width: 360 });
  const page = await goTo(one, PAGES.post);
  await from(page).fill('San');
  await page.getByRole('option').nth(1).waitFor();
  expect(await from(page).getAttribute('aria-expanded')).toBe('true');
  const active = () => from(page).getAttribute('aria-activedescendant');
  const first = await active();
  await from(page).press('ArrowDown');
  expect(await active()).not.toBe(first);
  await from(page).press('ArrowUp');
  expect(await active()).toBe(first);
  await from(page).press('Escape');
  expect(await page.getByRole('option').count()).toBe(0);
  expect(await from(page).inputValue()).toBe('San');
  await name(page, from(page), 'Berlin');
  const degrees = page.getByText(/^52\.\d{4}, 13\.\d{4}$/u);
  const before = await degrees.innerText();

  await press(page, 'Set a pin of From');
  const map = page.getByRole('region', { name: /^Map: move it/u });
  await map.press('ArrowRight');
  await expect.poll(() => degrees.innerText()).not.toBe(before);
  expect([await barriers(page), await overhang(page)]).toEqual([[], 0]);

  await one.context.grantPermissions(['geolocation']);
  await one.context.setGeolocation({ latitude: 52.476_543, longitude: 13.423_456 });
  await press(page, 'Use my location as To');
  await page.getByText('52.4765, 13.4235').waitFor();
  expect(await page.evaluate("localStorage.getItem('legwork-place')")).toBe(
    '{"name":"My location","lat":52.48,"lng":13.42}',
  );
});

test('a browser without WebGL says that it has no map, and its field works alone (D-88)', async () => {
  const one = await visitor([], undefined, { width: 360 });
  await one.page.addInitScript(`{
    const { getContext } = HTMLCanvasElement.prototype;
    HTMLCanvasElement.prototype.getContext = function (kind, ...others) {
      return kind.startsWith('webgl') ? null : getContext.call(this, kind, ...others);
    };
  }`);
  const page = await goTo(one, PAGES.post);
  await press(page, 'Set a pin of From');
  await page.getByText('This browser cannot show the map.').waitFor();
  await name(page, from(page), 'Neukölln, Berlin');
  expect(await from(page).inputValue()).toBe('Neukölln, Berlin');
  expect([await barriers(page), await overhang(page)]).toEqual([[], 0]);
});
