import { createHmac } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { sha512 } from '@noble/hashes/sha2.js';
import { base64, base64url, base64urlnopad } from '@scure/base';
import * as fc from 'fast-check';
import { describe, expect, inject, it } from 'vitest';
import { didOf } from '../../../src/contract/identity/did.js';
import { parseCompactJws, signingInputOf } from '../../../src/contract/identity/jws.js';
import { MAX_JWT_CHARACTERS } from '../../../src/contract/identity/verification.js';
import {
  check,
  encode,
  header,
  headerPart,
  jwt,
  keyOf,
  otherSeed,
  payload,
  payloadPart,
  seed,
  sign,
  signaturePart,
  signJson,
  signText,
  utf8,
} from './exampleCredential.js';

const notUtf8 = utf8(JSON.stringify({ ...payload, note: '?' })).map((byte) => (byte === 0x3f ? 0xff : byte));

describe('a credential that was tampered with', () => {
  const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

  /** Adds the order of the curve to S: the same signature to a verifier that reduces it. */
  function malleated(): string {
    const signature = base64urlnopad.decode(signaturePart);
    let scalar = BigInt(`0x${Buffer.from(signature.slice(32)).reverse().toString('hex')}`) + ed25519.Point.Fn.ORDER;
    for (let index = 32; index < 64; index += 1, scalar >>= 8n) signature[index] = Number(scalar & 255n);
    return `${headerPart}.${payloadPart}.${base64urlnopad.encode(signature)}`;
  }

  /** The issuer's own signature, but with the neutral point as R in its second encoding (y = p + 1). */
  function withOddPoint(): Uint8Array {
    const odd = Uint8Array.from({ length: 32 }, (_, index) => (index === 0 ? 0xee : index === 31 ? 0x7f : 0xff));
    const { scalar, pointBytes } = ed25519.utils.getExtendedPublicKey(seed);
    const digest = sha512(Uint8Array.of(...odd, ...pointBytes, ...utf8(`${headerPart}.${payloadPart}`)));
    const challenge = BigInt(`0x${Buffer.from(digest).reverse().toString('hex')}`);
    const signature = new Uint8Array(64);
    signature.set(odd);
    let rest = ed25519.Point.Fn.create(challenge * scalar);
    for (let index = 32; index < 64; index += 1, rest >>= 8n) signature[index] = Number(rest & 255n);
    const lenient = ed25519.verify(signature, utf8(`${headerPart}.${payloadPart}`), pointBytes, { zip215: true });
    if (!lenient) throw new RangeError('no lenient verifier takes it: the example proves nothing');
    return signature;
  }

  const position = fc.nat({ max: jwt.length - 1 });
  const mutation = fc.oneof(
    // Another character of the alphabet in one place.
    fc
      .record({ at: position, by: fc.constantFrom(...BASE64URL.split('')) })
      .map(({ at, by }) => jwt.slice(0, at) + by + jwt.slice(at + 1)),
    // One bit of one part, encoded again.
    fc.record({ part: fc.nat({ max: 2 }), bit: fc.nat({ max: 10_000 }) }).map(({ part, bit }) =>
      jwt
        .split('.')
        .map((text, index) => {
          if (index !== part) return text;
          const bytes = base64urlnopad.decode(text);
          const place = (bit >> 3) % bytes.length;
          bytes[place] = (bytes[place] ?? 0) ^ (1 << (bit & 7));
          return base64urlnopad.encode(bytes);
        })
        .join('.'),
    ),
    position.map((at) => jwt.slice(0, at)),
    position.map((at) => jwt.slice(at + 1)),
    fc
      .record({
        at: position,
        what: fc.constantFrom(' ', '\n', '\r\n', '\t', '=', '.', '..', '+', '/', '\0', '\uFEFF', '\uD800', '%'),
      })
      .map(({ at, what }) => jwt.slice(0, at) + what + jwt.slice(at)),
    fc
      .record({ at: position, length: fc.integer({ min: 1, max: 40 }) })
      .map(({ at, length }) => jwt.slice(0, at) + jwt.slice(at + length)),
    fc.record({ name: fc.string(), value: fc.jsonValue() }).map(({ name, value }) => {
      const changed = JSON.stringify({ ...payload, [name]: value });
      return `${headerPart}.${encode(changed)}.${signaturePart}`;
    }),
    fc.string({ maxLength: 300 }),
    fc
      .uint8Array({ minLength: 64, maxLength: 64 })
      .map((bytes) => `${headerPart}.${payloadPart}.${base64urlnopad.encode(bytes)}`),
  );

  it('(M-64) is never valid and never throws, in 5,000 ways', () => {
    fc.assert(
      fc.property(mutation, (text) => {
        fc.pre(text !== jwt);
        expect(check(text)).not.toBe('valid');
      }),
      { numRuns: inject('lane') === 'slow' ? 5_000 : 1_000 },
    );
  });

  it.each([
    ['padding', `${jwt}=`],
    ['padding of a part', [headerPart, base64url.encode(base64urlnopad.decode(payloadPart)), signaturePart].join('.')],
    [
      'the other alphabet of base64',
      [headerPart, payloadPart, base64.encode(base64urlnopad.decode(signaturePart))].join('.'),
    ],
    ['a dot behind', `${jwt}.`],
    ['a dot before', `.${jwt}`],
    ['two parts', `${headerPart}.${payloadPart}`],
    ['a fourth part', `${jwt}.${signaturePart}`],
    ['white space behind', `${jwt}\n`],
    ['nothing', ''],
    ['very long text', `${jwt}${'A'.repeat(MAX_JWT_CHARACTERS)}`],
    ['a list as header', signJson('[]', JSON.stringify(payload))],
    ['null as claims', signJson(JSON.stringify(header), 'null')],
    ['a text as claims', signJson(JSON.stringify(header), '"x"')],
    ['no JSON', signJson(JSON.stringify(header), '{')],
    ['a byte order mark', signJson(JSON.stringify(header), `\uFEFF${JSON.stringify(payload)}`)],
    ['bytes that are no UTF-8', signText(`${headerPart}.${base64urlnopad.encode(notUtf8)}`)],
  ])('(M-64) is malformed with %s', (_what, text) => {
    expect(check(text)).toBe('malformed');
  });

  it('(M-64) is malformed when its last characters hold bits that no byte has', () => {
    const last = BASE64URL.indexOf(signaturePart.slice(-1));
    expect(last % 16).toBe(0);
    expect(check(`${jwt.slice(0, -1)}${BASE64URL[last + 1]}`)).toBe('malformed');
  });

  it('(M-64) has one form of its signature only', () => {
    expect(check(malleated())).toBe('bad_signature');
    expect(check(`${headerPart}.${payloadPart}.${base64urlnopad.encode(withOddPoint())}`)).toBe('bad_signature');
    expect(check(`${headerPart}.${payloadPart}.`)).toBe('bad_signature');
    expect(check(`${headerPart}.${payloadPart}.${base64urlnopad.encode(new Uint8Array(64))}`)).toBe('bad_signature');
  });
});

describe('a compact JWS', () => {
  it('(M-64) is two objects and a signature, taken apart', () => {
    expect(parseCompactJws(signJson('{}', '{"a":1}'))).toMatchObject({ header: {}, payload: { a: 1 } });
    expect(parseCompactJws(signJson('[]', '{}'))).toBeUndefined();
    expect(parseCompactJws(signJson('{}', '[]'))).toBeUndefined();
  });
});

describe('the header of a credential', () => {
  it('(M-63) may leave typ out, and order its members as it likes', () => {
    const { alg, kid } = header;
    expect(check(sign({ alg, kid }, payload))).toBe('valid');
    expect(check(sign({ kid, typ: 'JWT', alg }, payload))).toBe('valid');
  });

  it.each([
    { crit: ['b64'], b64: false },
    { b64: true },
    { jwk: { kty: 'OKP', crv: 'Ed25519', x: base64urlnopad.encode(ed25519.getPublicKey(otherSeed)) } },
    { jku: 'https://evil.example/keys' },
    { x5u: 'https://evil.example/keys' },
    { x5c: ['AA=='] },
    { cty: 'JWT' },
    { zip: 'DEF' },
    { typ: 'jwt' },
    { typ: null },
    { alg: null },
    { alg: ['EdDSA'] },
  ])('(M-64) is malformed with %j', (extra) => {
    expect(check(sign({ ...header, ...extra }, payload))).toBe('malformed');
  });

  it.each(['none', 'None', 'HS256', 'RS256', 'ES256', 'ES256K', 'Ed25519', 'eddsa', 'EdDSA ', ''])(
    '(M-64) names EdDSA, not %j',
    (alg) => {
      expect(check(sign({ ...header, alg }, payload))).toBe('unsupported_alg');
    },
  );

  it('(M-64) cannot make the public key the secret of a MAC, or leave the signature out', () => {
    const input = signingInputOf({ ...header, alg: 'HS256' }, payload);
    const mac = createHmac('sha256', ed25519.getPublicKey(seed)).update(input).digest();
    expect(check(`${input}.${base64urlnopad.encode(mac)}`)).toBe('unsupported_alg');
    expect(check(`${signingInputOf({ ...header, alg: 'none' }, payload)}.`)).toBe('unsupported_alg');
  });

  it('(M-64) need not name the key, which is that of the issuer then', () => {
    const { kid: _kid, ...nameless } = header;
    expect(check(sign(nameless, payload))).toBe('valid');
    expect(check(sign(nameless, payload, otherSeed))).toBe('bad_signature');
    const stranger = didOf(keyOf(otherSeed));
    const foreign = { ...payload, iss: stranger, vc: { ...payload.vc, issuer: stranger } };
    expect(check(sign(nameless, foreign, otherSeed))).toBe('unknown_issuer');
  });

  it('(M-64) names the first key of the issuer and no other, if it names one', () => {
    const other = didOf(keyOf(otherSeed));
    for (const kid of ['', '#key-1', `${payload.iss}#key-2`, payload.iss, `${other}#key-1`, 1, null]) {
      expect(check(sign({ ...header, kid }, payload))).toBe('unknown_issuer');
    }
  });
});
