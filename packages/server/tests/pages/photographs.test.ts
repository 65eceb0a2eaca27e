import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { at, carryTo } from '../operations/turns/scene.js';
import { withService } from '../support/service.js';
import { press, withVisitors } from './acting.js';
import { forConsignee, linkOf, photograph } from './consignee.js';
import { barriers, overhang } from './visit.js';

const service = withService();
const { visitor } = withVisitors(service);

/** A PNG of so many white squares, of some KB: what it holds is that much larger. */
function bomb(side: number): Buffer {
  const chunk = (name: string, data: Buffer) => {
    const named = Buffer.concat([Buffer.from(name), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(named));
    return Buffer.concat([length, named, sum]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(side, 0);
  head.writeUInt32BE(side, 4);
  // One bit a pixel, in grey.
  head[8] = 1;
  const rows = deflateSync(Buffer.alloc((1 + Math.ceil(side / 8)) * side, 0), { level: 9 });
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', head),
    chunk('IDAT', rows),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The same photograph in a file of so many bytes, as phones put previews and maps of depth before it. */
function padded(jpeg: Buffer, bytes: number): Buffer {
  const most = 0xff_ff;
  const segment = Buffer.concat([Buffer.from([0xff, 0xe2, 0xff, 0xff]), Buffer.alloc(most - 2, 0xd8)]);
  const count = Math.ceil((bytes - jpeg.length) / segment.length);
  return Buffer.concat([jpeg.subarray(0, 2), ...Array.from({ length: count }, () => segment), jpeg.subarray(2)]);
}

/** Reports whether it is short enough, and how high it is in quarters of its length. */
const SIZE = `(({ naturalWidth, naturalHeight }) => [naturalWidth <= 1600, (4 * naturalHeight) / naturalWidth])(document.querySelector('img.photo'))`;

const heic = () => readFile(new URL('photographs/phone.heic', import.meta.url));

test('a photograph that cannot be used says why and what to do, and nothing that was typed or taken is lost (D-83)', async () => {
  const cast = await forConsignee(service.current);
  await carryTo(service.current, cast, 0);
  const { page, complaints } = await visitor([], undefined, { width: 360 });
  await page.goto(linkOf(service.current, cast.parcel));
  await press(page, 'I have it, but something is wrong');
  await page.getByLabel('What is wrong').fill('wet at one corner');
  const field = page.getByLabel('Photograph (optional)');
  const good = Buffer.from(await page.evaluate<string>(photograph(1_200, 900)), 'base64');
  await field.setInputFiles({ name: 'good.jpg', mimeType: 'image/jpeg', buffer: good });
  const shown = page.getByRole('img', { name: 'Your photograph' });
  const taken = await shown.getAttribute('src');
  const large = Buffer.from(good);
  // The frame says 30,000 by 30,000.
  large.writeUInt32BE(0x75_30_75_30, large.indexOf(Buffer.from([0xff, 0xc0])) + 5);
  for (const [name, buffer, says] of [
    ['a.heic', await heic(), 'is a HEIC file, which this browser cannot read. Take it here with the camera'],
    // A browser goes by what is in a file, and phones by its name.
    ['a.jpg', await heic(), 'is a HEIC file, which this browser cannot read'],
    ['a.jpg', Buffer.from('no picture'), 'This browser cannot read this file as a photograph'],
    [
      'a.svg',
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'),
      'This browser cannot read this file',
    ],
    ['a.jpg', Buffer.alloc(0), 'This file is empty'],
    ['a.jpg', good.subarray(0, good.length / 2), 'This photograph is incomplete'],
    ['a.jpg', good.subarray(0, 20), 'This photograph is incomplete'],
    ['a.png', bomb(20_000), 'This photograph has 400 megapixels, and a phone can handle 64'],
    ['a.jpg', large, 'This photograph has 900 megapixels'],
  ] as const) {
    await field.setInputFiles({ name, mimeType: 'image/jpeg', buffer });
    await page.getByRole('alert').filter({ hasText: says }).waitFor();
    expect(await page.getByLabel('What is wrong').inputValue()).toBe('wet at one corner');
    expect(await shown.getAttribute('src')).toBe(taken);
    expect(await field.inputValue()).toBe('');
  }
  expect([await barriers(page), await overhang(page), complaints]).toEqual([[], 0, []]);
  await press(page, 'Accept it with this note');
  await page.getByText('also finds it by itself').waitFor();
  const { items } = await at(cast.couriers, 0).client.listEvidence({
    legId: at(cast.parcel.swarm?.legs ?? [], 0).id,
  });
  expect(at(items, 0).text).toBe(`wet at one corner\n${taken}`);
});

test('a photograph of 48 megapixels and 40 MB is drawn anew and small, and one above 60 MB is refused (D-83)', async () => {
  const cast = await forConsignee(service.current);
  await carryTo(service.current, cast, 0);
  const { page, complaints } = await visitor([], undefined, { width: 390 });
  await page.goto(linkOf(service.current, cast.parcel));
  await press(page, 'I have it, but something is wrong');
  const jpeg = Buffer.from(await page.evaluate<string>(photograph(8_000, 6_000)), 'base64');
  const files = await Promise.all(
    [40_000_000, 60_000_001].map(async (bytes) => {
      const file = join(process.env['TMPDIR'] ?? tmpdir(), `${bytes}.jpg`);
      await writeFile(file, padded(jpeg, bytes));
      return file;
    }),
  );
  await page.getByLabel('Photograph (optional)').setInputFiles(at(files, 0));
  const shown = page.getByRole('img', { name: 'Your photograph' });
  await shown.waitFor();
  expect(await page.evaluate(SIZE)).toEqual([true, 3]);
  expect((await shown.getAttribute('src'))?.length).toBeLessThanOrEqual(180_000);
  await page.getByLabel('Photograph (optional)').setInputFiles(at(files, 1));
  await page.getByText('This file is larger than 60 MB').waitFor();
  expect(complaints).toEqual([]);
});

/** A phone that takes its time to decode a picture, until it is told. */
const SLOW = `{
  const decode = createImageBitmap;
  globalThis.createImageBitmap = async (...given) => {
    await new Promise((resolve) => { globalThis.goOn = resolve; });
    return decode(...given);
  };
}`;

test('nobody signs a note while its photograph is still being made smaller (D-83)', async () => {
  const cast = await forConsignee(service.current);
  await carryTo(service.current, cast, 0);
  const { page } = await visitor([], undefined, { width: 360 });
  await page.addInitScript(SLOW);
  await page.goto(linkOf(service.current, cast.parcel));
  await press(page, 'I have it, but something is wrong');
  await page.getByLabel('What is wrong').fill('wet at one corner');
  const buffer = Buffer.from(await page.evaluate<string>(photograph(800, 600)), 'base64');
  await page.getByLabel('Photograph (optional)').setInputFiles({ name: 'a.jpg', mimeType: 'image/jpeg', buffer });
  await page.getByText('Making the photograph smaller').waitFor();
  const sign = page.getByRole('button', { name: 'Accept it with this note' });
  expect([await sign.isDisabled(), await page.getByLabel('Photograph (optional)').isDisabled()]).toEqual([true, true]);
  await page.evaluate('goOn()');
  await page.getByRole('img', { name: 'Your photograph' }).waitFor();
  expect([await sign.isDisabled(), await page.getByLabel('Photograph (optional)').isDisabled()]).toEqual([
    false,
    false,
  ]);
});
