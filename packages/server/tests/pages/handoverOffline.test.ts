import { PAGES } from '@legwork/protocol/contract';
import { resultHash } from '@legwork/protocol/rules';
import { verifyReceipts } from '@legwork/sdk';
import { expect, test } from 'vitest';
import { at, carryTo, type Cast, formedWithTerms, legNow, move } from '../operations/turns/scene.js';
import { untilPackage } from '../support/market.js';
import { withService } from '../support/service.js';
import { connect, press, withVisitors } from './acting.js';
import { photograph, sendSeen } from './consignee.js';
import { seenCode } from './seenCode.js';
import { barriers, overhang, type Visit } from './visit.js';

const service = withService();
const { visitor, goTo } = withVisitors(service);
const WAY = [
  ['zoo', 'alexanderplatz', 0.05],
  ['alexanderplatz', 'ostkreuz', 0.05],
] as const;
const NOTE = '<b>wet</b> at one corner';

/** The second courier stands before the first one without a network, and has noted what is wrong, with a photograph. */
async function notedOffline(look: Parameters<typeof visitor>[2]): Promise<{ cast: Cast; one: Visit; code: string }> {
  const cast = await formedWithTerms(service.current, WAY);
  await carryTo(service.current, cast, 0);
  const one = await visitor([at(cast.couriers, 1)], undefined, look);
  const { page, context } = one;
  await goTo(one, PAGES.courier);
  await connect(page);
  await page.getByLabel('What is wrong, if anything').fill(NOTE);
  const buffer = Buffer.from(await page.evaluate<string>(photograph(800, 600)), 'base64');
  await page
    .getByLabel('Photograph (optional)')
    .first()
    .setInputFiles({ name: 'a.jpg', mimeType: 'image/jpeg', buffer });
  await page.getByRole('img', { name: 'Your photograph' }).waitFor();
  await context.setOffline(true);
  await press(page, 'I have it, with this note');
  await page.getByText('only this phone has your note until it is sent').waitFor();
  await press(page, 'Yes, sign it');
  await page.getByText('So is your note').waitFor();
  const waiting = page.getByRole('region', { name: 'At a door' });
  await waiting.getByText(NOTE).waitFor();
  await waiting.getByText('Show the code to another phone').click();
  return { cast, one, code: await seenCode(page) };
}

/** Acts as the phone of the courier before on what its camera saw. */
async function sentByFirst({ couriers, parcel }: Cast, code: string): Promise<string> {
  const { client } = at(couriers, 0);
  await sendSeen(at(couriers, 0), code);
  await expect.poll(async () => (await legNow(service.current, parcel.id, 0)).status).toBe('completed');
  const { receipts } = await client.getPackageReceipts({ packageId: parcel.id });
  const { firstNoted } = await verifyReceipts(receipts, { rpc: service.current.rpc });
  return firstNoted?.hash ?? 'nothing was noted';
}

/** The service's evidence of the leg that ended, for its carrier. */
async function evidenceOf({ couriers, parcel }: Cast): Promise<string[]> {
  const { id: legId } = await legNow(service.current, parcel.id, 0);
  return (await at(couriers, 0).client.listEvidence({ legId })).items.map(({ text }) => text);
}

test('who takes a parcel over with a note and without a network loses neither, though the other phone sends the code and the parcel arrives before (D-84, D-85, T-63)', async () => {
  const { cast, one, code } = await notedOffline({ width: 360 });
  const { page, context } = one;
  expect([await barriers(page), await overhang(page)]).toEqual([[], 0]);
  const hash = await sentByFirst(cast, code);
  expect(await evidenceOf(cast)).toEqual([]);
  await move(service.current, cast, 1, cast.shipper, 'confirm');
  await untilPackage(service.current, cast.parcel.id, ({ status }) => status === 'delivered');

  // The phone comes back from a reload without a network, and only then into one.
  await expect
    .poll(() => page.evaluate(`caches.match('${PAGES.courier}', { ignoreVary: true }).then(Boolean)`))
    .toBe(true);
  await page.reload();
  await page.getByRole('heading', { name: 'Waiting to be sent' }).waitFor();
  await page.getByText(NOTE).waitFor();
  await context.setOffline(false);
  await connect(page);
  await press(page, 'Send it now');
  await expect.poll(() => page.getByRole('heading', { name: 'Waiting to be sent' }).count()).toBe(0);
  expect(await page.getByRole('alert').filter({ hasText: /./u }).count()).toBe(0);
  const [note = '', ...others] = await evidenceOf(cast);
  expect([note.split('\n')[0], others]).toEqual([NOTE, []]);
  expect(resultHash(note).hex).toBe(hash);
});

test('the note is sent before the code once there is a network again, and both are there once (D-84, D-85)', async () => {
  const { cast, one } = await notedOffline({ width: 390, theme: 'dark' });
  const { page, context } = one;
  await context.setOffline(false);
  await press(page, 'Send it now');
  await page.getByText('the previous courier is paid').waitFor();
  await page.getByRole('heading', { name: 'My leg 2: in transit' }).waitFor();
  const { receipts } = await cast.shipper.client.getPackageReceipts({ packageId: cast.parcel.id });
  const texts = await evidenceOf(cast);
  expect(texts).toHaveLength(1);
  expect(receipts.at(-1)).toMatchObject({ condition: 'noted', hash: resultHash(at(texts, 0)).hex });
});

test('a note that the service does not take stays on the phone, with the reason, and keeps nobody from being paid (D-84)', async () => {
  const { cast, one } = await notedOffline({ width: 360 });
  const { page, context } = one;
  const { client } = at(cast.couriers, 1);
  const { id: legId } = await legNow(service.current, cast.parcel.id, 0);
  // Another device of this courier has filled its room meanwhile.
  for (const text of ['1', '2', '3', '4']) await client.putEvidence({ legId, text });
  await context.setOffline(false);
  await press(page, 'Send it now');
  await page.getByRole('heading', { name: 'Sent without its note' }).waitFor();
  await page.getByText('The service refused the note').waitFor();
  await expect.poll(async () => (await legNow(service.current, cast.parcel.id, 0)).status).toBe('completed');
  await page.reload();
  await page.getByText(NOTE).waitFor();
  await press(page, 'Delete it');
  await page.getByText('Your note is lost').waitFor();
  await press(page, 'Yes, delete it');
  await expect.poll(() => page.getByText(NOTE).count()).toBe(0);
});
