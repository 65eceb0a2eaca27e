import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { base58, base64 } from '@scure/base';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createNonce, NONCE_WINDOW_MS, parseNonce } from '../../src/contract/nonce.js';
import {
  createRequestSigner,
  type RequestHeaders,
  type RequestParts,
  signedRequestText,
  signRequest,
  verifyRequest,
} from '../../src/contract/signing.js';

const NOW = 1_790_000_000_000;
const NONCE = `${NOW}-abcdEFGH12345678`;
const seed = new Uint8Array(32).fill(42);
const signer = createRequestSigner(seed);
const parts: RequestParts = {
  method: 'POST',
  host: 'relay.example:8080',
  path: '/bids?x=1&y=%20',
  body: '{"costSol":0.25,"reasoning":"über"}',
};

async function signed(over: RequestParts = parts, nonce = NONCE): Promise<Record<string, string>> {
  return { ...(await signRequest(signer, over, nonce)) };
}

function codeOf(over: RequestParts, headers: RequestHeaders, nowMs = NOW): string {
  const result = verifyRequest(over, headers, nowMs);
  return result.ok ? 'ok' : result.code;
}

function flipBit(bytes: Uint8Array, bit: number): Uint8Array {
  return bytes.map((byte, index) => (index === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte));
}

describe('a signed request', () => {
  it('[M-31] signs six lines: scheme, method, host, path with query, nonce, body hash', () => {
    expect(signedRequestText({ method: 'get', host: 'Relay.Example', path: '/packages?limit=1' }, '1-aaaaaaaa')).toBe(
      'svc-auth-v1\nGET\nrelay.example\n/packages?limit=1\n1-aaaaaaaa\n' +
        'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    );
  });

  it('[M-31] hashes text as UTF-8 and an absent body as an empty one', () => {
    const bytes = new TextEncoder().encode(String(parts.body));
    expect(signedRequestText(parts, NONCE)).toBe(signedRequestText({ ...parts, body: bytes }, NONCE));
    const bare = { method: 'GET', host: 'h', path: '/' };
    expect(signedRequestText(bare, NONCE)).toBe(signedRequestText({ ...bare, body: new Uint8Array() }, NONCE));
  });

  it.each(['method', 'host', 'path'] as const)('[M-31] never lets a %s reach into another line', async (part) => {
    for (const text of ['', 'a\nb', 'a b', 'a\r']) {
      expect(() => signedRequestText({ ...parts, [part]: text }, NONCE)).toThrow(part);
      expect(codeOf({ ...parts, [part]: text }, await signed())).toBe('malformed_request');
    }
  });

  it('[M-31] verifies for its signer', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ minLength: 32, maxLength: 32 }),
        fc.uint8Array({ maxLength: 200 }),
        fc.constantFrom('GET', 'POST', 'DELETE'),
        fc.webPath(),
        async (secret, body, method, path) => {
          const own = createRequestSigner(secret);
          const request = { method, host: 'relay.example', path: `/${path}`, body };
          const nonce = createNonce(NOW);
          const headers = await signRequest(own, request, nonce);
          const [text, signature] = [signedRequestText(request, nonce), headers['X-Signature']];
          const verified = { ok: true, pubkey: own.pubkey, nonce, text, signature };
          expect(verifyRequest(request, { ...headers }, NOW)).toEqual(verified);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('[M-31] fails when any part differs', async () => {
    const headers = await signed();
    expect(codeOf(parts, headers)).toBe('ok');
    for (const change of [
      { method: 'PUT' },
      { host: 'relay.example' },
      { path: '/bids?x=1&y=%21' },
      { path: '/bids' },
      { body: '{"costSol":0.26,"reasoning":"über"}' },
      { body: '' },
    ]) {
      expect(codeOf({ ...parts, ...change }, headers)).toBe('bad_signature');
    }
    expect(codeOf(parts, { ...headers, 'X-Nonce': `${NOW}-abcdEFGH12345679` })).toBe('bad_signature');
    const other = createRequestSigner(new Uint8Array(32).fill(43));
    expect(codeOf(parts, { ...headers, 'X-Pubkey': other.pubkey })).toBe('bad_signature');
  });

  it('[M-33] fails when any single bit of signature, key or body is flipped', async () => {
    const body = new TextEncoder().encode(String(parts.body));
    const headers = await signed();
    const signature = base58.decode(headers['X-Signature'] ?? '');
    const key = base58.decode(signer.pubkey);
    fc.assert(
      fc.property(fc.nat(511), fc.nat(255), fc.nat(body.length * 8 - 1), (signatureBit, keyBit, bodyBit) => {
        expect(codeOf({ ...parts, body: flipBit(body, bodyBit) }, headers)).toBe('bad_signature');
        expect(codeOf(parts, { ...headers, 'X-Signature': base58.encode(flipBit(signature, signatureBit)) })).toBe(
          'bad_signature',
        );
        expect(codeOf(parts, { ...headers, 'X-Pubkey': base58.encode(flipBit(key, keyBit)) })).not.toBe('ok');
      }),
      { numRuns: 60 },
    );
  });

  it('[M-33] takes the signature in base58 or base64', async () => {
    const headers = await signed();
    const inBase64 = base64.encode(base58.decode(headers['X-Signature'] ?? ''));
    expect(codeOf(parts, { ...headers, 'X-Signature': inBase64 })).toBe('ok');
    expect(codeOf(parts, { ...headers, 'X-Signature': inBase64.slice(0, -2) })).toBe('malformed_signature');
    expect(codeOf(parts, { ...headers, 'X-Signature': base58.encode(new Uint8Array(63).fill(9)) })).toBe(
      'malformed_signature',
    );
    expect(codeOf(parts, { ...headers, 'X-Signature': '='.repeat(50_000) })).toBe('malformed_signature');
  });

  it('[M-33] is verified strictly: no key of small order, no second form of a signature', async () => {
    const smallOrder = base58.encode(Uint8Array.from(Buffer.from(`01${'00'.repeat(31)}`, 'hex')));
    const forged = new Uint8Array(64);
    forged[0] = 1;
    const headers = { 'X-Pubkey': smallOrder, 'X-Nonce': NONCE, 'X-Signature': base58.encode(forged) };
    expect(ed25519.verify(forged, sha256(new Uint8Array()), base58.decode(smallOrder))).toBe(true);
    expect(codeOf(parts, headers)).toBe('small_order_key');

    const own = await signed();
    const signature = base58.decode(own['X-Signature'] ?? '');
    const order = ed25519.Point.Fn.ORDER;
    let scalar = BigInt(`0x${Buffer.from(signature.slice(32)).reverse().toString('hex')}`) + order;
    const malleated = Uint8Array.from(signature);
    for (let index = 32; index < 64; index += 1, scalar >>= 8n) {
      malleated[index] = Number(scalar & 255n);
    }
    expect(codeOf(parts, { ...own, 'X-Signature': base58.encode(malleated) })).toBe('bad_signature');
  });

  it('[M-34] says which header is missing, repeated or wrong', async () => {
    const headers = await signed();
    for (const name of Object.keys(headers)) {
      const result = verifyRequest(parts, { ...headers, [name]: undefined }, NOW);
      expect(result).toMatchObject({ ok: false, code: 'missing_header', message: expect.stringContaining(name) });
      expect(codeOf(parts, { ...headers, [name]: '' })).toBe('missing_header');
      expect(codeOf(parts, { ...headers, [name]: ['a', 'b'] })).toBe('repeated_header');
      expect(codeOf(parts, { ...headers, [name.toLowerCase()]: 'second' })).toBe('repeated_header');
    }
    expect(codeOf(parts, { ...headers, 'X-Pubkey': 'nonsense' })).toBe('invalid_pubkey');
    const offCurve = new Uint8Array(32);
    offCurve[0] = 2;
    expect(codeOf(parts, { ...headers, 'X-Pubkey': base58.encode(offCurve) })).toBe('invalid_pubkey');
  });

  it('[M-34] finds its headers in any case', async () => {
    const lower = Object.fromEntries(
      Object.entries(await signed()).map(([name, value]) => [name.toLowerCase(), value]),
    );
    expect(codeOf(parts, lower)).toBe('ok');
  });
});

describe('a nonce', () => {
  it('[M-32] is the time and base62 characters, different each time', () => {
    const nonces = new Set(Array.from({ length: 500 }, () => createNonce(NOW)));
    expect(nonces.size).toBe(500);
    for (const nonce of nonces) {
      expect(nonce).toMatch(/^1790000000000-[0-9A-Za-z]{16}$/);
    }
    expect(parseNonce('17-abcdefgh')).toEqual({ unixMs: 17, random: 'abcdefgh' });
  });

  it.each([
    '',
    '17',
    '17-abcdefg',
    '17-abcdefg_',
    '-17-abcdefgh',
    '1.5-abcdefgh',
    '017-abcdefgh',
    '17-abcdefgh\n',
    `17-${'a'.repeat(65)}`,
  ])('[M-32] of another form is malformed: %j', async (nonce) => {
    expect(parseNonce(nonce)).toBeUndefined();
    expect(codeOf(parts, { ...(await signed()), 'X-Nonce': nonce || 'x' })).toBe('malformed_nonce');
  });

  it('[M-32] is stale more than 60 s before or after the clock', async () => {
    const headers = await signed();
    expect(codeOf(parts, headers, NOW + NONCE_WINDOW_MS)).toBe('ok');
    expect(codeOf(parts, headers, NOW - NONCE_WINDOW_MS)).toBe('ok');
    expect(codeOf(parts, headers, NOW + NONCE_WINDOW_MS + 1)).toBe('stale_nonce');
    expect(codeOf(parts, headers, NOW - NONCE_WINDOW_MS - 1)).toBe('stale_nonce');
  });
});

describe('a signer', () => {
  it('[M-33] takes a seed or a Solana key file of 64 bytes', () => {
    const both = new Uint8Array([...seed, ...base58.decode(signer.pubkey)]);
    expect(createRequestSigner(both).pubkey).toBe(signer.pubkey);
    both[63] = (both[63] ?? 0) ^ 1;
    expect(() => createRequestSigner(both)).toThrow('not the public key');
    expect(() => createRequestSigner(new Uint8Array(31))).toThrow('32 bytes');
  });
});
