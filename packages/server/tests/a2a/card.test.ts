import { AgentCard, verifyAgentCardSignature } from '@a2a-js/sdk';
import { didDocumentSchema, keyIdOf, keysOfDocument } from '@legwork/protocol/contract';
import { canonicalJson } from '@legwork/protocol/rules';
import { base58 } from '@scure/base';
import { importJWK } from 'jose';
import { createPublicKey, verify } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { withService } from '../support/service.js';

const service = withService({
  settings: () => ({ PUBLIC_URL: 'https://relay.example/market', API_KEYS: 'a-key-for-posting' }),
});

const get = (path: string, init?: RequestInit) => fetch(`${service.current.server.url}${path}`, init);

async function card(): Promise<{ text: string; shown: Record<string, unknown>; response: Response }> {
  const response = await get('/.well-known/agent-card.json');
  const text = await response.text();
  return { text, shown: JSON.parse(text) as Record<string, unknown>, response };
}

/** The first key of the document that the service has at /did/coordinator, as a JWK. */
async function coordinatorKey() {
  const document = didDocumentSchema.parse(await (await get('/did/coordinator')).json());
  const [pubkey = ''] = keysOfDocument(document);
  return {
    kid: keyIdOf(document.id),
    jwk: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(base58.decode(pubkey)).toString('base64url') },
  };
}

test('the card of the market names the endpoint by its public address, and says what it can and cannot do (S-280)', async () => {
  const { shown, response } = await card();
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('public, max-age=3600');
  expect(shown).toMatchObject({
    name: 'Legwork',
    supportedInterfaces: [
      { url: 'https://relay.example/market/a2a', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      { url: 'https://relay.example/market/a2a', protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
    ],
    capabilities: {
      streaming: true,
      pushNotifications: true,
      extensions: [{ params: { publicKey: expect.stringMatching(/^whpk_/) as string } }],
    },
  });
  const again = await get('/.well-known/agent-card.json', {
    headers: { 'if-none-match': response.headers.get('etag') ?? '' },
  });
  expect(again.status).toBe(304);
});

test('the card asks for what the service asks for: a key to post where the operator has keys, signatures if a caller likes (S-280)', async () => {
  const { shown } = await card();
  const { securitySchemes, skills, securityRequirements } = AgentCard.fromJSON(shown);
  expect(
    Object.entries(securitySchemes).map(([id, { scheme }]) => [
      id,
      scheme?.$case === 'apiKeySecurityScheme' && scheme.value.name,
    ]),
  ).toEqual([
    ['pubkey', 'X-Pubkey'],
    ['nonce', 'X-Nonce'],
    ['signature', 'X-Signature'],
    ['apiKey', 'X-Api-Key'],
  ]);
  expect(securityRequirements).toEqual([]);
  expect(skills.map(({ securityRequirements: needed }) => needed.map(({ schemes }) => Object.keys(schemes)))).toEqual([
    [['apiKey']],
  ]);
});

test("the coordinator's key signs the card: the official SDK verifies it with the DID document, and refuses a changed one (S-280)", async () => {
  const { shown } = await card();
  const { kid, jwk } = await coordinatorKey();
  const verifier = verifyAgentCardSignature(async (named) => {
    if (named !== kid) throw new Error(`another key signed: ${named}`);
    return (await importJWK(jwk, 'EdDSA')) as CryptoKey;
  });
  // As it came: the SDK reads a card that it has read already as one without security schemes.
  await verifier(shown as unknown as AgentCard);
  // What it refuses it prints.
  vi.spyOn(console, 'debug').mockImplementation(() => undefined);
  const changed = {
    ...shown,
    supportedInterfaces: [{ url: 'https://thief.example/a2a', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  };
  await expect(verifier(changed as unknown as AgentCard)).rejects.toThrow(/No valid signatures/);
});

test('the signature is over the canonical JSON of what is served, without another library (S-280)', async () => {
  const { shown } = await card();
  const { kid, jwk } = await coordinatorKey();
  const { signatures, ...rest } = shown as { signatures: [{ protected: string; signature: string }] };
  const [{ protected: header, signature }] = signatures;
  expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({ alg: 'EdDSA', typ: 'JOSE', kid });
  const signed = Buffer.from(`${header}.${Buffer.from(canonicalJson(rest)).toString('base64url')}`);
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  expect(verify(null, signed, key, Buffer.from(signature, 'base64url'))).toBe(true);
});
