import { PAGES, pagePath } from '@legwork/protocol/contract';
import { receiverOfWords, signPickup, verifyReceipts } from '@legwork/sdk';
import type { Page } from 'playwright-core';
import { afterEach, expect, test } from 'vitest';
import { at, type Cast, courier, legNow, listedWithTerms, move } from '../operations/turns/scene.js';
import { bidInput, untilPackage } from '../support/market.js';
import { type Party, withService } from '../support/service.js';
import { connect, press } from './acting.js';
import { type Phone, takePhone } from './phone.js';
import { seenCode } from './seenCode.js';
import { barriers, open, overhang } from './visit.js';
import { installWallet } from './wallet.js';

const service = withService();
const WORDS = 'canyon-lemon-orbit-puzzle-river-violin';
const WAYS = [
  ['zoo', 'alexanderplatz', 0.05],
  ['alexanderplatz', 'ostkreuz', 0.05],
] as const;

let phones: Phone[] = [];
afterEach(async () => {
  await Promise.all(phones.map(({ close }) => close()));
  phones = [];
});

/** @param minutes that its clock is ahead */
async function phone(minutes: number): Promise<Phone> {
  const one = await takePhone(minutes);
  phones.push(one);
  return one;
}

async function relay(): Promise<Cast> {
  const shipper = await service.current.party(3);
  const { address: receiverPubkey } = await receiverOfWords(WORDS, shipper.pubkey);
  const terms = { receiverPubkey, cosignedPickup: true };
  const listed = await listedWithTerms(service.current, terms, {}, shipper);
  const couriers = await Promise.all(WAYS.map(() => courier(service.current)));
  for (const [index, [from, to, cost]] of WAYS.entries()) {
    const one = at(couriers, index);
    await one.client.submitBid(bidInput(one, listed.parcel.id, from, to, cost));
  }
  const parcel = await untilPackage(service.current, listed.parcel.id, ({ status }) => status === 'in_transit');
  return { ...listed, parcel, couriers };
}

/** Opens the courier's page with its wallet connected. */
async function carrying(one: Phone, { signer }: Party): Promise<Page> {
  await installWallet(one.page, [signer]);
  await open(one, service.current.server.url + PAGES.courier);
  await connect(one.page);
  return one.page;
}

async function scan(one: Phone, button: string, code: string): Promise<void> {
  await one.see(code);
  await press(one.page, button);
}

test('two phones carry a parcel from code to code, the last one without a network, with clocks that are ten minutes wrong (D-80 to D-85, S-214)', async () => {
  const cast = await relay();
  const { parcel, shipper, couriers } = cast;
  const [one, two] = [await phone(10), await phone(-10)];
  const [first, second] = [await carrying(one, at(couriers, 0)), await carrying(two, at(couriers, 1))];
  for (const page of [first, second]) {
    await press(page, /^Accept, with a stake/u);
    await page.getByText('and get it back when the leg is paid').waitFor();
    await press(page, 'Yes, sign it');
  }
  await first.getByRole('heading', { name: 'My leg 1: accepted' }).waitFor();
  await second.getByText('The previous courier does not have the parcel yet').waitFor();
  expect([await barriers(first), await overhang(first)]).toEqual([[], 0]);

  // The shipper shows its code; the courier's camera sees it, and its phone sends it.
  const { id: legId, onChainLeg } = await legNow(service.current, parcel.id, 0);
  const { code: pickup } = await signPickup(shipper.client, shipper.signer, {
    packageId: parcel.id,
    legId,
    onChainLeg,
  });
  await scan(one, "Scan the shipper's code", pickup ?? '');
  await first.getByRole('heading', { name: 'My leg 1: in transit' }).waitFor();

  // The next courier notes a scratch, and pays the first.
  await second.getByLabel('What is wrong, if anything').fill('scratched');
  await press(second, 'I have it, with this note');
  await second.getByText('It pays courier 1 its').waitFor();
  await press(second, 'Yes, sign it');
  await second.getByRole('heading', { name: 'My leg 2: in transit' }).waitFor();

  // At the last door neither phone has a network.
  const three = await phone(10);
  await three.page.goto(`${service.current.server.url}${pagePath('track', parcel.id)}#${WORDS}`);
  await three.page.getByRole('button', { name: 'I have it, in good condition', disabled: false }).waitFor();
  await Promise.all([two.context.setOffline(true), three.context.setOffline(true)]);
  await press(three.page, 'I have it, in good condition');
  await press(three.page, 'Yes, I have it');
  await scan(two, 'Scan a code', await seenCode(three.page));
  await second.getByRole('heading', { name: 'Waiting to be sent' }).waitFor();
  await second.getByText('There is no network. The code is saved here').waitFor();
  expect((await legNow(service.current, parcel.id, 1)).stage).toBe('carried');
  await two.context.setOffline(false);
  await press(second, 'Send it now');
  await untilPackage(service.current, parcel.id, ({ status }) => status === 'delivered');
  const { receipts } = await shipper.client.getPackageReceipts({ packageId: parcel.id });
  expect(receipts.map(({ said, condition }) => `${said} ${condition}`)).toEqual([
    'picked up as described',
    'taken over noted',
    'received as described',
  ]);
  const { firstNoted } = await verifyReceipts(receipts, { rpc: service.current.rpc });
  expect(firstNoted?.heldBy).toBe(at(couriers, 0).pubkey);
});

test('a courier whose wallet signs no messages takes over by a transaction, and cannot note anything (D-85)', async () => {
  const { parcel, couriers, shipper } = await relay();
  const [first, second] = [at(couriers, 0), at(couriers, 1)];
  for (const [index, one] of [first, second].entries()) await move(service.current, { parcel }, index, one, 'accept');
  await move(service.current, { parcel }, 0, first, 'take', { with: [shipper] });
  const one = await phone(0);
  await installWallet(one.page, [second.signer], { isSilent: true });
  await open(one, service.current.server.url + PAGES.courier);
  await connect(one.page);
  await one.page.getByLabel('What is wrong, if anything').fill('scratched');
  await press(one.page, 'I have it, with this note');
  await press(one.page, 'Yes, sign it');
  await one.page.getByText('This wallet cannot sign messages, and a note needs one').waitFor();
  await one.page.getByLabel('What is wrong, if anything').fill('');
  // The question stands there still.
  await press(one.page, 'Yes, sign it');
  await one.page.getByRole('heading', { name: 'My leg 2: in transit' }).waitFor();
  expect((await legNow(service.current, parcel.id, 0)).stage).toBe('completed');
});
