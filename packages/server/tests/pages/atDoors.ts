import { pagePath, PAGES } from '@legwork/protocol/contract';
import { receiverOfWords } from '@legwork/sdk';
import { expect } from 'vitest';
import { at, carryTo, type Cast, courier, formedWithTerms, listedWithTerms, move } from '../operations/turns/scene.js';
import { bidInput, untilPackage } from '../support/market.js';
import type { Journeys } from './keyboard.slow.test.js';
import type { Reader } from './reader.js';
import { formedRelay } from './scene.js';
import { seenCode } from './seenCode.js';

const WORDS = 'canyon-lemon-orbit-puzzle-river-violin';

/** A package with a courier for each of these ways, received by who knows the words. */
async function relay(
  { service }: Journeys,
  ways: readonly (readonly ['zoo' | 'alexanderplatz', 'alexanderplatz' | 'ostkreuz'])[],
): Promise<Cast> {
  const shipper = await service.party(3);
  const { address: receiverPubkey } = await receiverOfWords(WORDS, shipper.pubkey);
  const terms = { receiverPubkey, cosignedPickup: true };
  const listed = await listedWithTerms(service, terms, { description: 'a harp by keyboard' }, shipper);
  const couriers = await Promise.all(ways.map(() => courier(service)));
  for (const [index, [from, to]] of ways.entries()) {
    const one = at(couriers, index);
    await one.client.submitBid(bidInput(one, listed.parcel.id, from, to, 0.05));
  }
  const parcel = await untilPackage(service, listed.parcel.id, ({ status }) => status === 'in_transit');
  return { ...listed, parcel, couriers };
}

/** Gives a code as a text, as somebody does whose camera does not work. */
async function giveCode(reader: Reader, code: string): Promise<void> {
  await reader.press('Camera not working?', 'Enter', 'disclosuretriangle');
  await reader.type('The code as text', code);
  await reader.press('Use this text');
}

/** The shipper hands over by a code; its courier takes it, and the next one takes over. */
export async function handOver(journeys: Journeys): Promise<Reader[]> {
  const { service, reading, connect } = journeys;
  const cast = await relay(journeys, [
    ['zoo', 'alexanderplatz'],
    ['alexanderplatz', 'ostkreuz'],
  ]);
  const [first, second] = [at(cast.couriers, 0), at(cast.couriers, 1)];
  for (const [index, one] of [first, second].entries()) await move(service, cast, index, one, 'accept');

  const shipper = await reading([cast.shipper], PAGES.turns);
  await connect(shipper);
  await shipper.press('Hand it over');
  await shipper.hears('Do not let the parcel go yet.');
  await shipper.kept('after the code came');
  const code = await seenCode(shipper.page);

  const carrier = await reading([first], PAGES.courier);
  await connect(carrier);
  await giveCode(carrier, code);
  await carrier.hears('Sent. It is on the ledger, and the parcel is yours to carry.');
  await carrier.kept('after the pickup');
  await shipper.hears('The courier has the parcel.');
  await shipper.outlined('the turns of a shipper');
  await carrier.outlined('the courier who has it');

  const taker = await reading([second], PAGES.courier);
  await connect(taker);
  await taker.type('What is wrong, if anything', 'scratched');
  await taker.press('I have it, with this note');
  await taker.asked('I have it, with this note', /It pays courier 1 its 0\.\d+ SOL/u);
  await taker.page.keyboard.press('Escape');
  await taker.press('I have it, with this note');
  const yes = await taker.press('Yes, sign it');
  expect(yes.description).toMatch(/pays courier 1 its 0\.\d+ SOL/u);
  await taker.hears('the previous courier is paid');
  await taker.page.getByRole('heading', { name: 'My leg 2: in transit' }).waitFor();
  await taker.kept('after it was taken over');
  await taker.outlined('the courier who took it over');
  return [shipper, carrier, taker];
}

/** A receiver signs at the door. */
export async function sign(journeys: Journeys): Promise<Reader[]> {
  const { service, reading, connect } = journeys;
  const cast = await relay(journeys, [['zoo', 'ostkreuz']]);
  await move(service, cast, 0, at(cast.couriers, 0), 'accept');
  await move(service, cast, 0, at(cast.couriers, 0), 'take', { with: [cast.shipper] });
  const reader = await reading([], `${pagePath('track', cast.parcel.id)}#${WORDS}`);
  const { page } = reader;
  await page.getByRole('button', { name: 'I have it, in good condition', disabled: false }).waitFor();
  await reader.outlined('the page of a consignee');
  await reader.press('I have it, but something is wrong');
  await reader.type('What is wrong', 'wet');
  const note = await reader.goTo(['button', 'Accept it with this note']);
  expect(note.description).toMatch(/the courier is paid the full 0\.\d+ SOL/u);
  await reader.goTo(['button', 'Back without signing'], 'Shift+Tab');
  await page.keyboard.press('Enter');
  await reader.press('I have it, in good condition');
  await reader.asked('Pay the courier?', /pays the courier 0\.\d+ SOL .* cannot be undone/u);
  await page.keyboard.press('Escape');
  await reader.press('I have it, in good condition');
  const yes = await reader.press('Yes, I have it');
  expect(yes.description).toMatch(/pays the courier 0\.\d+ SOL/u);
  await page.getByRole('heading', { name: 'Signed. Show this to the courier' }).waitFor();
  await reader.kept('after it was signed');
  await reader.hears(/also finds it by itself/u);

  const carrier = await reading([at(cast.couriers, 0)], PAGES.courier);
  await connect(carrier);
  await giveCode(carrier, await seenCode(page));
  await carrier.hears('Sent. It is on the ledger, and the last courier is paid.');
  await carrier.kept('after the last door');
  await reader.hears('The last courier was paid');
  await reader.outlined('a delivered package');
  return [reader, carrier];
}

/** Nobody signs at the door: the courier claims, and the shipper looks at the claim and pays it. */
export async function claimIt({ service, reading, connect }: Journeys): Promise<Reader[]> {
  const cast = await formedWithTerms(service, [['zoo', 'ostkreuz', 0.05]]);
  await carryTo(service, cast, 0);
  const carrier = await reading([at(cast.couriers, 0)], PAGES.courier);
  await connect(carrier);
  await carrier.press('Is nobody there to sign?', 'Enter', 'disclosuretriangle');
  await carrier.type('Where it is, and your evidence', 'behind the door, photographed');
  await carrier.press('Claim delivery');
  await carrier.asked('Claim delivery', /you lose your stake/u);
  await carrier.press('Yes, sign it');
  await carrier.hears('Claimed. It is on the ledger.');
  await carrier.kept('after the claim');
  await carrier.outlined('the courier who claimed');

  const shipper = await reading([cast.shipper], PAGES.turns);
  await connect(shipper);
  await shipper.press('Read the evidence');
  await shipper.page.getByText('behind the door, photographed').waitFor();
  await shipper.kept('after the evidence came');
  await shipper.press('Confirm that you have it');
  await shipper.asked('Confirm that you have it', /It pays .*0\.\d+ SOL.* cannot be undone/u);
  expect((await shipper.press('Yes, sign it')).description).toMatch(/0\.\d+ SOL/u);
  await shipper.hears('Done. It is on the ledger.');
  await shipper.kept('after the claim was paid');
  await shipper.outlined('the turns of a shipper who paid');
  return [carrier, shipper];
}

/** The receiver of a parcel without terms says so: the next courier, and at the end the shipper. */
export async function receivePlain({ service, reading, connect }: Journeys): Promise<Reader[]> {
  const { shipper, couriers, parcel } = await formedRelay(service, 'a box by keyboard');
  const taker = await reading([at(couriers, 1)], PAGES.courier);
  await connect(taker);
  await taker.press('Confirm that you have it');
  await taker.asked('Confirm that you have it', /^It pays 0\.\d+ SOL from escrow to .* cannot be undone/u);
  await taker.press(/^Yes, pay 0\.\d+ SOL$/u);
  await taker.hears('the courier of leg 1 is paid');
  await taker.kept('after it was received');
  const reader = await reading([shipper], PAGES.turns);
  await connect(reader);
  await reader.press('a box by keyboard', 'Enter', 'link');
  await reader.page.getByRole('heading', { level: 1, name: 'a box by keyboard' }).waitFor();
  await reader.press('Confirm that you have it');
  await reader.press(/^Yes, pay 0\.\d+ SOL$/u);
  await untilPackage(service, parcel.id, ({ status }) => status === 'delivered');
  await reader.hears('the courier of leg 2 is paid');
  await reader.hears(/delivered|settles/iu);
  await reader.kept('after it was delivered');
  await reader.outlined('a delivered package');
  return [taker, reader];
}
