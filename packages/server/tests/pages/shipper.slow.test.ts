import { pagePath, PAGES } from '@legwork/protocol/contract';
import {
  cancelPackage,
  createLegworkClient,
  type PackageDetail,
  readHandoff,
  readHandoffCode,
  receiverOfWords,
  reclaimPackage,
  signHandoff,
  submitHandoff,
} from '@legwork/sdk';
import { generateKeyPairSigner } from '@solana/kit';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { at, carryTo, courier, listedWithTerms, move } from '../operations/turns/scene.js';
import { bidInput, untilPackage } from '../support/market.js';
import { type Party, withService } from '../support/service.js';
import { connect, press, told, withVisitors } from './acting.js';
import { seenCode } from './seenCode.js';
import { barriers, overhang, settled, type Visit } from './visit.js';

const ARBITER = await generateKeyPairSigner();
const service = withService({ settings: (usual) => ({ ...usual, ARBITER_PUBKEY: ARBITER.address }) });
const { visitor, goTo } = withVisitors(service);

const packagesOf = async ({ client, pubkey }: Party) => (await client.listPackages({ shipper: pubkey })).items;
const from = (page: Page) => page.getByRole('combobox', { name: 'From' });
const to = (page: Page) => page.getByRole('combobox', { name: 'To', exact: true });

/** Chooses the first place of a name as a keyboard does. */
async function name(page: Page, field: ReturnType<typeof from>, text: string): Promise<void> {
  await field.fill(text);
  await page.getByRole('option').first().waitFor();
  await field.press('Enter');
}

/** Fills in the form at `/post`. */
async function fillIn(page: Page, receives = 'Somebody with a phone'): Promise<void> {
  await page.getByLabel('What it is').fill('a violin in its case');
  await name(page, from(page), 'Charlottenburg, Berlin');
  await name(page, to(page), 'Friedrichshain, Berlin');
  await page.getByRole('textbox', { name: 'Weight' }).fill('2,5');
  await page.getByRole('textbox', { name: 'Volume' }).fill('30');
  await page.getByRole('textbox', { name: 'Budget' }).fill('0.3');
  await page.getByRole('radio', { name: receives }).check();
}

async function posting(one: Visit, receives?: string): Promise<Page> {
  const page = await goTo(one, PAGES.post);
  await connect(page);
  await fillIn(page, receives);
  return page;
}

/** The words behind the `#` of the link that a page shows. */
async function linkOf(page: Page): Promise<{ readonly link: string; readonly words: string }> {
  const link = await page.getByText(/\/track\/.+#\w+-/u).innerText();
  return { link, words: link.split('#')[1] ?? '' };
}

/** One courier bids on the whole way, and has it. */
async function carriedBy(one: Party, { id }: Pick<PackageDetail, 'id'>): Promise<PackageDetail> {
  const { originLat, originLng, destLat, destLng } = await one.client.getPackage({ packageId: id });
  const places = { pickupLat: originLat, pickupLng: originLng, dropoffLat: destLat, dropoffLng: destLng };
  await one.client.submitBid({ ...bidInput(one, id, 'zoo', 'ostkreuz', 0.1), ...places });
  return untilPackage(service.current, id, ({ status }) => status === 'in_transit');
}

/** Everything that the browser sends anywhere. */
function sentBy({ page }: Visit): string[] {
  const sent: string[] = [];
  page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`));
  return sent;
}

test('a shipper posts from a phone with names of places and a link for who receives it, and hands it over by a code (D-87, D-90, D-93)', async () => {
  const [shipper, carrier] = [await service.current.party(3), await courier(service.current)];
  const one = await visitor([shipper], undefined, { width: 360 });
  const sent = sentBy(one);
  const page = await posting(one);
  await page.getByText('Each courier locks 0.06 SOL of its own').waitFor();
  expect([await barriers(page), await overhang(page)]).toEqual([[], 0]);
  await press(page, 'Sign and list it');
  await page.getByRole('heading', { level: 1, name: 'a violin in its case' }).waitFor();
  const { link, words } = await linkOf(page);
  const [listed] = await packagesOf(shipper);
  if (!listed) throw new Error('nothing is listed');
  expect(link).toContain(pagePath('track', listed.id));
  expect(listed.terms?.receiverPubkey).toBe((await receiverOfWords(words, shipper.pubkey)).address);
  expect([await barriers(page), await overhang(page)]).toEqual([[], 0]);

  // The receiver opens the link; its words went nowhere else.
  const other = await visitor([], undefined, { width: 360 });
  await other.page.goto(link);
  await other.page.getByRole('heading', { name: 'Nobody has it yet' }).waitFor();
  const secret = words.split('-');
  expect(sent.filter((text) => text.includes(words) || secret.every((word) => text.includes(word)))).toEqual([]);

  // The page tells where it stands by itself, and what the courier's camera is to see.
  const parcel = await carriedBy(carrier, listed);
  await page.getByText('The courier of the first leg has not accepted yet').waitFor();
  await move(service.current, { parcel }, 0, carrier, 'accept');
  await press(page, 'Hand it over');
  await page.getByText('Do not let it go yet.').waitFor();
  expect([await barriers(page), await overhang(page)]).toEqual([[], 0]);
  const signed = await readHandoffCode(await seenCode(page));
  if (signed === undefined) throw new Error('this is no handoff');
  await submitHandoff(carrier.client, carrier.signer, signed);
  await page.getByText('now let it go').waitFor();

  // Loaded again, this browser still has the link, and says why there is no way out now.
  await goTo(one, PAGES.turns);
  await connect(page);
  const mine = page.getByRole('region', { name: 'My packages' });
  await mine.getByText('What is left can be taken back from its deadline on').waitFor();
  await mine.getByText("The receiver's link").click();
  expect((await linkOf(page)).link).toBe(link);
  expect([await barriers(page), await overhang(page)]).toEqual([[], 0]);
  expect(one.complaints).toEqual([]);
});

describe('the way out (D-94)', () => {
  test('of what nobody carries yet is asked back with what comes back, and leaves nothing', async () => {
    const shipper = await service.current.party(3);
    const page = await posting(await visitor([shipper], undefined, { width: 390, theme: 'dark' }), 'I do');
    await press(page, 'Sign and list it');
    await page.getByRole('heading', { level: 1, name: 'a violin in its case' }).waitFor();
    await press(page, 'Cancel it');
    await page.getByText('0.3 SOL come back to you out of the escrow').waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toBe('No, not now');
    await press(page, 'No, not now');
    expect((await packagesOf(shipper))[0]).toMatchObject({ status: 'listed' });
    await press(page, 'Cancel it');
    await press(page, 'Yes, sign it');
    await page.getByText(/^Cancelled before anybody carried it/).waitFor();
    expect(await packagesOf(shipper)).toMatchObject([{ status: 'failed', failureReason: 'cancelled' }]);
    expect(await page.getByRole('button', { name: 'Cancel it' }).count()).toBe(0);
  });

  test('of what a courier has is there from the deadline on, with its stake', async () => {
    const [shipper, carrier] = [await service.current.party(3), await courier(service.current)];
    const one = await visitor([shipper], undefined, { width: 360 });
    const page = await posting(one, 'I do');
    await page.getByRole('textbox', { name: 'Deadline' }).fill('24');
    await press(page, 'Sign and list it');
    await page.getByRole('heading', { level: 1, name: 'a violin in its case' }).waitFor();
    const [listed] = await packagesOf(shipper);
    if (!listed) throw new Error('nothing is listed');
    const parcel = await carriedBy(carrier, listed);
    await press(page, 'Take back what is left');
    await page.getByText('0.3 SOL come back to you out of the escrow. ').waitFor();
    await press(page, 'No, not now');
    await move(service.current, { parcel }, 0, carrier, 'accept');
    await move(service.current, { parcel }, 0, carrier, 'take', { with: [shipper] });
    await page.getByText('A courier is at work on it').waitFor();

    await service.current.advanceTime(25 * 3600);
    await page.clock.setFixedTime(Date.now() + 25 * 3_600_000);
    await press(page, 'Take back what is left');
    await page.getByText('and the stake of who has it, 0.06 SOL').waitFor();
    await press(page, 'Yes, sign it');
    await untilPackage(service.current, listed.id, ({ failureReason }) => failureReason === 'reclaimed');
    // The whole budget, and the stake that the courier lost.
    const { movements } = await shipper.client.getPackageMoney({ packageId: listed.id });
    const back = movements.filter((one) => one.to === shipper.pubkey).reduce((sum, { lamports }) => sum + lamports, 0n);
    expect(back).toBe(360_000_000n);
    await page.getByText(/^Reclaimed with no leg done/).waitFor();
  });
});

test('a poster cancels its own digital task where it reads all of its own (D-93, D-94)', async () => {
  const poster = await service.current.party(2);
  const one = await visitor([poster], undefined, { width: 360, theme: 'dark' });
  const page = await goTo(one, `${PAGES.post}?kind=task`);
  await connect(page);
  await page.getByRole('textbox', { name: 'Title' }).fill('Sum up the feedback');
  await page.getByRole('textbox', { name: 'The whole goal' }).fill('Group the feedback, then sum it up.');
  await page.getByRole('textbox', { name: 'Leg 1' }).fill('Group it by topic.');
  await page.getByRole('textbox', { name: 'Budget' }).fill('0.1');
  expect(await page.getByRole('radio', { name: 'Somebody with a phone' }).count()).toBe(0);
  await press(page, 'Sign and list it');
  await page.getByRole('heading', { level: 1, name: 'Sum up the feedback' }).waitFor();
  await page.getByRole('region', { name: 'Yours' }).getByRole('button', { name: 'Cancel it' }).waitFor();
  await goTo(one, PAGES.turns);
  await connect(page);
  await page.getByText('This key has posted no package.').waitFor();
  const mine = page.getByRole('region', { name: 'My digital tasks' });
  await mine.getByRole('button', { name: 'Cancel it' }).click();
  await mine.getByText('0.1 SOL come back to you out of the escrow').waitFor();
  expect([await barriers(page), await overhang(page)]).toEqual([[], 0]);
  await press(page, 'Yes, sign it');
  await mine.getByText('Cancelled', { exact: true }).waitFor();
  expect((await poster.client.listDigitalTasks({ shipper: poster.pubkey })).items).toMatchObject([
    { status: 'failed', failureReason: 'cancelled' },
  ]);
});

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
  await page.getByText(/^The like costs 0\.\d+ SOL, mostly .* What is left comes back\.$/u).waitFor();
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
  await page.getByText(/^The like costs/u).waitFor();
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
    expect(await page.getByLabel('What it is').inputValue()).toBe('a violin in its case');
    await connect(page);
    await page.route('**/packages', (route) =>
      route.request().method() === 'POST' ? route.abort() : route.continue(),
    );
    await press(page, 'Sign and list it');
    await page.getByText('You have signed it, and no answer came').waitFor();
    expect(await page.getByLabel('What it is').isDisabled()).toBe(true);
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
    expect(await second.getByLabel('What it is').inputValue()).toBe('');
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
    await page.getByLabel('What it is').fill('<img src=x onerror=alert(1)><b>bold</b>');
    await from(page).fill('Xyzzyville');
    await page.getByText('No place of this name is known here').waitFor();
    await press(page, 'Sign and list it');
    const id = await from(page).getAttribute('aria-describedby');
    expect(await page.locator(`[id="${id}"]`).innerText()).toMatch(/^Choose one of the places that are found/);
    await fillIn(page);
    await page.getByLabel('What it is').fill('<img src=x onerror=alert(1)><b>bold</b>');
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
  await press(page, 'Use where I am as To');
  await page.getByText('52.4765, 13.4235').waitFor();
  expect(await page.evaluate("localStorage.getItem('legwork-place')")).toBe(
    '{"name":"Where I am","lat":52.48,"lng":13.42}',
  );
});

test('who finds the link of a receiver can pay the last courier once it is its turn, and do nothing else (D-90)', async () => {
  const words = 'canyon-lemon-orbit-puzzle-river-violin';
  const shipper = await service.current.party(3);
  const thief = await receiverOfWords(words, shipper.pubkey);
  const listed = await listedWithTerms(service.current, { receiverPubkey: thief.address }, {}, shipper);
  const { id: packageId } = listed.parcel;
  const { rpc } = service.current;
  const client = createLegworkClient({ url: service.current.server.url, signer: thief });
  await expect(cancelPackage(client, rpc, thief, packageId)).rejects.toThrow(/signs|is at|signature/);
  const couriers = await Promise.all([0, 1].map(() => courier(service.current)));
  const [first, last] = [at(couriers, 0), at(couriers, 1)];
  await first.client.submitBid(bidInput(first, packageId, 'zoo', 'alexanderplatz', 0.05));
  await last.client.submitBid(bidInput(last, packageId, 'alexanderplatz', 'ostkreuz', 0.05));
  const parcel = await untilPackage(service.current, packageId, ({ status }) => status === 'in_transit');
  const cast = { ...listed, parcel, couriers };
  await carryTo(service.current, cast, 0);
  await expect(reclaimPackage(client, rpc, thief, packageId)).rejects.toThrow();

  // Another courier's leg is not its to sign for, nor the last one before its turn.
  const signed = async (legIndex: number) => {
    const ahead = await readHandoff(client, thief.address, { packageId, legIndex });
    return submitHandoff(last.client, last.signer, await signHandoff(thief, ahead));
  };
  await expect(signed(0)).rejects.toThrow();
  await expect(signed(1)).rejects.toThrow();
  expect((await client.getPackageMoney({ packageId })).movements.map(({ what }) => what)).not.toContain('payment');

  await move(service.current, cast, 0, last, 'confirm');
  await signed(1);
  await untilPackage(service.current, packageId, ({ status }) => status === 'delivered');
  const { movements } = await client.getPackageMoney({ packageId });
  expect(movements.filter((one) => one.to === thief.address)).toEqual([]);
  const paid = movements.filter(({ what }) => what === 'payment');
  expect(paid.map(({ to: payee, lamports }) => [payee, lamports])).toEqual(
    parcel.swarm?.legs.map(({ agentPubkey, agreedPaymentLamports }) => [agentPubkey, agreedPaymentLamports]),
  );
});
