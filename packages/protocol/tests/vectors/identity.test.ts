import { createHash, createPrivateKey, createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { base58 } from '@scure/base';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { decodeMultibaseKey, encodeMultibaseKey } from '../../src/contract/identity/did.js';
import { didDocument, didDocumentSchema, keysOfDocument } from '../../src/contract/identity/didDocument.js';
import { checkCredential, CREDENTIAL_REFUSALS } from '../../src/contract/identity/verification.js';
import { payoutProofText, verifyPayoutProof } from '../../src/contract/payoutProof.js';
import { rewardClaim } from '../../src/contract/resources/rewardClaim.js';
import { createRequestSigner, signedRequestText, signRequest, verifyRequest } from '../../src/contract/signing.js';
import { claimsCsv, parseClaimsCsv } from '../../src/rules/claimsCsv.js';

function read<T extends z.ZodType>(file: string, schema: T): z.output<T> {
  return schema.parse(JSON.parse(readFileSync(new URL(`../../vectors/${file}`, import.meta.url), 'utf8')));
}

/** Verifies by another ed25519 implementation. */
function isSignedBy(pubkey: Uint8Array, message: string, signature: Uint8Array): boolean {
  const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), pubkey]);
  const key = createPublicKey({ key: spki, format: 'der', type: 'spki' });
  return verify(null, Buffer.from(message, 'utf8'), key, signature);
}

const signedRequests = read(
  'signed-request.json',
  z.strictObject({
    description: z.string(),
    secretKeyHex: z.string(),
    cases: z.array(
      z.strictObject({
        name: z.string(),
        method: z.string(),
        host: z.string(),
        path: z.string(),
        body: z.string(),
        nonce: z.string(),
        text: z.string(),
        headers: z.record(z.string(), z.string()),
      }),
    ),
  }),
);

describe('the signed-request vectors', () => {
  const seed = Buffer.from(signedRequests.secretKeyHex, 'hex');

  it.each(signedRequests.cases)('[M-31] agree with the code: $name', async ({ headers, text, nonce, ...request }) => {
    expect(signedRequestText(request, nonce)).toBe(text);
    expect(await signRequest(createRequestSigner(seed), request, nonce)).toEqual(headers);
    expect(verifyRequest(request, headers, Number(nonce.split('-')[0]))).toMatchObject({ ok: true });
  });

  it.each(signedRequests.cases)(
    '[M-33] verify with another ed25519 implementation: $name',
    ({ headers, text, body }) => {
      const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
      const key = createPublicKey(createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' }));
      const signature = base58.decode(headers['X-Signature'] ?? '');
      expect(verify(null, Buffer.from(text, 'utf8'), key, signature)).toBe(true);
      expect(text.split('\n').at(-1)).toBe(createHash('sha256').update(body, 'utf8').digest('hex'));
    },
  );
});

const documents = read(
  'did-documents.json',
  z.strictObject({
    description: z.string(),
    keys: z.array(z.strictObject({ pubkey: z.string(), multibase: z.string() })),
    documents: z.array(
      z.strictObject({
        pubkey: z.string(),
        formerKeys: z.array(z.string()),
        credentialEndpoint: z.string(),
        document: didDocumentSchema,
      }),
    ),
  }),
);

describe('the vectors of DID documents', () => {
  it.each(documents.keys)('(M-62) agree with the code: $pubkey', ({ pubkey, multibase }) => {
    expect(encodeMultibaseKey(pubkey)).toBe(multibase);
    expect(decodeMultibaseKey(multibase)).toBe(pubkey);
  });

  it.each(documents.documents)('(S-63) agree with the code: $formerKeys', ({ document, ...parts }) => {
    expect(didDocument(parts)).toEqual(document);
    expect(keysOfDocument(document)).toEqual([parts.pubkey, ...parts.formerKeys]);
  });
});

const credentials = read(
  'credentials.json',
  z.strictObject({
    description: z.string(),
    issuerSecretKeyHex: z.string(),
    issuerPubkeys: z.array(z.string()),
    header: z.record(z.string(), z.unknown()),
    payload: z.record(z.string(), z.unknown()),
    cases: z.array(
      z.strictObject({
        name: z.string(),
        jwt: z.string(),
        nowSec: z.int(),
        maxAgeSec: z.int().optional(),
        reason: z.enum(CREDENTIAL_REFUSALS).optional(),
      }),
    ),
  }),
);

describe('the vectors of credentials', () => {
  it.each(credentials.cases)('(M-64) agree with the code: $name', ({ jwt, nowSec, maxAgeSec, reason }) => {
    const { issuerPubkeys } = credentials;
    const policy = { issuerPubkeys, nowMs: nowSec * 1000, maxAgeSec };
    expect(checkCredential(jwt, policy)).toMatchObject(
      reason === undefined ? { valid: true } : { valid: false, reason },
    );
  });

  it('(M-64) have an example of every reason', () => {
    const reasons = credentials.cases.map(({ reason }) => reason).filter((reason) => reason !== undefined);
    expect(reasons).toEqual(CREDENTIAL_REFUSALS);
  });

  it('(M-63) verify by hand: the key out of the document, the signature over two parts', () => {
    const [header = '', payload = '', signature = ''] = credentials.cases[0]?.jwt.split('.') ?? [];
    const [method] = documents.documents[0]?.document.verificationMethod ?? [];
    const multicodec = base58.decode(method?.publicKeyMultibase.slice(1) ?? '');
    expect([...multicodec.subarray(0, 2)]).toEqual([0xed, 0x01]);
    expect(isSignedBy(multicodec.subarray(2), `${header}.${payload}`, Buffer.from(signature, 'base64url'))).toBe(true);
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual(credentials.header);
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toEqual(credentials.payload);
  });
});

const rewards = read(
  'reward-claims.json',
  z.strictObject({
    description: z.string(),
    payoutProof: z.strictObject({
      devnetPubkey: z.string(),
      mainnetPubkey: z.string(),
      text: z.string(),
      signature: z.string(),
    }),
    claims: z.array(rewardClaim.omit({ id: true, explorer: true })),
    csv: z.string(),
    sha256: z.string(),
  }),
);

describe('the vectors of reward claims', () => {
  it('(M-67) prove a payout key, to another implementation too', () => {
    const { text, devnetPubkey, mainnetPubkey, signature } = rewards.payoutProof;
    expect(payoutProofText(devnetPubkey, mainnetPubkey)).toBe(text);
    expect(verifyPayoutProof({ devnetPubkey, mainnetPubkey, signature })).toBe(true);
    expect(isSignedBy(base58.decode(mainnetPubkey), text, base58.decode(signature))).toBe(true);
  });

  it('(S-68) export to these bytes and are read from them', () => {
    expect(claimsCsv(rewards.claims)).toEqual({ csv: rewards.csv, sha256: rewards.sha256 });
    expect(createHash('sha256').update(rewards.csv, 'utf8').digest('hex')).toBe(rewards.sha256);
    expect(parseClaimsCsv(rewards.csv)).toEqual([...rewards.claims].reverse());
  });
});
