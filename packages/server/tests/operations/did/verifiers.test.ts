import { execFile } from 'node:child_process';
import { createPublicKey, verify as verifySignature } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkAgainstLedger, svcDidResolver, verifyReputationCredential } from '@legwork/sdk';
import { base58 } from '@scure/base';
import { generateKeyPairSigner } from '@solana/kit';
import { verifyCredential } from 'did-jwt-vc';
import { Resolver } from 'did-resolver';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Party, withService } from '../../support/service.js';
import { credentialOf, decoded, expiredCredential, issuedAt, issuerOf, provenAgent, read } from './scene.js';

const DOCUMENT = join(import.meta.dirname, '../../../../../docs/verify-a-credential.md');
/** Beside this file, from where the packages that the examples import can be found. */
const EXAMPLE = join(import.meta.dirname, `example.${process.pid}.mjs`);
/** A bound for a machine that is busy with other tests. */
const SLOW = 90_000;

const service = withService();

let agent: Party;
let jwt: string;
beforeAll(async () => {
  agent = await provenAgent(service.current);
  jwt = await credentialOf(service.current, agent.pubkey);
});

/** Resolves by the running service, as a universal resolver does. */
const overHttp = {
  svc: async (did: string) => {
    const answer = await read(service.current, `/did/${did.split(':')[2] ?? ''}`, 'application/did-resolution');
    return JSON.parse(answer.text);
  },
};

/** The signature as interface.md says to check it, with nothing of ours. */
async function checkedByHand(credential: string): Promise<boolean> {
  const [header = '', payload = '', signature = ''] = credential.split('.');
  const { iss } = decoded(credential).payload;
  const document = JSON.parse((await read(service.current, `/did/${iss.replace('did:svc:', '')}`)).text);
  const { publicKeyMultibase } = document.verificationMethod[0];
  expect(publicKeyMultibase).toMatch(/^z/);
  const bytes = base58.decode(publicKeyMultibase.slice(1));
  expect([...bytes.subarray(0, 2)]).toEqual([0xed, 0x01]);
  const x = Buffer.from(bytes.subarray(2)).toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verifySignature(null, Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, 'base64url'));
}

describe('a credential of the running service is verified', () => {
  test.each([
    ['the resolver of the SDK', svcDidResolver()],
    ['the service as resolver', overHttp],
  ])('by did-jwt-vc as it is, with %s (M-63, S-63)', async (_, methods) => {
    const resolver = new Resolver(methods);
    const { verified, issuer, verifiableCredential } = await verifyCredential(jwt, resolver);
    expect(verified).toBe(true);
    expect(issuer).toBe(`did:svc:${service.current.server.coordinatorPubkey}`);
    expect(verifiableCredential.credentialSubject).toMatchObject({ id: `did:svc:${agent.pubkey}`, legsCompleted: 1 });

    const [header, , signature] = jwt.split('.');
    const { payload } = decoded(jwt);
    const changed = Buffer.from(JSON.stringify({ ...payload, sub: payload.iss })).toString('base64url');
    await expect(verifyCredential(`${header}.${changed}.${signature}`, resolver)).rejects.toThrow(/invalid_signature/);
    const expired = await expiredCredential(await issuerOf(service.current), agent.pubkey);
    await expect(verifyCredential(expired, resolver)).rejects.toThrow(/expired/);
  });

  test('by hand, as the interface says (M-62, M-63)', async () => {
    expect(await checkedByHand(jwt)).toBe(true);
    expect(await checkedByHand(`${jwt.slice(0, -4)}AAAA`)).toBe(false);
  });

  test('by the SDK, against the key of the service’s own document and against the ledger alone (M-63, M-64)', async () => {
    const { coordinatorPubkey, programId } = service.current.server;
    const trust = { issuerPubkeys: [coordinatorPubkey] };
    expect(verifyReputationCredential(jwt, trust)).toEqual({ valid: true, payload: decoded(jwt).payload });
    const stranger = await generateKeyPairSigner();
    const foreign = await issuedAt(stranger, agent.pubkey, Date.now());
    expect(verifyReputationCredential(foreign, trust)).toEqual({ valid: false, reason: 'unknown_issuer' });

    const { payload } = decoded(jwt);
    expect(await checkAgainstLedger(service.current.rpc, programId, payload)).toMatchObject({
      status: 'equal',
      ledger: { legsAccepted: 1, legsCompleted: 1, reliabilityScore: 100 },
    });
    const boast = { ...payload.vc.credentialSubject, legsAccepted: 9, legsCompleted: 9 };
    const lie = { ...payload, vc: { ...payload.vc, credentialSubject: boast } };
    expect(await checkAgainstLedger(service.current.rpc, programId, lie)).toMatchObject({ status: 'contradicted' });
  });
});

/** The programs of the page, each under the heading it stands in. */
async function examples(): Promise<[heading: string, source: string][]> {
  const found: [string, string][] = [];
  let heading = '';
  for (const [, title, source] of (await readFile(DOCUMENT, 'utf8')).matchAll(/^## (.*)$|^```js\n([^]*?)^```$/gm)) {
    if (title !== undefined) heading = title;
    else found.push([heading, source ?? '']);
  }
  return found;
}

/** Runs a program of the page; what it printed. */
async function run(source: string, pubkey: string): Promise<string> {
  await writeFile(EXAMPLE, source);
  const env = { ...process.env, NODE_OPTIONS: '', RELAY_URL: service.current.server.url, AGENT: pubkey };
  const { stdout } = await promisify(execFile)(process.execPath, [EXAMPLE], { env });
  return stdout;
}

describe('docs/verify-a-credential.md', () => {
  afterEach(() => rm(EXAMPLE, { force: true }));

  test('has a program for each of its ways, and each of them prints what the ledger says (M-63)', {
    timeout: SLOW,
  }, async () => {
    const all = await examples();
    expect(all.map(([heading]) => heading.slice(0, 2))).toEqual(['1.', '2.', '2.', '3.']);
    for (const [heading, source] of all) {
      const printed = await run(source, agent.pubkey);
      expect(`${heading}\n${printed}`).toMatch(/legsAccepted: 1,\s+legsCompleted: 1,\s+reliabilityScore: 100/);
    }
  });
});
