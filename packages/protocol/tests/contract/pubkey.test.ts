import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatPubkey,
  isPubkey,
  isSignature,
  keyFault,
  parsePubkey,
  parseWalletPubkey,
  RUNTIME_ADDRESSES,
} from '../../src/contract/pubkey.js';

const wallet = formatPubkey(ed25519.getPublicKey(new Uint8Array(32).fill(7)));
const seed = fc.uint8Array({ minLength: 32, maxLength: 32 });

/** Encodings of the eight points of small order, and two non-canonical ones. */
const SMALL_ORDER = [
  '0100000000000000000000000000000000000000000000000000000000000000',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0000000000000000000000000000000000000000000000000000000000000080',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
].map((hex) => Uint8Array.from(Buffer.from(hex, 'hex')));

describe('public keys', () => {
  it('[M-8] are base58 of 32 bytes and come back unchanged', () => {
    fc.assert(
      fc.property(seed, (bytes) => {
        expect(parsePubkey(formatPubkey(bytes))).toEqual(bytes);
      }),
    );
  });

  it.each([
    ['', 'empty text'],
    [wallet.slice(2), 'two characters short'],
    [`${wallet}1`, 'a character long'],
    [`${wallet.slice(0, -1)}0`, 'a character base58 lacks'],
    [` ${wallet}`, 'white space'],
    [base58.encode(new Uint8Array(31).fill(255)), '31 bytes'],
    ['1'.repeat(100_000), 'very long text'],
  ])('[M-8] refuse %s (%s)', (text) => {
    expect(isPubkey(text)).toBe(false);
    expect(() => parsePubkey(text)).toThrow(expect.objectContaining({ code: 'invalid_pubkey' }));
  });

  it('[M-8] of every secret key are on the curve', () => {
    fc.assert(
      fc.property(seed, (secret) => {
        const key = ed25519.getPublicKey(secret);
        expect(keyFault(key)).toBeUndefined();
        expect(parseWalletPubkey(formatPubkey(key))).toEqual(key);
      }),
      { numRuns: 20 },
    );
  });

  it('[M-8] are judged by themselves, whatever keys like them were judged before', () => {
    const isPoint = (bytes: Uint8Array) => {
      try {
        return ed25519.Point.fromBytes(bytes) !== undefined;
      } catch {
        return false;
      }
    };
    fc.assert(
      fc.property(seed, fc.nat(255), (secret, bit) => {
        const key = ed25519.getPublicKey(secret);
        const like = Uint8Array.from(key, (byte, index) => (index === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte));
        const judged = () => [keyFault(key), keyFault(like)];
        expect(judged()).toEqual([undefined, isPoint(like) ? undefined : 'not_on_curve']);
        expect(judged()).toEqual(judged());
      }),
    );
  });

  it('[M-8] are refused off the curve', () => {
    const offCurve = new Uint8Array(32).fill(0);
    offCurve[0] = 2;
    expect(keyFault(offCurve)).toBe('not_on_curve');
    expect(() => parseWalletPubkey(formatPubkey(offCurve))).toThrow(expect.objectContaining({ code: 'not_on_curve' }));
  });

  it.each(SMALL_ORDER.map((bytes) => [Buffer.from(bytes).toString('hex'), bytes] as const))(
    '[M-8] of small order are refused: %s',
    (_hex, bytes) => {
      expect(keyFault(bytes)).toBe('small_order_key');
      expect(() => parseWalletPubkey(formatPubkey(bytes))).toThrow(
        expect.objectContaining({ code: expect.stringMatching(/^(?:small_order_key|reserved_address)$/) }),
      );
    },
  );

  it('[M-8] refuse programs, loaders and sysvars, each a real address', () => {
    for (const address of RUNTIME_ADDRESSES) {
      expect(isPubkey(address)).toBe(true);
      expect(() => parseWalletPubkey(address)).toThrow(expect.objectContaining({ code: 'reserved_address' }));
    }
  });

  it('a signature is base58 of 64 bytes, and no other text is one', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 60, maxLength: 68 }), fc.string(), (bytes, other) => {
        expect(isSignature(base58.encode(bytes))).toBe(bytes.length === 64);
        expect(isSignature(`${base58.encode(bytes)}0`)).toBe(false);
        expect(isSignature(other)).toBe(false);
      }),
    );
    expect(isSignature(base58.encode(new Uint8Array(64).fill(255)))).toBe(true);
    expect(isSignature('1'.repeat(64))).toBe(true);
  });

  it('[M-8] refuse the addresses that the caller reserves', () => {
    expect(parseWalletPubkey(wallet)).toEqual(base58.decode(wallet));
    expect(() => parseWalletPubkey(wallet, [wallet])).toThrow(expect.objectContaining({ code: 'reserved_address' }));
  });
});
