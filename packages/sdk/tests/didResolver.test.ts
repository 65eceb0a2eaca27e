import { readFileSync } from 'node:fs';
import { didDocument, resolvedDid } from '@legwork/protocol/contract';
import { verifyCredential } from 'did-jwt-vc';
import { Resolver } from 'did-resolver';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { svcDidResolver } from '../src/index.js';

const vectors = z
  .object({
    issuerPubkeys: z.tuple([z.string(), z.string()]),
    payload: z.looseObject({ iss: z.string(), sub: z.string(), vc: z.looseObject({}) }),
    cases: z.array(z.object({ name: z.string(), jwt: z.string(), nowSec: z.number() })),
  })
  .parse(JSON.parse(readFileSync(new URL('../../protocol/vectors/credentials.json', import.meta.url), 'utf8')));

const { issuerPubkeys, payload } = vectors;
const [issuer, former] = issuerPubkeys;

function vector(name: string): { jwt: string; nowSec: number } {
  const found = vectors.cases.find((one) => one.name === name);
  if (found === undefined) throw new RangeError(`no vector is called ${name}`);
  return found;
}

const resolver = new Resolver(svcDidResolver());
const valid = vector('valid');
const policies = { now: valid.nowSec };

describe('the resolver', () => {
  it('(S-63) gives the document of a DID, or of a part of it, from the DID alone', async () => {
    const document = didDocument({ pubkey: issuer });
    expect(await resolver.resolve(payload.iss)).toEqual(resolvedDid(document));
    expect(await resolver.resolve(`${payload.iss}#key-1`)).toEqual(resolvedDid(document));
  });

  it('(S-63) says where a service answers the credential, when it knows one', async () => {
    const { svc } = svcDidResolver({ url: 'https://relay.example/base' });
    expect(await svc(payload.sub)).toMatchObject({
      didDocument: {
        service: [
          {
            type: 'SvcReputationCredential',
            serviceEndpoint: `https://relay.example/base/did/${payload.sub.slice('did:svc:'.length)}/reputation`,
          },
        ],
      },
    });
    expect(() => svcDidResolver({ url: 'relay.example' })).toThrow(TypeError);
  });

  it.each(['did:svc:abc', `did:svc:${'1'.repeat(32)}`, `did:svc:${issuer}x`])('(S-63) refuses %s', async (did) => {
    expect(await resolver.resolve(did)).toMatchObject({
      didDocument: null,
      didResolutionMetadata: { error: 'invalidDid' },
    });
  });
});

describe('did-jwt-vc, as it is', () => {
  it('(M-63) verifies a credential', async () => {
    const verified = await verifyCredential(valid.jwt, resolver, { policies });
    expect(verified.verified).toBe(true);
    expect(verified.issuer).toBe(payload.iss);
    expect(verified.payload).toEqual(payload);
    expect(verified.verifiableCredential).toMatchObject({
      type: ['VerifiableCredential', 'SvcReputationCredential'],
      issuer: { id: payload.iss },
      credentialSubject: payload.vc['credentialSubject'],
      issuanceDate: '2026-05-11T00:00:00.000Z',
      expirationDate: '2026-05-12T00:00:00.000Z',
    });
  });

  it('(S-66) verifies what a former key signed in its own name, and nothing it signs in another', async () => {
    const own = vector('of a former key, in its own name');
    expect(await verifyCredential(own.jwt, resolver, { policies })).toMatchObject({ issuer: `did:svc:${former}` });
    const foreign = vector('signed by a former key in the name of the present one');
    await expect(verifyCredential(foreign.jwt, resolver, { policies })).rejects.toThrow('invalid_signature');
  });

  it('(S-63) finds former keys in a service’s document unfit to sign for the present one', async () => {
    const document = didDocument({ pubkey: issuer, formerKeys: [former] });
    const byService = new Resolver({ svc: () => Promise.resolve(resolvedDid(document)) });
    const foreign = vector('signed by a former key in the name of the present one');
    const options = { policies, proofPurpose: 'assertionMethod' } as const;
    await expect(verifyCredential(foreign.jwt, byService, options)).rejects.toThrow('invalid_signature');
    expect(await verifyCredential(valid.jwt, byService, options)).toMatchObject({ issuer: payload.iss });
  });

  it.each([
    ['unsigned', 'invalid_argument'],
    ['padded', 'invalid_argument'],
    ['a day later', 'JWT has expired'],
  ])('(M-64) refuses the vector that is %s', async (name, message) => {
    const { jwt, nowSec } = vector(name);
    // Beyond the five minutes that the library forgives.
    await expect(verifyCredential(jwt, resolver, { policies: { now: nowSec + 301 } })).rejects.toThrow(message);
  });

  it('(M-64) refuses one of which any part was changed', async () => {
    const [header = '', claims = '', signature = ''] = valid.jwt.split('.');
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const better = { ...payload, vc: { ...payload.vc, credentialSubject: { id: payload.sub, reliabilityScore: 100 } } };
    const flipped = Buffer.from(signature, 'base64url');
    flipped[0] = (flipped[0] ?? 0) ^ 1;
    for (const jwt of [
      `${header}.${encode(better)}.${signature}`,
      `${encode({ alg: 'EdDSA', typ: 'JWT' })}.${claims}.${signature}`,
      `${header}.${claims}.${flipped.toString('base64url')}`,
      `${header}.${claims}.${vector('without exp').jwt.split('.')[2]}`,
    ]) {
      await expect(verifyCredential(jwt, resolver, { policies })).rejects.toThrow('invalid_signature');
    }
  });
});
