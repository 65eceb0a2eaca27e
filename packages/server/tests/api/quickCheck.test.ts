import { formatPubkey, signedRequestText, verifyRequest } from '@legwork/protocol/contract';
import { ed25519 } from '@noble/curves/ed25519.js';
import { sha512 } from '@noble/hashes/sha2.js';
import { base58 } from '@scure/base';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSurelyGood } from '../../src/api/signedRequest.js';

const { Point } = ed25519;
const ORDER = Point.Fn.ORDER;
const secret = new Uint8Array(32).fill(42);
const key = ed25519.getPublicKey(secret);
const message = new TextEncoder().encode('a request');
const isStrictlyGood = (signature: Uint8Array, text = message) =>
  ed25519.verify(signature, text, key, { zip215: false });

const fromLittleEndian = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
const littleEndian = (value: bigint) => Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse();

/** A signature whose R has a part of small order: good under strict verification, which takes the cofactor into account. */
function signedBesideTheGroup(text: Uint8Array): Uint8Array {
  const { scalar } = ed25519.utils.getExtendedPublicKey(secret);
  const aside = Point.fromBytes(littleEndian(2n ** 255n - 20n));
  const R = Point.BASE.multiply(7n).add(aside).toBytes();
  const k = fromLittleEndian(sha512(Uint8Array.from([...R, ...key, ...text]))) % ORDER;
  return Uint8Array.from([...R, ...littleEndian((7n + k * scalar) % ORDER)]);
}

describe('the quick check of a signature', () => {
  it('(S-12) vouches for what was signed, and never for what strict verification refuses', () => {
    const signature = ed25519.sign(message, secret);
    expect(isSurelyGood(signature, message, key)).toBe(true);
    fc.assert(
      fc.property(fc.nat(511), (bit) => {
        const changed = signature.map((byte, index) => (index === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte));
        expect(isSurelyGood(changed, message, key)).toBe(false);
        expect(isStrictlyGood(changed)).toBe(false);
      }),
      { numRuns: 40 },
    );
    const second = Uint8Array.from([
      ...signature.slice(0, 32),
      ...littleEndian(fromLittleEndian(signature.slice(32)) + ORDER),
    ]);
    expect(isSurelyGood(second, message, key)).toBe(false);
    expect(isSurelyGood(signature, message.slice(1), key)).toBe(false);
  });

  it('(S-12) leaves to strict verification what it does not vouch for', async () => {
    const parts = { method: 'GET', host: 'relay.example', path: '/packages' };
    const now = Date.UTC(2026, 0, 1);
    const nonce = `${now}-abcdEFGH12345678`;
    const text = new TextEncoder().encode(signedRequestText(parts, nonce));
    const signature = signedBesideTheGroup(text);
    expect(isStrictlyGood(signature, text)).toBe(true);
    expect(isSurelyGood(signature, text, key)).toBe(false);
    const headers = {
      'X-Pubkey': formatPubkey(key),
      'X-Nonce': nonce,
      'X-Signature': base58.encode(signature),
    };
    expect(verifyRequest(parts, headers, now, isSurelyGood)).toMatchObject({ ok: true });
  });
});
