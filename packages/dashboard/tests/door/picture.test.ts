import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { headOf } from '../../src/door/pictureHead.js';

const headIn = (...parts: readonly (string | readonly number[])[]) => {
  const bytes = Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))),
  );
  return headOf(new DataView(bytes.buffer, bytes.byteOffset, bytes.length));
};

/** 30,000 by 20,000. */
const LARGE = [0x75, 0x30, 0x4e, 0x20] as const;
const [high, low, height, less] = LARGE;

test('a file says how many pixels it has before any of them is decoded (D-83)', () => {
  const frame = [0xff, 0xc2, 0, 11, 8, high, low, height, less, 1, 0, 0, 0];
  const segment = [0xff, 0xe1, 0, 6, 0xff, 0xc0, 0, 0];
  const scan = [0xff, 0xda, 0, 2];
  const ffd9 = [0xff, 0xd9];
  const pixels = 600_000_000;
  expect(headIn([0xff, 0xd8], segment, [0xff], frame, scan, ffd9)).toEqual({ pixels, isWhole: true });
  expect(headIn([0xff, 0xd8], frame, scan, [0xff, 0])).toEqual({ pixels, isWhole: false });
  const png = [0, 0, high, low, 0, 0, height, less];
  expect(headIn('\u0089PNG\r\n\u001a\n', [0, 0, 0, 13], 'IHDR', png, 'IEND')).toEqual({ pixels, isWhole: true });
  const largest = { pixels: 16_384 ** 2, isWhole: true };
  const webp = (...chunk: readonly (string | number[])[]) => headIn('RIFF', [22, 0, 0, 0], 'WEBP', ...chunk, [0, 0]);
  expect(webp('VP8X', [0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0x3f, 0, 0xff, 0x3f, 0])).toEqual(largest);
  expect(webp('VP8L', [0, 0, 0, 0, 0x2f, 0xff, 0xff, 0xff, 0x0f, 0, 0, 0, 0, 0])).toEqual(largest);
  const lossy = webp('VP8 ', [0, 0, 0, 0, 0, 0, 0, 0x9d, 1, 0x2a, 0xff, 0x3f, 0xff, 0x3f]);
  expect(lossy).toEqual({ ...largest, pixels: 16_383 ** 2 });
});

const heic = readFileSync(new URL('../../../server/tests/pages/photographs/phone.heic', import.meta.url));

test('a HEIC file of a phone is known as one, and what is of no such kind as none (D-83)', () => {
  expect(headOf(new DataView(new Uint8Array(heic).buffer))).toMatchObject({
    pixels: 64 * 64,
    otherwise: expect.stringContaining('Most Compatible') as string,
  });
  for (const text of ['', 'hello', '<svg/>', '\u0000\u0000\u0000\u0018ftypmp42', 'RIFF'])
    expect(headIn(text)).toBeUndefined();
  for (const text of ['\u00ff\u00d8\u00ff', '\u0089PNG', '\u0000\u0000\u0000\u0000ftypheic']) {
    expect(headIn(text)?.pixels ?? 0).toBe(0);
  }
});

test('no bytes at all make it fail or go on for ever (D-83)', () => {
  const beginnings = ['\u00ff\u00d8\u00ff', '\u0089PNG', 'RIFF1234WEBPVP8X', '0000ftypheic', '0000ftypavif'];
  fc.assert(
    fc.property(fc.constantFrom(...beginnings), fc.uint8Array({ maxLength: 300 }), (beginning, rest) => {
      const { pixels = 0 } = headIn(beginning, [...rest]) ?? {};
      expect(pixels).toBeGreaterThanOrEqual(0);
    }),
  );
});
