import * as library from '@solana/kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { getAddressDecoder, getAddressEncoder, getProgramDerivedAddress } from '../src/keys.js';

const bytes = (shape: fc.IntArrayConstraints) => fc.uint8Array(shape);
const key = bytes({ minLength: 32, maxLength: 32 });
const withZeros = fc.tuple(fc.nat(32), key).map(([zeros, rest]) => rest.fill(0, 0, zeros));
const seeds = fc.array(bytes({ maxLength: 32 }), { maxLength: 15 });

test('an address is read and written as the library does it (P-101)', () => {
  fc.assert(
    fc.property(withZeros, bytes({ maxLength: 5 }), (of, before) => {
      const known = library.getAddressDecoder().decode(of);
      expect(getAddressDecoder().decode(of)).toBe(known);
      expect(getAddressDecoder().read(Uint8Array.of(...before, ...of, 7), before.length)).toEqual([
        known,
        before.length + 32,
      ]);
      expect(getAddressEncoder().encode(known)).toEqual(of);
    }),
  );
});

test('the address that a program has for seeds, and its bump, are those that the library finds (P-101)', async () => {
  await fc.assert(
    fc.asyncProperty(key, seeds, async (program, given) => {
      const programAddress = library.getAddressDecoder().decode(program);
      const known = await library.getProgramDerivedAddress({ programAddress, seeds: given });
      expect(await getProgramDerivedAddress({ programAddress, seeds: given })).toEqual(known);
    }),
    { numRuns: 300 },
  );
});

test('text that is no address, bytes that are too few and a seed that is too long are refused by name', async () => {
  expect(() => getAddressEncoder().encode('llama' as library.Address)).toThrow('base58 text of 32 bytes');
  expect(() => getAddressDecoder().decode(new Uint8Array(31))).toThrow('has 32 bytes, not 31');
  const programAddress = library.getAddressDecoder().decode(new Uint8Array(32));
  const derived = getProgramDerivedAddress({ programAddress, seeds: [new Uint8Array(33)] });
  await expect(derived).rejects.toThrow('32 bytes at most');
});
