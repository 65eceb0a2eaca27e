import { getBase58Decoder, getBase58Encoder } from '@solana/kit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fromBase58, toBase58 } from '../src/bank/base58.js';

const bytes = fc
  .tuple(fc.nat(4), fc.uint8Array({ maxLength: 130 }))
  .map(([zeros, rest]) => Uint8Array.of(...new Uint8Array(zeros), ...rest));

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

describe('base58', () => {
  test('writes any bytes as kit does', () => {
    const isSame = fc.property(bytes, (some) => {
      expect(toBase58(some)).toBe(getBase58Decoder().decode(some));
    });
    fc.assert(isSame, { numRuns: 2000 });
  });

  test('reads any text as kit does', () => {
    const text = fc.string({ unit: fc.constantFrom(...ALPHABET.split('')) });
    const isSame = fc.property(fc.oneof(text, bytes.map(toBase58)), (some) => {
      expect([...fromBase58(some)]).toEqual([...getBase58Encoder().encode(some)]);
    });
    fc.assert(isSame, { numRuns: 2000 });
  });

  test.each(['0', 'O', 'I', 'l', 'é', '11 1', 'abc\u{1f600}', '漢'])('refuses %j', (text) => {
    expect(() => fromBase58(text)).toThrow('outside the base58 alphabet');
  });
});
