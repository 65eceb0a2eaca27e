import {
  type CheckedCredential,
  credentialClaims,
  type CredentialPayload,
  parseKeypairFile,
  signingInputOf,
} from '@legwork/protocol/contract';
import { createKeyPairSignerFromBytes, type KeyPairSigner, signBytes } from '@solana/kit';
import { generateKeyPairSync } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { theFirst } from '../../support/theFirst.js';
import { confirmAll, formedPackage, untilPackage } from '../../support/market.js';
import { post } from '../../support/refusal.js';
import type { Party, TestService } from '../../support/service.js';
import { untilQuiet } from '../../support/snapshot.js';

export const HOUR_MS = 3_600_000;

/** Answers as a client without a library sees them. */
export interface Answer {
  status: number;
  type: string | null;
  vary: string | null;
  text: string;
}

/** Reads a path of the service, asking for these media types. */
export async function read(service: TestService, path: string, accept?: string): Promise<Answer> {
  const response = await fetch(service.server.url + path, accept === undefined ? {} : { headers: { accept } });
  const { status, headers } = response;
  return { status, type: headers.get('content-type'), vary: headers.get('vary'), text: await response.text() };
}

/** The agent's credential, as text. */
export async function credentialOf(service: TestService, pubkey: string): Promise<string> {
  const { status, text } = await read(service, `/did/${pubkey}/reputation`);
  if (status !== 200) throw new Error(`no credential: ${status} ${text}`);
  return text;
}

/** The answer of POST /did/verify. */
export type Verdict = CheckedCredential & { expired?: boolean };

export async function verify(service: TestService, jwt: string, maxAgeSec?: number): Promise<Verdict> {
  const response = await post(service, '/did/verify', { jwt, ...(maxAgeSec !== undefined && { maxAgeSec }) });
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as Verdict;
}

/** An agent that has delivered a package. */
export async function provenAgent(service: TestService): Promise<Party> {
  const delivered = await formedPackage(service, [['zoo', 'ostkreuz', 0.1]]);
  await confirmAll(service, delivered);
  await untilPackage(service, delivered.parcel.id, ({ status }) => status === 'delivered');
  await untilQuiet(service);
  return theFirst(delivered.couriers);
}

/** The keypair in a key file. */
export async function keypairOf(file: string): Promise<KeyPairSigner> {
  return createKeyPairSignerFromBytes(parseKeypairFile(await readFile(file, 'utf8')));
}

/** Writes a new key file. */
export async function newKeypairFile(file: string): Promise<string> {
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const bytes = Buffer.concat([Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')]);
  await writeFile(file, JSON.stringify([...bytes]));
  return file;
}

/** The key that signs this service's credentials. */
export function issuerOf(service: TestService): Promise<KeyPairSigner> {
  return keypairOf(service.ledger.keypairs.coordinator.path);
}

/** Header and claims of a compact JWT. */
export function decoded(jwt: string): { header: Record<string, unknown>; payload: CredentialPayload } {
  const [header = '', payload = ''] = jwt.split('.').map((part) => Buffer.from(part, 'base64url').toString());
  return { header: JSON.parse(header), payload: JSON.parse(payload) };
}

/** Signs header and claims as a compact JWT. */
export async function signedJwt(signer: KeyPairSigner, header: object, payload: object): Promise<string> {
  const input = signingInputOf(header, payload);
  const signature = await signBytes(signer.keyPair.privateKey, Buffer.from(input));
  return `${input}.${Buffer.from(signature).toString('base64url')}`;
}

/** A credential as this issuer would have given it at that time. */
export async function issuedAt(
  issuer: KeyPairSigner,
  agentPubkey: string,
  issuedAtMs: number,
  changes: Record<string, unknown> = {},
): Promise<string> {
  const { header, payload } = credentialClaims({
    issuerPubkey: issuer.address,
    agentPubkey,
    reputation: {
      legsAccepted: 1,
      legsCompleted: 1,
      reliabilityScore: 100,
      onChainPDA: agentPubkey,
      mirroredAt: new Date(issuedAtMs),
    },
    id: crypto.randomUUID(),
    issuedAtMs,
  });
  return signedJwt(issuer, header, { ...payload, ...changes });
}

/** One that expired an hour ago. */
export function expiredCredential(issuer: KeyPairSigner, agentPubkey: string): Promise<string> {
  return issuedAt(issuer, agentPubkey, Date.now() - 25 * HOUR_MS);
}
