import { keyIdOf } from '@legwork/protocol/contract';
import { base58 } from '@scure/base';
import { getAddressEncoder } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { withService } from '../../support/service.js';
import { read } from './scene.js';

const service = withService({ settings: (usual) => ({ ...usual, CORS_ORIGINS: 'https://dashboard.example' }) });
/** The point of order one. */
const SMALL_ORDER = base58.encode(Uint8Array.from({ length: 32 }, (_, index) => (index === 0 ? 1 : 0)));

async function document(pubkey: string): Promise<Record<string, unknown>> {
  const { status, text } = await read(service.current, `/did/${pubkey}`);
  expect(status).toBe(200);
  return JSON.parse(text);
}

/** As interface.md says it: `z` and base58btc of 0xed01 and the 32 bytes. */
const multibase = (pubkey: string) => `z${base58.encode(Uint8Array.of(0xed, 0x01, ...base58.decode(pubkey)))}`;

describe('a DID document', () => {
  test('is that of any key, which nobody has to register (M-62, S-63)', async () => {
    const { signer, pubkey } = await service.current.party(0);
    const did = `did:svc:${pubkey}`;
    expect(Uint8Array.from(base58.decode(pubkey))).toEqual(new Uint8Array(getAddressEncoder().encode(signer.address)));
    expect(await document(pubkey)).toEqual({
      '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/multikey/v1'],
      id: did,
      verificationMethod: [
        { id: keyIdOf(did), type: 'Multikey', controller: did, publicKeyMultibase: multibase(pubkey) },
      ],
      authentication: [`${did}#key-1`],
      assertionMethod: [`${did}#key-1`],
      service: [
        {
          id: `${did}#reputation`,
          type: 'SvcReputationCredential',
          serviceEndpoint: `${service.current.server.url}/did/${pubkey}/reputation`,
        },
      ],
    });
  });

  test('is the coordinator’s for the word coordinator (S-63)', async () => {
    const { coordinatorPubkey } = service.current.server;
    expect(await document('coordinator')).toEqual(await document(coordinatorPubkey));
    expect(await document('coordinator')).toMatchObject({
      id: `did:svc:${coordinatorPubkey}`,
      verificationMethod: [{ publicKeyMultibase: multibase(coordinatorPubkey) }],
    });
  });

  test.each([
    ['no base58', 'O0Il'],
    ['too few bytes', base58.encode(new Uint8Array(31).fill(7))],
    ['too many bytes', base58.encode(new Uint8Array(33).fill(7))],
    ['a whole DID', 'did:svc:7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU'],
    ['no point on the curve', base58.encode(new Uint8Array(32).fill(2))],
    ['a point of small order', SMALL_ORDER],
    ['very long text', '1'.repeat(5_000)],
  ])('is refused for %s, naming the field (S-63)', async (_, given) => {
    const answer = await read(service.current, `/did/${encodeURIComponent(given)}`);
    expect(answer).toMatchObject({ status: 400, type: 'application/problem+json; charset=utf-8' });
    expect(JSON.parse(answer.text)).toMatchObject({ code: 'invalid_input', errors: [{ field: 'pubkey' }] });
    const asResolution = await read(service.current, `/did/${encodeURIComponent(given)}`, 'application/did-resolution');
    expect(asResolution).toMatchObject({ status: 400, type: 'application/did-resolution' });
    expect(JSON.parse(asResolution.text)).toMatchObject({
      didDocument: null,
      didResolutionMetadata: { error: 'invalidDid' },
      didDocumentMetadata: {},
    });
  });
});

describe('what the client accepts', () => {
  test.each([
    [undefined, 'application/json; charset=utf-8'],
    ['*/*', 'application/json; charset=utf-8'],
    ['application/*', 'application/json; charset=utf-8'],
    ['application/did+json', 'application/did+json; charset=utf-8'],
    ['application/did+ld+json', 'application/did+ld+json; charset=utf-8'],
    ['application/did', 'application/did'],
    ['application/json;q=0.1, application/did+json;q=0.2', 'application/did+json; charset=utf-8'],
    ['application/json, application/did+json;q=0.9', 'application/json; charset=utf-8'],
    ['application/did+json;q=0, */*;q=0.1', 'application/json; charset=utf-8'],
    ['image/png', 'application/json; charset=utf-8'],
    ['this is no Accept;;;,', 'application/json; charset=utf-8'],
  ])('%s is the form of the document (S-63)', async (accept, type) => {
    const answer = await read(service.current, '/did/coordinator', accept ?? '');
    expect(answer).toMatchObject({ status: 200, type });
    expect(JSON.parse(answer.text)).toEqual(await document('coordinator'));
    expect(answer.vary).toMatch(/\bAccept\b/);
  });

  test('may be the resolution, with the document in it (S-63)', async () => {
    const answer = await read(service.current, '/did/coordinator', 'application/did-resolution');
    expect(answer).toMatchObject({ status: 200, type: 'application/did-resolution' });
    expect(JSON.parse(answer.text)).toEqual({
      didDocument: await document('coordinator'),
      didResolutionMetadata: { contentType: 'application/did+ld+json' },
      didDocumentMetadata: {},
    });
  });

  test('leaves the other headers that caches go by in place (S-63)', async () => {
    expect((await read(service.current, '/did/coordinator')).vary).toBe('Origin, Accept');
  });

  test('is told in the OpenAPI document (S-40)', async () => {
    const { paths } = JSON.parse((await read(service.current, '/openapi.json')).text);
    expect(Object.keys(paths['/did/{pubkey}'].get.responses['200'].content)).toEqual([
      'application/json',
      'application/did+json',
      'application/did+ld+json',
      'application/did',
      'application/did-resolution',
    ]);
    expect(paths['/did/{pubkey}/reputation'].get.responses['200'].content).toMatchObject({
      'text/plain': { schema: { type: 'string' } },
      'application/json': { schema: { $ref: '#/components/schemas/GetReputationCredentialAnswer' } },
    });
  });
});

/** Asks for a document that the client may have already. */
async function ask(headers: Record<string, string> = {}, method = 'GET') {
  const response = await fetch(`${service.current.server.url}/did/coordinator`, { method, headers });
  const { status, headers: told } = response;
  const [tag, control, type, vary] = ['etag', 'cache-control', 'content-type', 'vary'].map((name) => told.get(name));
  return { status, tag: tag ?? '', control, type, vary, text: await response.text() };
}

describe('a document that the client has', () => {
  test('is not sent again: 304, with what caches go by (S-63)', async () => {
    const { tag, control, text, status } = await ask();
    expect({ status, control, tag, text }).toMatchObject({
      status: 200,
      control: 'no-cache',
      tag: expect.stringMatching(/^"[\w-]{22}"$/),
      text: expect.stringContaining('did:svc:'),
    });
    for (const condition of [tag, `W/${tag}`, `"another", W/${tag}`, '*']) {
      expect(await ask({ 'if-none-match': condition })).toEqual({
        status: 304,
        tag,
        control: 'no-cache',
        type: null,
        vary: 'Origin, Accept',
        text: '',
      });
    }
    expect(await ask({ 'if-none-match': tag }, 'HEAD')).toMatchObject({ status: 304, tag });
  });

  test.each(['"another"', '', 'nonsense', '"', '""', 'W/""'])(
    'is sent to a client that has %s (S-63)',
    async (condition) => {
      const { tag } = await ask();
      expect(await ask({ 'if-none-match': condition })).toMatchObject({ status: 200, tag });
      expect(await ask({ 'if-none-match': tag.slice(1, -1) })).toMatchObject({ status: 200, tag });
    },
  );

  test('in one form is not taken for another (S-63)', async () => {
    const accept = 'application/did+json';
    const [asJson, asDid] = [await ask(), await ask({ accept })];
    expect(asDid.text).toBe(asJson.text);
    expect(asDid.tag).not.toBe(asJson.tag);
    expect(await ask({ accept, 'if-none-match': asJson.tag })).toMatchObject({ status: 200, tag: asDid.tag });
    expect(await ask({ accept, 'if-none-match': asDid.tag })).toMatchObject({ status: 304 });
  });
});
