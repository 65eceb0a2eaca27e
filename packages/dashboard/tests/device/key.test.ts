import { createPublicKey, verify } from 'node:crypto';
import { getAddressEncoder } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { accountSeed } from '../../src/device/derivation.js';
import { importKey, importSeed } from '../../src/device/key.js';
import { faultOfPhrase, newPhrase, seedOfPhrase } from '../../src/device/phrase.js';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
/** The first vector of SLIP-0010 for Ed25519. */
const VECTOR = Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex');
/** The phrase of the Solana cookbook, and the address that it names for m/44'/501'/0'/0'. */
const COOKBOOK = 'neither lonely flavor argue grass remind eye tag avocado spot unusual intact';
const FIRST_ACCOUNT = '5vftMkHL72JaJG6ExQfGAsT2uGVHpRR7oTNUPMs68Y2N';

describe('the key of a device (D-70)', () => {
  test('is derived as SLIP-0010 says', async () => {
    expect(hex(await accountSeed(VECTOR, [0]))).toBe(
      '68e0fe46dfb67e368c75379acec591dad19df3cde26e63b93a8e704f1dade7a3',
    );
    expect(hex(await accountSeed(VECTOR, [0, 1, 2, 2, 1_000_000_000]))).toBe(
      '8f94d394a8e8fd6b1bc2f3f49f5c47e385281d5c17e65324b0f62483e37e8793',
    );
  });

  test('has the address that other Solana wallets show for its phrase, however it is typed', async () => {
    for (const typed of [COOKBOOK, `  ${COOKBOOK.toUpperCase().replaceAll(' ', ' \n ')} `]) {
      expect((await importSeed(await seedOfPhrase(typed))).address).toBe(FIRST_ACCOUNT);
    }
  });

  test('signs what any verifier of Ed25519 takes, and cannot be read', async () => {
    const seed = await seedOfPhrase(newPhrase());
    const { address, sign } = await importSeed(seed);
    const message = new TextEncoder().encode('Legwork handoff 1');
    const raw = Buffer.from(getAddressEncoder().encode(address)).toString('base64url');
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: raw }, format: 'jwk' });
    expect(verify(null, message, key, await sign(message))).toBe(true);
    const { privateKey } = await importKey(seed);
    expect(privateKey.extractable).toBe(false);
    await expect(crypto.subtle.exportKey('pkcs8', privateKey)).rejects.toThrow(/extractable/);
    await expect(crypto.subtle.exportKey('jwk', privateKey)).rejects.toThrow(/extractable/);
  });

  test('is read again only where that was asked for, and has 32 bytes of seed', async () => {
    const seed = crypto.getRandomValues(new Uint8Array(32));
    const { privateKey } = await importKey(seed, true);
    expect(hex(new Uint8Array(await crypto.subtle.exportKey('pkcs8', privateKey)))).toContain(hex(seed));
    await expect(importSeed(seed.subarray(1))).rejects.toThrow('A seed has 32 bytes, and this one 31.');
  });
});

describe('a recovery phrase (D-70)', () => {
  test('has twelve words, another twelve each time, and holds together', () => {
    const phrases = Array.from({ length: 20 }, newPhrase);
    expect(new Set(phrases).size).toBe(20);
    for (const phrase of phrases) {
      expect(phrase.split(' ')).toHaveLength(12);
      expect(faultOfPhrase(phrase)).toBeUndefined();
    }
  });

  test.each([
    ['', /Type the words/],
    ['neither lonely', /this one has 2/],
    [COOKBOOK.replace('grass', 'grasss'), /^Word 5 is not one/],
    [COOKBOOK.replace('neither lonely', 'lonely neither'), /the wrong place/],
    ['<b>neither</b>', /^Word 1 is not one/],
  ])('that is wrong is told how, and never repeated: %s', async (typed, words) => {
    expect(faultOfPhrase(typed)).toMatch(words);
    expect(faultOfPhrase(typed)).not.toContain('lonely');
    await expect(seedOfPhrase(typed)).rejects.toThrow(words);
  });
});
