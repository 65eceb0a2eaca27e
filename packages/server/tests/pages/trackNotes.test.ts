import { createLegworkClient, handoffCode, readHandoff, receiverOfWords, signHandoff } from '@legwork/sdk';
import { expect, test } from 'vitest';
import { at, carryTo, type Cast, move } from '../operations/turns/scene.js';
import { untilPackage } from '../support/market.js';
import { withService } from '../support/service.js';
import { untilQuiet } from '../support/snapshot.js';
import { press, withVisitors } from './acting.js';
import { forConsignee, linkOf, photograph, sendSeen, WORDS } from './consignee.js';
import { seenCode } from './seenCode.js';
import { barriers, overhang } from './visit.js';

const service = withService();
const { visitor } = withVisitors(service);

const legId = ({ parcel }: Cast, index: number) => at(parcel.swarm?.legs ?? [], index).id;
const region = 'Notes and photographs';

/** Shell, script and styles. */
const KEPT = `Promise.all([['legwork-pages', 1], ['legwork-assets', 2]].map(async ([name, most]) =>
  (await (await caches.open(name)).keys()).length >= most)).then((kept) => kept.every(Boolean))`;

/** Markup, and what a browser would run of it. */
const MARKUP =
  '<img src=x onerror="document.title=\'run\'"><script>document.title="run"</script> [a](javascript:alert(1))';
const SVG = `data:image/svg+xml;base64,${Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>').toString('base64')}`;
const SIZES = `Array.from(document.querySelectorAll('figure img'), ({ naturalWidth }) => naturalWidth)`;

test('the consignee sees what was noted and photographed of every leg, as words that nothing runs of (D-82, T-64)', async () => {
  const cast = await forConsignee(service.current, [
    ['zoo', 'alexanderplatz', 0.05],
    ['alexanderplatz', 'ostkreuz', 0.05],
  ]);
  const [first, second] = [at(cast.couriers, 0), at(cast.couriers, 1)];
  await carryTo(service.current, cast, 1);
  const { page, complaints } = await visitor([], undefined, { width: 360 });
  await page.goto(linkOf(service.current, cast.parcel));
  await press(page, 'Show notes and photographs');
  await page.getByText('No notes or photographs yet').waitFor();

  const photo = `data:image/jpeg;base64,${await page.evaluate<string>(photograph(640, 480))}`;
  // Of 30,000 by 30,000 pixels, as far as its head goes.
  const large = Buffer.from(photo.slice(photo.indexOf(',') + 1), 'base64');
  large.writeUInt32BE(0x75_30_75_30, large.indexOf(Buffer.from([0xff, 0xc0])) + 5);
  await first.client.putEvidence({ legId: legId(cast, 0), text: `the string is loose\n${photo}` });
  await second.client.putEvidence({ legId: legId(cast, 1), text: MARKUP });
  await second.client.putEvidence({
    legId: legId(cast, 1),
    text: `${SVG}\ndata:image/jpeg;base64,${large.toString('base64')}`,
  });
  await cast.shipper.client.putEvidence({ legId: legId(cast, 1), text: 'ring twice' });
  const receiver = await receiverOfWords(WORDS, cast.shipper.pubkey);
  const handoff = { packageId: cast.parcel.id, legIndex: 1 };
  const ahead = await readHandoff(second.client, receiver.address, handoff);
  const passedOn = handoffCode(await signHandoff(receiver, ahead));
  await second.client.putEvidence({ legId: legId(cast, 1), text: passedOn });
  await press(page, 'Refresh');
  const shown = page.getByRole('region', { name: region });
  await shown.getByText('the string is loose').waitFor();
  await shown.getByText('Courier 1,').waitFor();
  await shown.getByText('The shipper,').waitFor();
  expect(await shown.getByText(MARKUP).count()).toBe(1);
  expect(await shown.getByText(SVG).count()).toBe(1);
  expect(await shown.getByText('A picture is not shown').count()).toBe(1);
  expect(await page.evaluate(SIZES)).toEqual([640]);
  // A text that only travels to the other side is no evidence.
  expect(await shown.getByText('legwork-handoff').count()).toBe(0);
  expect(await page.title()).not.toBe('run');
  expect([await barriers(page), await overhang(page), complaints]).toEqual([[], 0, []]);
});

test('what was noted at a door without a network is sent later, though the courier was paid meanwhile, and nothing is told as refused (D-82, T-63)', async () => {
  const cast = await forConsignee(service.current);
  await carryTo(service.current, cast, 0);
  const { page, context } = await visitor([], undefined, { width: 390, theme: 'dark' });
  await page.goto(linkOf(service.current, cast.parcel));
  await page.getByRole('button', { name: 'I have it, but something is wrong', disabled: false }).waitFor();
  await expect.poll(() => page.evaluate(KEPT)).toBe(true);
  await context.setOffline(true);
  await press(page, 'I have it, but something is wrong');
  await page.getByLabel('What is wrong').fill(MARKUP);
  await page.getByText('Without a network it waits on this phone').waitFor();
  await press(page, 'Accept it with this note');
  await page.getByText('There is no network here').waitFor();
  await sendSeen(at(cast.couriers, 0), await seenCode(page));
  await untilPackage(service.current, cast.parcel.id, ({ status }) => status === 'delivered');
  // It was closed meanwhile, and is opened again where there is a network.
  await page.goto('about:blank');
  await context.setOffline(false);
  await page.goto(linkOf(service.current, cast.parcel));
  await page.getByRole('heading', { name: 'It has arrived' }).waitFor();
  const evidence = async () => {
    const { items } = await at(cast.couriers, 0).client.listEvidence({ legId: legId(cast, 0) });
    return items.map(({ text }) => text);
  };
  await expect.poll(evidence).toEqual([MARKUP]);
  await press(page, 'Show notes and photographs');
  await page.getByText('You,').waitFor();
  expect(await page.getByText('refused your note').count()).toBe(0);
  expect(await page.getByText('Only this phone has').count()).toBe(0);
  expect([await barriers(page), await overhang(page)]).toEqual([[], 0]);
});

test('a note that the service refuses stays on the phone, and nothing else waits for it (D-82)', async () => {
  const cast = await forConsignee(service.current);
  await carryTo(service.current, cast, 0);
  const { page } = await visitor([], undefined, { width: 360 });
  const receiver = await receiverOfWords(WORDS, cast.shipper.pubkey);
  const client = createLegworkClient({ url: service.current.server.url, signer: receiver });
  for (const text of ['1', '2', '3', '4']) await client.putEvidence({ legId: legId(cast, 0), text });
  await page.goto(linkOf(service.current, cast.parcel));
  await press(page, 'I have it, but something is wrong');
  await page.getByLabel('What is wrong').fill('wet at one corner');
  await press(page, 'Accept it with this note');
  await page.getByText('The service refused your note').waitFor();
  // The code is refused as well, and the courier scans it: that the note is nowhere else is what is told.
  expect(await page.getByRole('region', { name: 'Your note' }).innerText()).toContain('wet at one corner');
  await sendSeen(at(cast.couriers, 0), await seenCode(page));
  await page.getByRole('heading', { name: 'It has arrived' }).waitFor();
  await page.reload();
  await page.getByText('wet at one corner').waitFor();
});

test('what was noted is shown to nobody without the words, nor once it was erased, and is asked for again after a fault (D-82, S-144)', async () => {
  const cast = await forConsignee(service.current);
  await carryTo(service.current, cast, 0);
  const { page, context } = await visitor([], undefined, { width: 360 });
  await page.goto(linkOf(service.current, cast.parcel, 'canyon-lemon-orbit-puzzle-river-viola'));
  await page.getByText('belong to another delivery').waitFor();
  expect(await page.getByText('Notes and photographs').count()).toBe(0);
  await page.goto('about:blank');
  await page.goto(linkOf(service.current, cast.parcel));
  const button = page.getByRole('button', { name: 'Show notes and photographs' });
  await button.waitFor();
  await context.setOffline(true);
  await button.click();
  await page.getByText('They cannot be loaded: The service does not answer').waitFor();
  await context.setOffline(false);
  await button.click();
  await page.getByText('No notes or photographs yet').waitFor();
  await move(service.current, cast, 0, cast.shipper, 'confirm');
  await untilPackage(service.current, cast.parcel.id, ({ status }) => status === 'delivered');
  await untilQuiet(service.current);
  await cast.shipper.client.erasePackageData({ packageId: cast.parcel.id });
  await page.getByText('were erased for good').waitFor();
  expect(await page.getByRole('button').allTextContents()).toEqual(['Deutsch']);
});
