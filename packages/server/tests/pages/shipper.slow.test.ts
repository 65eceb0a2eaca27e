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
import { connect, press, withVisitors } from './acting.js';
import { fillIn, linkOf, packagesOf } from './posting.js';
import { seenCode } from './seenCode.js';
import { barriers, overhang, type Visit } from './visit.js';

const ARBITER = await generateKeyPairSigner();
const service = withService({ settings: (usual) => ({ ...usual, ARBITER_PUBKEY: ARBITER.address }) });
const { visitor, goTo } = withVisitors(service);

async function posting(one: Visit, receives?: string): Promise<Page> {
  const page = await goTo(one, PAGES.post);
  await connect(page);
  await fillIn(page, receives);
  return page;
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
  await page.getByText('Each courier stakes 0.06 SOL').waitFor();
  expect([await barriers(page), await overhang(page)]).toEqual([[], 0]);
  await press(page, 'Sign and list it');
  await page.getByRole('heading', { level: 1, name: 'a violin in its case' }).waitFor();
  const { link, words } = await linkOf(page);
  const [listed] = await packagesOf(shipper);
  if (!listed) throw new Error('nothing is listed');
  expect(link).toContain(pagePath('track', listed.id));
  expect(listed.terms?.receiverPubkey).toBe((await receiverOfWords(words, shipper.pubkey)).address);
  expect([await barriers(page), await overhang(page)]).toEqual([[], 0]);

  await one.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await press(page, 'Copy the link');
  await page.getByText('Copied.').waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(link);

  // The receiver opens the link; its words went nowhere else.
  const other = await visitor([], undefined, { width: 360 });
  await other.page.goto(link);
  await other.page.getByRole('heading', { name: 'No courier yet' }).waitFor();
  const secret = words.split('-');
  expect(sent.filter((text) => text.includes(words) || secret.every((word) => text.includes(word)))).toEqual([]);

  // The page tells where it stands by itself, and what the courier's camera is to see.
  const parcel = await carriedBy(carrier, listed);
  await page.getByText('The first courier has not accepted yet').waitFor();
  await move(service.current, { parcel }, 0, carrier, 'accept');
  await press(page, 'Hand it over');
  await page.getByText('Do not let the parcel go yet.').waitFor();
  expect([await barriers(page), await overhang(page)]).toEqual([[], 0]);
  const signed = await readHandoffCode(await seenCode(page));
  if (signed === undefined) throw new Error('this is no handoff');
  await submitHandoff(carrier.client, carrier.signer, signed);
  await page.getByText('let it go now').waitFor();

  // Loaded again, this browser still has the link, and says why there is no way out now.
  await goTo(one, PAGES.turns);
  await connect(page);
  const mine = page.getByRole('region', { name: 'My packages' });
  await mine.getByText('You can take back what is left once the deadline has passed').waitFor();
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
    await page.getByText('0.3 SOL come back to you from escrow').waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toBe('No, not now');
    await press(page, 'No, not now');
    expect((await packagesOf(shipper))[0]).toMatchObject({ status: 'listed' });
    await press(page, 'Cancel it');
    await press(page, 'Yes, sign it');
    await page.getByText(/^Cancelled before anyone carried it/).waitFor();
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
    await page.getByText('0.3 SOL come back to you from escrow. ').waitFor();
    await press(page, 'No, not now');
    await move(service.current, { parcel }, 0, carrier, 'accept');
    await move(service.current, { parcel }, 0, carrier, 'take', { with: [shipper] });
    await page.getByText('A courier is at work on it').waitFor();

    await service.current.advanceTime(25 * 3600);
    await page.clock.setFixedTime(Date.now() + 25 * 3_600_000);
    await press(page, 'Take back what is left');
    await page.getByText('and so does the stake of the current courier, 0.06 SOL').waitFor();
    await press(page, 'Yes, sign it');
    await untilPackage(service.current, listed.id, ({ failureReason }) => failureReason === 'reclaimed');
    // The whole budget, and the stake that the courier lost.
    const { movements } = await shipper.client.getPackageMoney({ packageId: listed.id });
    const back = movements.filter((one) => one.to === shipper.pubkey).reduce((sum, { amount }) => sum + amount, 0n);
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
  await page.getByRole('textbox', { name: 'Goal' }).fill('Group the feedback, then sum it up.');
  await page.getByRole('textbox', { name: 'Leg 1' }).fill('Group it by topic.');
  await page.getByRole('textbox', { name: 'Budget' }).fill('0.1');
  expect(await page.getByRole('radio', { name: 'Somebody with a phone' }).count()).toBe(0);
  await press(page, 'Sign and list it');
  await page.getByRole('heading', { level: 1, name: 'Sum up the feedback' }).waitFor();
  await page.getByRole('region', { name: 'Your part' }).getByRole('button', { name: 'Cancel it' }).waitFor();
  await goTo(one, PAGES.turns);
  await connect(page);
  await page.getByText('This key has posted no package.').waitFor();
  const mine = page.getByRole('region', { name: 'My digital tasks' });
  await mine.getByRole('button', { name: 'Cancel it' }).click();
  await mine.getByText('0.1 SOL come back to you from escrow').waitFor();
  expect([await barriers(page), await overhang(page)]).toEqual([[], 0]);
  await press(page, 'Yes, sign it');
  await mine.getByText('Cancelled', { exact: true }).waitFor();
  expect((await poster.client.listDigitalTasks({ shipper: poster.pubkey })).items).toMatchObject([
    { status: 'failed', failureReason: 'cancelled' },
  ]);
});

test('who finds the link of a receiver can pay the last courier once it is its turn, and do nothing else (D-90)', async () => {
  const words = 'canyon-lemon-orbit-puzzle-river-violin';
  const shipper = await service.current.party(3);
  const thief = await receiverOfWords(words, shipper.pubkey);
  const listed = await listedWithTerms(service.current, { receiverPubkey: thief.address }, {}, shipper);
  const { id: packageId } = listed.parcel;
  const { rpc } = service.current;
  const client = createLegworkClient({ url: service.current.server.url, signer: thief });
  expect((await client.buildCancelTx({ packageId })).signerPubkey).toBe(shipper.pubkey);
  await expect(cancelPackage(client, rpc, thief, packageId)).rejects.toThrow(/but package .* is at/);
  const couriers = await Promise.all([0, 1].map(() => courier(service.current)));
  const [first, last] = [at(couriers, 0), at(couriers, 1)];
  await first.client.submitBid(bidInput(first, packageId, 'zoo', 'alexanderplatz', 0.05));
  await last.client.submitBid(bidInput(last, packageId, 'alexanderplatz', 'ostkreuz', 0.05));
  const parcel = await untilPackage(service.current, packageId, ({ status }) => status === 'in_transit');
  const cast = { ...listed, parcel, couriers };
  await carryTo(service.current, cast, 0);
  await expect(reclaimPackage(client, rpc, thief, packageId)).rejects.toThrow(/can be reclaimed from its deadline on/);

  // Another courier's leg is not its to sign for, nor the last one before its turn.
  const signed = async (legIndex: number) => {
    const ahead = await readHandoff(client, thief.address, { packageId, legIndex, evenBeforePickup: true });
    return submitHandoff(last.client, last.signer, await signHandoff(thief, ahead));
  };
  await expect(signed(0)).rejects.toThrow(/it is signed by somebody else/);
  await expect(signed(1)).rejects.toThrow(/LegOutOfOrder/);
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
