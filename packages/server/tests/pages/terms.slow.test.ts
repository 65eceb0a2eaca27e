import { pagePath, PAGES, parseSol } from '@legwork/protocol/contract';
import { STAKES_HELD } from '@legwork/protocol/rules';
import { formatSol, type MoveOffer, offerMove, offerText, shareOffer } from '@legwork/sdk';
import { getSetComputeUnitPriceInstruction } from '@solana-program/compute-budget';
import { getTransferSolInstruction } from '@solana-program/system';
import {
  address,
  createNoopSigner,
  generateKeyPairSigner,
  getBase58Decoder,
  getBase64EncodedWireTransaction,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getCompiledTransactionMessageEncoder,
  getTransactionDecoder,
  partiallySignTransaction,
} from '@solana/kit';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import {
  at,
  carryTo,
  type Cast,
  courier,
  formedWithTerms,
  legNow,
  move,
  signedWith,
} from '../operations/turns/scene.js';
import { bidInput, untilPackage } from '../support/market.js';
import { type Party, withService } from '../support/service.js';
import { land } from '../support/transactions.js';
import { ALL_HOLD, checked, connect, press, sayRuling, told, withVisitors } from './acting.js';
import { checkedReceipts, shownReceipts } from './scene.js';
import { barriers, overhang, verdicts } from './visit.js';
import { adds, refusesTransactions } from './wallet.js';

const [ARBITER, RECEIVER] = await Promise.all([generateKeyPairSigner(), generateKeyPairSigner()]);
const service = withService({ settings: (usual) => ({ ...usual, ARBITER_PUBKEY: ARBITER.address }) });
const { visitor, goTo, turnsOf } = withVisitors(service);

async function fillIn(page: Page): Promise<void> {
  await page.getByLabel('Description').fill('a violin in its case');
  await page.getByRole('combobox', { name: 'From' }).fill('52.5074, 13.3326');
  await page.getByRole('combobox', { name: 'To' }).fill('52.5031, 13.4694');
  await page.getByRole('textbox', { name: 'Weight' }).fill('2.5');
  await page.getByRole('textbox', { name: 'Volume' }).fill('30');
  await page.getByRole('textbox', { name: 'Budget' }).fill('0.3');
}

const packagesOf = async ({ client, pubkey }: Party) => (await client.listPackages({ shipper: pubkey })).items;

describe('a package is posted with a wallet', () => {
  test('with stakes and clocks, the first pickup signed by two, and what is listed is what was shown (D-36)', async () => {
    const shipper = await service.current.party(1);
    const { pubkey: receiver } = await service.current.party(0);
    const page = await goTo(await visitor([shipper]), PAGES.post);
    await connect(page);
    await fillIn(page);
    expect(await page.getByRole('radio', { name: 'Standard' }).isChecked()).toBe(true);
    await page.getByRole('radio', { name: 'Somebody with a key' }).check();
    await page.getByLabel("Receiver's key").fill(receiver);
    await page.getByText('Each courier stakes 0.06 SOL').waitFor();
    await press(page, 'Sign and list it');
    await page.getByRole('heading', { level: 1, name: 'a violin in its case' }).waitFor();
    const [listed] = await packagesOf(shipper);
    expect(listed).toMatchObject({
      maxBudgetLamports: 300_000_000n,
      terms: {
        receiverPubkey: receiver,
        arbiterPubkey: ARBITER.address,
        stakeLamports: 60_000_000n,
        reviewSec: 86_400,
        cosignedPickup: true,
      },
    });
    await page.getByRole('region', { name: 'Terms', exact: true }).getByRole('button', { name: /Check/ }).click();
    await expect.poll(() => verdicts(page)).toContain('Holds: Same on the ledger');
  });

  test.each([
    [1360, 'light'],
    [360, 'dark'],
  ] as const)(
    'told before that nobody can pick it up, where the wallet signs no messages; as plain it can (D-30, D-36, D-49): %i, %s',
    async (width, theme) => {
      const shipper = await service.current.party(1);
      const one = await visitor([shipper], undefined, { width, theme, isSilent: true });
      const page = await goTo(one, PAGES.post);
      const warning = page.getByText(/cannot sign messages, and with these terms .* nobody can pick it up/);
      await fillIn(page);
      expect(await warning.count()).toBe(0);
      await connect(page);
      await warning.waitFor();
      expect(await overhang(page)).toBe(0);
      expect(await barriers(page)).toEqual([]);
      await page.getByRole('radio', { name: 'Plain' }).check();
      expect(await warning.count()).toBe(0);
      await press(page, 'Sign and list it');
      await page.getByRole('heading', { level: 1, name: 'a violin in its case' }).waitFor();
      expect(await packagesOf(shipper)).toMatchObject([{ terms: null }]);
    },
  );

  test('plain, where it is chosen (D-36)', async () => {
    const shipper = await service.current.party(1);
    const page = await goTo(await visitor([shipper]), PAGES.post);
    await connect(page);
    await fillIn(page);
    await page.getByRole('radio', { name: 'Plain' }).check();
    await press(page, 'Sign and list it');
    await page.getByRole('heading', { level: 1, name: 'a violin in its case' }).waitFor();
    expect(await packagesOf(shipper)).toMatchObject([{ terms: null }]);
  });

  test.each([
    ['stake', { stakeSol: 0.2 }, /stake \(base units\) of the listing is 200000000/],
    ['receiver', { receiverPubkey: RECEIVER.address }, /receiver of the listing is/],
    ['time to contradict', { reviewSec: 300 }, /review clock \(seconds\) of the listing is 300/],
    ['absence of terms', undefined, /terms of the listing is none/],
  ])('not with another %s than was chosen: the page signs nothing (D-17)', async (_, changed, words) => {
    const shipper = await service.current.party(1);
    const signed: Uint8Array[] = [];
    const one = await visitor([shipper], (_signer, bytes) => {
      signed.push(bytes);
      throw new Error('this is not to be signed');
    });
    const page = await goTo(one, PAGES.post);
    await page.route('**/packages/build-tx', async (route) => {
      const asked = route.request().postDataJSON() as { terms?: object };
      const terms = changed && { ...asked.terms, ...changed };
      const { terms: _terms, ...plain } = asked;
      await route.continue({ postData: JSON.stringify(terms ? { ...asked, terms } : plain) });
    });
    await connect(page);
    await fillIn(page);
    await press(page, 'Sign and list it');
    expect(await told(page)).toMatch(words);
    expect(signed).toEqual([]);
    expect(await packagesOf(shipper)).toEqual([]);
  });

  test('not by a wallet that refuses, and then again with the same words (D-36)', async () => {
    const shipper = await service.current.party(1);
    const page = await goTo(await visitor([shipper], refusesTransactions), PAGES.post);
    await connect(page);
    await fillIn(page);
    await press(page, 'Sign and list it');
    expect(await told(page)).toMatch(/said no/);
    expect(await page.getByLabel('Description').inputValue()).toBe('a violin in its case');
    expect(await packagesOf(shipper)).toEqual([]);
  });

  test('by a wallet that adds what can move nothing, and not by one that adds a transfer (S-173, D-48)', async () => {
    const [careful, thieving] = [await service.current.party(1), await service.current.party(1)];
    const price = getSetComputeUnitPriceInstruction({ microLamports: 1_000 });
    const memo = {
      programAddress: address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'),
      data: new Uint8Array([104]),
    };
    const first = await goTo(await visitor([careful], adds(price, memo)), PAGES.post);
    await connect(first);
    await fillIn(first);
    await press(first, 'Sign and list it');
    await first.getByRole('heading', { level: 1, name: 'a violin in its case' }).waitFor();
    expect(await packagesOf(careful)).toMatchObject([{ status: 'listed' }]);
    const source = createNoopSigner(thieving.signer.address);
    const transfer = getTransferSolInstruction({ source, destination: ARBITER.address, amount: 1n });
    const second = await goTo(await visitor([thieving], adds(transfer)), PAGES.post);
    await connect(second);
    await fillIn(second);
    await press(second, 'Sign and list it');
    expect(await told(second)).toMatch(
      /signed another transaction .*instruction \d, of program 1{32}, was not asked for/,
    );
    expect(await packagesOf(thieving)).toEqual([]);
  });

  test('plain alone, where the service names no arbiter (D-36)', async () => {
    const one = await visitor([await service.current.party(1)]);
    await one.page.route('**/post', async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace(`"arbiterPubkey":"${ARBITER.address}"`, '"arbiterPubkey":null');
      await route.fulfill({ response, body });
    });
    const page = await goTo(one, PAGES.post);
    expect(await page.getByRole('radio', { name: 'Plain' }).isChecked()).toBe(true);
    for (const name of ['Standard', 'Guarded']) {
      expect(await page.getByRole('radio', { name }).isDisabled()).toBe(true);
    }
    await page.getByText('This service has no arbiter').waitFor();
  });
});

/** One courier has the whole way; the shipper signs the pickup too. */
const oneLeg = () =>
  formedWithTerms(service.current, [['zoo', 'ostkreuz', 0.1]], { cosignedPickup: true, stakeSol: 0.05 });

const stageOf = async ({ parcel }: Cast) => (await legNow(service.current, parcel.id, 0)).stage;

test('a leg is accepted, picked up by two, claimed, disputed and ruled from the pages, each by its own wallet (D-35, D-37, D-38, D-40, D-52)', async () => {
  const cast = await oneLeg();
  const { shipper, arbiter, parcel } = cast;
  const courier = at(cast.couriers, 0);
  const one = await visitor([courier, shipper, arbiter]);
  const page = await turnsOf(one, courier);
  await press(page, 'Accept, with a stake of 0.05 SOL');
  await expect.poll(() => stageOf(cast)).toBe('accepted');
  await turnsOf(one, shipper);
  await press(page, 'Sign the pickup');
  const link = new URL(await page.getByRole('status').locator('code').innerText());
  await turnsOf(one, courier, link.pathname + link.search);
  await page.getByText('and the shipper signs that too').waitFor();
  await press(page, 'Sign');
  await expect.poll(() => stageOf(cast)).toBe('carried');

  await turnsOf(one, courier);
  await page.getByLabel('For a claim').fill('at the door of number 12');
  await press(page, 'Claim delivery');
  await expect.poll(() => stageOf(cast)).toBe('claimed');
  await turnsOf(one, shipper);
  await page.getByLabel('For a dispute').fill('number 12 has no door');
  await press(page, 'Dispute, with a stake of 0.05 SOL');
  await expect.poll(() => stageOf(cast)).toBe('disputed');

  await turnsOf(one, arbiter);
  await press(page, 'Read the evidence');
  await expect.poll(() => verdicts(page)).toEqual(['Holds: The claim names it', 'Holds: The dispute names it']);
  await page.getByText('number 12 has no door').waitFor();
  await page.route('**/evidence', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: (await response.text()).replace('has no door', 'has a door') });
  });
  await press(page, 'Read the evidence');
  await page.getByText('Not checked: no move names it').waitFor();
  expect(await verdicts(page)).toEqual(['Holds: The claim names it']);
  await turnsOf(one, arbiter, PAGES.desk);
  await sayRuling(page, 'courier', '40');
  const { agreedPayment: pays } = await legNow(service.current, parcel.id, 0);
  const paid = (pays * 40n) / 100n;
  const asked = await page.getByRole('alertdialog').innerText();
  expect(asked).toContain(
    `${formatSol(paid)} SOL, which is 40 % of ${formatSol(pays)} SOL, is paid to ${courier.pubkey}`,
  );
  expect(asked).toContain(
    `0.03 SOL to ${courier.pubkey}, 0.045 SOL to ${shipper.pubkey}, 0.025 SOL to you as the arbiter`,
  );
  expect(await barriers(page)).toEqual([]);
  await press(page, 'Yes, sign it');
  await untilPackage(service.current, parcel.id, ({ status }) => status === 'delivered');

  await goTo(one, pagePath('package', parcel.id));
  await page.getByText(/The arbiter gives .* 40 % of what leg 1 pays/).waitFor();
  await page.getByText(/^Ended with leg 1 ruled at 40 %: .* went to the courier, /).waitFor();
  await page.getByText('Settled at 40 %', { exact: true }).waitFor();
  expect(await page.getByText(/who carried it/).count()).toBe(0);
  expect(await checked(page)).toMatch(ALL_HOLD);
  // The pickup was signed by a text, and what was ruled was handed to nobody.
  const handoffs = await shownReceipts(page);
  expect(await handoffs.getByRole('listitem').allInnerTexts()).toEqual([
    expect.stringMatching(/^1\s+Picked up\s+start of leg 1[^]*as described[^]*signed /),
  ]);
  expect(await checkedReceipts(handoffs)).toBe('Holds: 1 of 1 signed, 1 on the ledger');
  expect(one.complaints).toEqual([]);
});

test('the page of a package says whose move it is, until when, and what silence costs (D-35, D-40)', async () => {
  const cast = await oneLeg();
  const page = await goTo(await visitor([]), pagePath('package', cast.parcel.id));
  await page.getByText(/must accept leg 1 with a stake of 0.05 SOL/).waitFor();
  await page.getByText('Awaiting pickup', { exact: true }).waitFor();
  await page.getByText(/If nothing happens, anyone can vacate the leg; nothing is lost/).waitFor();
  await page.getByText(/^clock ends in 4\d min$/).waitFor();
  await page.getByText('No disputes yet').waitFor();
  expect(await overhang(page)).toBe(0);
});

test.each([
  ['move', { action: 'vacate' }],
  ['stake', {}],
] as const)('a move is not signed where the service answers with another %s (D-17)', async (what, changed) => {
  const cast = await oneLeg();
  const courier = at(cast.couriers, 0);
  const one = await visitor([courier, cast.shipper]);
  if (what === 'stake') {
    // The page is shown a small one, and the ledger holds another.
    await one.page.route('**/packages/*', async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replaceAll('"stake":"50000000"', '"stake":"5000"');
      await route.fulfill({ response, body });
    });
  }
  await one.page.route('**/turns/build-tx', async (route) => {
    const asked = route.request().postDataJSON() as object;
    await route.continue({ postData: JSON.stringify({ ...asked, ...changed }) });
  });
  const page = await turnsOf(one, courier);
  await press(page, /^Accept/);
  expect(await told(page)).toMatch(what === 'stake' ? /Its stake, in base units, is 50000000/ : /another vacate/);
  expect(await stageOf(cast)).toBe('pending');
});

test('a shipper is told of the pickup that it signs too, and its courier sends what it has signed (D-35, D-60)', async () => {
  const cast = await oneLeg();
  const first = at(cast.couriers, 0);
  await move(service.current, cast, 0, first, 'accept');
  const one = await visitor([first, cast.shipper]);
  const page = await turnsOf(one, cast.shipper);
  // Nothing that pays is asked of it before anybody has the parcel, and what pays is asked back.
  await page.getByText(/Once this courier is here to fetch the parcel/).waitFor();
  await press(page, 'Confirm that you have it');
  await page.getByText(/It pays .* at once, although nobody has picked the parcel up.* Continue/).waitFor();
  await press(page, 'No, not now');
  await turnsOf(one, first);
  await press(page, 'Pick it up');
  expect(await told(page)).toMatch(/The other side has not signed yet/);
  await turnsOf(one, cast.shipper);
  await press(page, 'Sign the pickup');
  const link = new URL(await page.getByRole('status').locator('code').innerText());
  // It keeps the parcel until the page that it is shown says so: only the courier's own signature makes that true.
  const notice = page
    .getByRole('status')
    .filter({ hasText: 'Let the parcel go only once leg 1 reads “in transit” on its page' });
  await notice.getByRole('link', { name: 'its page' }).click();
  const relay = page.getByRole('list', { name: 'Legs', exact: true });
  await relay.getByText('accepted').waitFor();
  expect(await relay.getByText('in transit').count()).toBe(0);
  expect(await stageOf(cast)).toBe('accepted');
  await turnsOf(one, first, link.pathname + link.search);
  await press(page, 'Sign');
  await page.getByRole('status').filter({ hasText: 'Done. It is on the ledger.' }).waitFor();
  expect(await stageOf(cast)).toBe('carried');
  await page.goto(new URL(pagePath('package', cast.parcel.id), link).href);
  await relay.getByText('in transit').waitFor();
});

test('a wallet that signs no messages hands over only to a courier that offers half of a transaction, by the SDK (D-49, D-60)', async () => {
  const cast = await oneLeg();
  const first = at(cast.couriers, 0);
  await move(service.current, cast, 0, first, 'accept');
  const { id: legId } = await legNow(service.current, cast.parcel.id, 0);
  const page = await turnsOf(await visitor([cast.shipper, first], undefined, { isSilent: true }), cast.shipper);
  await press(page, 'Sign the pickup');
  expect(await told(page)).toMatch(/this wallet signs no messages, and a pickup is signed as one/);
  expect(await stageOf(cast)).toBe('accepted');
  await shareOffer(first.client, first.signer, { packageId: cast.parcel.id, legId, action: 'take' });
  await press(page, 'Sign the pickup');
  await expect.poll(() => stageOf(cast)).toBe('carried');
});

test('a link with a half that has expired, of a former version, signs the text instead (D-38, D-60)', async () => {
  const cast = await oneLeg();
  const first = at(cast.couriers, 0);
  await move(service.current, cast, 0, first, 'accept');
  const { id: legId } = await legNow(service.current, cast.parcel.id, 0);
  const taken = { packageId: cast.parcel.id, legId, action: 'take' } as const;
  const offer = offerText(await expired(await offerMove(first.client, first.signer, taken), first));
  const link = `${PAGES.turns}?${new URLSearchParams({ package: cast.parcel.id, leg: legId, action: 'take', offer })}`;
  const page = await goTo(await visitor([cast.shipper]), link);
  await connect(page);
  await press(page, 'Sign');
  await page.getByRole('status').locator('code').waitFor();
  const courierPage = await goTo(await visitor([first]), PAGES.turns);
  await connect(courierPage);
  await press(courierPage, 'Pick it up');
  await courierPage.getByRole('status').filter({ hasText: 'Done. It is on the ledger.' }).waitFor();
  expect(await page.getByRole('alert').filter({ hasText: /./ }).count()).toBe(0);
  expect(await stageOf(cast)).toBe('carried');
});

/** No block has this hash. */
const FORGOTTEN = getBase58Decoder().decode(new Uint8Array(32).fill(7));

/** The half as it is once the ledger has forgotten the block that it names. */
async function expired(offer: MoveOffer, { signer }: Party): Promise<MoveOffer> {
  const decoded = getTransactionDecoder().decode(getBase64Encoder().encode(offer.transaction));
  const message = getCompiledTransactionMessageDecoder().decode(decoded.messageBytes);
  const messageBytes = getCompiledTransactionMessageEncoder().encode({ ...message, lifetimeToken: FORGOTTEN });
  const unsigned = { ...decoded, messageBytes: messageBytes as typeof decoded.messageBytes };
  const signed = await partiallySignTransaction([signer.keyPair], unsigned);
  return { ...offer, transaction: getBase64EncodedWireTransaction(signed) };
}

test('a courier who took the place of another is shown with the choice of it, and everything holds (D-11, D-12, D-39)', async () => {
  const cast = await formedWithTerms(service.current);
  const { parcel, couriers } = cast;
  await carryTo(service.current, cast, 0);
  await move(service.current, cast, 1, at(couriers, 1), 'vacate');
  const other = await courier(service.current);
  const [opening] = (await other.client.listOpenings({ packageId: parcel.id })).items;
  await other.client.submitBid({
    ...bidInput(other, parcel.id, 'hauptbahnhof', 'alexanderplatz', 0.05),
    legId: opening?.legId,
  });
  await service.current.db
    .updateTable('legs')
    .set({ evaluate_at: new Date(0) })
    .where('evaluate_at', 'is not', null)
    .execute();
  await untilPackage(service.current, parcel.id, ({ swarm }) => swarm?.legs[1]?.stage === 'pending');
  await move(service.current, cast, 1, other, 'accept');
  await move(service.current, cast, 0, other, 'confirm');
  const page = await goTo(await visitor([]), pagePath('package', parcel.id));
  await page.getByText(/Leg 2 replaced, .* for 0.05 SOL, out of 1 bid/).waitFor();
  await page.getByRole('button', { name: /^Show all / }).click();
  await page.getByText(/ left leg 2 in time/).waitFor();
  const { vault } = await other.client.getPackageMoney({ packageId: parcel.id });
  const { terms, swarm } = await other.client.getPackage({ packageId: parcel.id });
  const held = (swarm?.legs ?? []).reduce((sum, { stage }) => sum + (stage ? STAKES_HELD[stage] : 0), 0);
  expect(await shownSum(page)).toBe(vault + BigInt(held) * (terms?.stake ?? 0n));
  expect(await checked(page)).toMatch(ALL_HOLD);
});

/** The sum of the movements' amounts as a reader adds them up: money that stays in escrow adds nothing. */
async function shownSum(page: Page): Promise<bigint> {
  const amounts = await page.getByRole('region', { name: 'Movements' }).locator('td[data-name=Amount]').allInnerTexts();
  return amounts
    .filter((text) => !text.includes('stays'))
    .map((text) => (text.startsWith('−') ? -1n : 1n) * parseSol(Number(text.replace(/[−\s]|SOL/g, ''))))
    .reduce((sum, lamports) => sum + lamports, 0n);
}

// Last: from here on the ledger is days ahead of everybody's clocks.
test('a package that was reclaimed shows the stake that was lost, and everything holds (D-12, D-39)', async () => {
  const cast = await formedWithTerms(service.current);
  const { parcel, shipper } = cast;
  await carryTo(service.current, cast, 0);
  await service.current.advanceTime(73 * 3600);
  const { transaction } = await shipper.client.buildReclaimTx({ packageId: parcel.id });
  await land(service.current, await signedWith(transaction, [shipper.signer]));
  await untilPackage(service.current, parcel.id, ({ status }) => status === 'failed');
  const page = await goTo(await visitor([]), pagePath('package', parcel.id));
  await page.getByText(/^Stake lost/).waitFor();
  expect(await shownSum(page)).toBe(0n);
  expect(await checked(page)).toMatch(ALL_HOLD);
});
