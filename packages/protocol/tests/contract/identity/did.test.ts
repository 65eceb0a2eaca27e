import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeMultibaseKey,
  didOf,
  encodeMultibaseKey,
  isDidKey,
  keyIdOf,
  parseDid,
} from '../../../src/contract/identity/did.js';
import {
  credentialEndpointOf,
  didDocument,
  didDocumentSchema,
  keysOfDocument,
  resolvedDid,
  unresolvedDid,
} from '../../../src/contract/identity/didDocument.js';
import { formatPubkey } from '../../../src/contract/pubkey.js';

const keyOf = (fill: number) => formatPubkey(ed25519.getPublicKey(new Uint8Array(32).fill(fill)));
const anyKey = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((seed) => formatPubkey(ed25519.getPublicKey(seed)));
const key = keyOf(1);

const offCurve = new Uint8Array(32);
offCurve[0] = 2;
const NO_KEYS = [
  ['empty text', ''],
  ['base58 of 31 bytes', base58.encode(new Uint8Array(31).fill(9))],
  ['base58 of 33 bytes', base58.encode(new Uint8Array(33).fill(9))],
  ['a point of small order, which is the system program', '1'.repeat(32)],
  ['a point off the curve', base58.encode(offCurve)],
  ['a y above the prime, a second text of a point', base58.encode(new Uint8Array(32).fill(255))],
  ['a fragment behind the key', `${key}#key-1`],
  ['white space', `${key} `],
  ['a character that base58 lacks', `${key.slice(0, -1)}0`],
  ['very long text', '1'.repeat(100_000)],
] as const;

describe('a DID', () => {
  it('(M-62) names its key, and the key it', () => {
    fc.assert(
      fc.property(anyKey, (pubkey) => {
        expect(didOf(pubkey)).toBe(`did:svc:${pubkey}`);
        expect(parseDid(didOf(pubkey))).toBe(pubkey);
        expect(keyIdOf(didOf(pubkey))).toBe(`did:svc:${pubkey}#key-1`);
      }),
      { numRuns: 40 },
    );
  });

  it.each(NO_KEYS)('(M-62) is none of %s', (_what, text) => {
    expect(isDidKey(text)).toBe(false);
    expect(() => didOf(text)).toThrow(RangeError);
    expect(parseDid(`did:svc:${text}`)).toBeUndefined();
  });

  it.each([key, `did:sol:${key}`, `DID:svc:${key}`, `did:svc:svc:${key}`, ` did:svc:${key}`])(
    '(M-62) has this method and this form only: %s',
    (text) => {
      expect(parseDid(text)).toBeUndefined();
    },
  );
});

describe('the text of a key', () => {
  it('(M-62) is z and the base58btc of 0xed, 0x01 and the key, and is read back', () => {
    fc.assert(
      fc.property(anyKey, (pubkey) => {
        const text = encodeMultibaseKey(pubkey);
        expect(text).toMatch(/^z6Mk/);
        expect(base58.decode(text.slice(1))).toEqual(Uint8Array.of(0xed, 0x01, ...base58.decode(pubkey)));
        expect(decodeMultibaseKey(text)).toBe(pubkey);
      }),
      { numRuns: 40 },
    );
  });

  it('(M-62) of another base, another kind of key, or no key at all is not read', () => {
    const text = encodeMultibaseKey(key);
    const bytes = base58.decode(key);
    for (const wrong of [
      '',
      'z',
      text.slice(1),
      `m${text.slice(1)}`,
      `${text}1`,
      `z${base58.encode(bytes)}`,
      `z${base58.encode(Uint8Array.of(0xe7, 0x01, ...bytes))}`,
      `z${base58.encode(Uint8Array.of(0xed, 0x02, ...bytes))}`,
      `z${base58.encode(Uint8Array.of(0xed, 0x01, ...new Uint8Array(32)))}`,
    ]) {
      expect(decodeMultibaseKey(wrong)).toBeUndefined();
    }
  });
});

describe('a DID document', () => {
  const endpoint = credentialEndpointOf('https://relay.example/base/', key);

  it('(S-63) has the form of its contract, its key, and where the credential is had', () => {
    const document = didDocument({ pubkey: key, credentialEndpoint: endpoint });
    expect(didDocumentSchema.parse(document)).toEqual(document);
    const id = `did:svc:${key}`;
    expect(document).toEqual({
      '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/multikey/v1'],
      id,
      verificationMethod: [
        { id: `${id}#key-1`, type: 'Multikey', controller: id, publicKeyMultibase: encodeMultibaseKey(key) },
      ],
      authentication: [`${id}#key-1`],
      assertionMethod: [`${id}#key-1`],
      service: [
        {
          id: `${id}#reputation`,
          type: 'SvcReputationCredential',
          serviceEndpoint: `https://relay.example/base/did/${key}/reputation`,
        },
      ],
    });
    expect(didDocument({ pubkey: key }).service).toEqual([]);
  });

  it('(S-63) shows former keys under their own DIDs, and lets only the present one speak', () => {
    const [first, second] = [keyOf(2), keyOf(3)];
    const document = didDocument({ pubkey: key, formerKeys: [first, second], credentialEndpoint: endpoint });
    expect(keysOfDocument(document)).toEqual([key, ...[first, second].sort()]);
    expect(document.assertionMethod).toEqual([keyIdOf(document.id)]);
    expect(document.authentication).toEqual([keyIdOf(document.id)]);
    for (const method of document.verificationMethod.slice(1)) {
      expect(method.controller).toBe(didOf(decodeMultibaseKey(method.publicKeyMultibase) ?? ''));
      expect(method.id).toBe(`${document.id}#${method.publicKeyMultibase}`);
    }
    expect(didDocumentSchema.safeParse(document).success).toBe(true);
  });

  it('(S-66) is the same whatever the order of the former keys, and names the present key once', () => {
    const former = [keyOf(2), keyOf(3), keyOf(4)];
    const document = didDocument({ pubkey: key, formerKeys: former });
    const again = [key, ...former, ...former].reverse();
    expect(didDocument({ pubkey: key, formerKeys: again })).toEqual(document);
    expect(new Set(document.verificationMethod.map(({ id }) => id)).size).toBe(4);
  });

  it('(S-66) keeps the fragments of former keys when keys change again', () => {
    const fragments = (pubkey: string, formerKeys: string[]) =>
      didDocument({ pubkey, formerKeys })
        .verificationMethod.slice(1)
        .map(({ id }) => id.split('#')[1]);
    const before = fragments(keyOf(3), [keyOf(2)]);
    expect(fragments(keyOf(4), [keyOf(2), keyOf(3)])).toEqual(expect.arrayContaining(before));
  });

  it('(S-63) leaves entries of another form out of its keys', () => {
    const { verificationMethod } = didDocument({ pubkey: key });
    const stranger = {
      id: 'did:svc:x#1',
      type: 'Multikey' as const,
      controller: 'did:svc:x',
      publicKeyMultibase: 'zzz',
    };
    expect(keysOfDocument({ verificationMethod: [...verificationMethod, stranger] })).toEqual([key]);
  });
});

describe('a resolution', () => {
  it('(S-63) holds the document, or says why there is none', () => {
    const document = didDocument({ pubkey: key });
    expect(resolvedDid(document)).toEqual({
      didDocument: document,
      didResolutionMetadata: { contentType: 'application/did+ld+json' },
      didDocumentMetadata: {},
    });
    expect(unresolvedDid('invalidDid', 'no key')).toEqual({
      didDocument: null,
      didResolutionMetadata: { error: 'invalidDid', message: 'no key' },
      didDocumentMetadata: {},
    });
  });
});
