import { resultHash } from '@legwork/protocol/rules';
import { verifyReceipts } from '@legwork/sdk';
import { expect, test } from 'vitest';
import { at, carryTo } from '../operations/turns/scene.js';
import { untilPackage } from '../support/market.js';
import { withService } from '../support/service.js';
import { press, withVisitors } from './acting.js';
import { forConsignee, linkOf, photograph, sendSeen } from './consignee.js';
import { seenCode } from './seenCode.js';
import { barriers, overhang } from './visit.js';

const service = withService();
const { visitor } = withVisitors(service);

/** Shell, script and styles. */
const KEPT = `Promise.all([['legwork-pages', 1], ['legwork-assets', 2]].map(async ([name, most]) =>
  (await (await caches.open(name)).keys()).length >= most)).then((kept) => kept.every(Boolean))`;

/** The same with the place where it was taken, as phones write it behind the first marker. */
function withPlace(jpeg: Buffer): Buffer {
  const data = Buffer.from('Exif\0\0GPS 52.5163 N 13.3777 E', 'latin1');
  const head = Buffer.from([0xff, 0xe1, 0, data.length + 2]);
  return Buffer.concat([jpeg.subarray(0, 2), head, data, jpeg.subarray(2)]);
}

test('a consignee without wallet and SOL sees its package, and signs at the door without a network (D-81, D-82)', async () => {
  const cast = await forConsignee(service.current);
  const carrier = at(cast.couriers, 0);
  const { page, context, complaints, hosts } = await visitor([], undefined, { width: 360 });
  await page.goto(linkOf(service.current, cast.parcel));
  await page.getByRole('heading', { name: 'It is about to be picked up' }).waitFor();
  await page.getByText('There is nothing to sign yet').waitFor();
  await carryTo(service.current, cast, 0);
  await page.getByRole('heading', { name: 'It is on its way to you' }).waitFor();
  await page.getByRole('button', { name: 'I have it, in good condition', disabled: false }).waitFor();
  expect([await barriers(page), await overhang(page)]).toEqual([[], 0]);

  // At the door there is no network: the page comes again as this phone has kept it.
  await expect.poll(() => page.evaluate(KEPT)).toBe(true);
  await context.setOffline(true);
  await page.reload();
  await page.getByText('This is the last known state').waitFor();
  await press(page, 'I have it, in good condition');
  await page.getByText(/pays the courier 0\.\d+ SOL/u).waitFor();
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Not yet');
  await press(page, 'Yes, I have it');
  await page.getByText('There is no network here').waitFor();
  const code = await seenCode(page);
  const balance = await service.current.rpc.getBalance(carrier.signer.address).send();
  await sendSeen(carrier, code);
  await untilPackage(service.current, cast.parcel.id, ({ status }) => status === 'delivered');
  expect((await service.current.rpc.getBalance(carrier.signer.address).send()).value).toBeGreaterThan(balance.value);

  await context.setOffline(false);
  await page.getByRole('heading', { name: 'It has arrived' }).waitFor();
  // Without a network nothing loads; and the text that waited comes too late, which the service says with 409.
  expect(complaints.filter((text) => !/ERR_INTERNET_DISCONNECTED|409/.test(text))).toEqual([]);
  const { server, ledger } = service.current;
  expect([...hosts].sort()).toEqual([server.url, ledger.rpcUrl].map((url) => new URL(url).host).sort());
});

test('what is wrong goes with the receipt, and the courier finds what was signed by itself (D-82, D-83)', async () => {
  const cast = await forConsignee(service.current);
  await carryTo(service.current, cast, 0);
  const { page } = await visitor([], undefined, { width: 390, theme: 'dark' });
  await page.goto(linkOf(service.current, cast.parcel));
  await press(page, 'I have it, but something is wrong');
  await page.getByText('the courier is paid the full').waitFor();
  await page.getByLabel('What is wrong').fill('<b>wet</b> at one corner');
  await page
    .getByLabel('Photograph (optional)')
    .setInputFiles({ name: 'a.txt', mimeType: 'image/jpeg', buffer: Buffer.from('no') });
  await page.getByText('This browser cannot read this file').waitFor();
  expect([await barriers(page), await overhang(page)]).toEqual([[], 0]);
  await page.getByLabel('Photograph (optional)').setInputFiles({
    name: 'a.jpg',
    mimeType: 'image/jpeg',
    buffer: withPlace(Buffer.from(await page.evaluate<string>(photograph(4_000, 3_000)), 'base64')),
  });
  await page.getByRole('img', { name: 'Your photograph' }).waitFor();
  await press(page, 'Accept it with this note');
  await page.getByText('also finds it by itself').waitFor();

  const { client, pubkey } = at(cast.couriers, 0);
  const { items } = await client.listEvidence({ legId: at(cast.parcel.swarm?.legs ?? [], 0).id });
  const texts = items.map(({ text }) => text);
  const [note, shown = ''] = at(texts, 0).split('\n');
  expect(note).toBe('<b>wet</b> at one corner');
  const jpeg = Buffer.from(shown.replace('data:image/jpeg;base64,', ''), 'base64');
  expect([jpeg.includes('Exif'), jpeg.includes('52.5163'), jpeg.subarray(0, 2).toString('hex')]).toEqual([
    false,
    false,
    'ffd8',
  ]);
  expect(shown.length).toBeLessThan(180_000);
  expect(texts[1]).toBe(await seenCode(page));
  await sendSeen(at(cast.couriers, 0), at(texts, 1));
  await page.getByRole('heading', { name: 'It has arrived' }).waitFor();
  const { receipts } = await client.getPackageReceipts({ packageId: cast.parcel.id });
  const { firstNoted } = await verifyReceipts(receipts, { rpc: service.current.rpc });
  expect(firstNoted).toMatchObject({ heldBy: pubkey, hash: resultHash(at(texts, 0)).hex });
});

test('a phone that keeps nothing signs and sends all the same (D-82)', async () => {
  const cast = await forConsignee(service.current);
  await carryTo(service.current, cast, 0);
  const { page } = await visitor([], undefined, { width: 360 });
  await page.addInitScript(
    "IDBFactory.prototype.open = () => { throw new DOMException('no room', 'QuotaExceededError'); };",
  );
  await page.goto(linkOf(service.current, cast.parcel));
  await press(page, 'I have it, in good condition');
  await press(page, 'Yes, I have it');
  await page.getByText('also finds it by itself').waitFor();
  const { client } = at(cast.couriers, 0);
  const { items } = await client.listEvidence({ legId: at(cast.parcel.swarm?.legs ?? [], 0).id });
  expect(items.map(({ text }) => text)).toEqual([await seenCode(page)]);
});

test('what cannot be read at a door without a network is said, and read once there is one (D-82)', async () => {
  const cast = await forConsignee(service.current);
  await carryTo(service.current, cast, 0);
  const { page, context } = await visitor([], undefined, { width: 360 });
  const { rpcUrl } = service.current.ledger;
  await context.route(`${rpcUrl}/**`, (route) => route.abort());
  await page.goto(linkOf(service.current, cast.parcel));
  await page.getByText('has not yet read what it would sign').waitFor();
  const ready = page.getByRole('button', { name: 'I have it, in good condition' });
  expect(await ready.isDisabled()).toBe(true);
  await context.unroute(`${rpcUrl}/**`);
  await expect.poll(() => ready.isDisabled()).toBe(false);
});

test('a link that was cut off, or is of another delivery, shows and cannot sign (D-82)', async () => {
  const cast = await forConsignee(service.current);
  await carryTo(service.current, cast, 0);
  const { page } = await visitor([], undefined, { width: 360 });
  for (const [words, says] of [
    ['', 'This link is incomplete'],
    ['canyon-lemon-orbit', 'This link is incomplete'],
    ['canyon-lemon-orbit-puzzle-river-viola', 'belong to another delivery'],
  ] as const) {
    await page.goto('about:blank');
    await page.goto(linkOf(service.current, cast.parcel, words));
    await page.getByText(says).waitFor();
    expect(await page.getByRole('button').allTextContents()).toEqual(['Deutsch']);
  }
  await page.goto(linkOf(service.current, { id: crypto.randomUUID() }));
  await page.getByRole('heading', { name: 'This delivery cannot be shown' }).waitFor();
});

test('a consignee whose browser speaks German reads and signs in German, also without a network, and can change that (D-82, D-99)', async () => {
  const cast = await forConsignee(service.current);
  await carryTo(service.current, cast, 0);
  const { page, context } = await visitor([], undefined, { width: 360, locale: 'de-AT' });
  await page.goto(linkOf(service.current, cast.parcel));
  await page.getByRole('heading', { name: 'Es ist auf dem Weg zu Ihnen' }).waitFor();
  await page.getByRole('button', { name: 'Ich habe es, unversehrt', disabled: false }).waitFor();
  expect([await page.evaluate('document.documentElement.lang'), await overhang(page)]).toEqual(['de', 0]);
  await expect.poll(() => page.evaluate(KEPT)).toBe(true);
  await context.setOffline(true);
  await page.reload();
  await press(page, 'Ich habe es, unversehrt');
  await page.getByText(/zahlt dem Kurier 0,\d+ SOL aus dem Treuhandkonto/u).waitFor();
  await press(page, 'Ja, ich habe es');
  await page.getByText('Hier ist kein Netz').waitFor();
  await sendSeen(at(cast.couriers, 0), await seenCode(page));
  await context.setOffline(false);
  await page.getByRole('heading', { name: 'Es ist angekommen' }).waitFor();
  await press(page, 'English');
  await page.getByRole('heading', { name: 'It has arrived' }).waitFor();
  await page.getByRole('button', { name: 'Deutsch' }).waitFor();
});
