import { ed25519 } from '@noble/curves/ed25519.js';
import { base64urlnopad } from '@scure/base';
import { credentialClaims } from '../../../src/contract/identity/credential.js';
import { signingInputOf } from '../../../src/contract/identity/jws.js';
import { checkCredential } from '../../../src/contract/identity/verification.js';
import { formatPubkey } from '../../../src/contract/pubkey.js';

export const utf8 = (text: string) => new TextEncoder().encode(text);
export const encode = (text: string) => base64urlnopad.encode(utf8(text));
export const keyOf = (seed: Uint8Array) => formatPubkey(ed25519.getPublicKey(seed));

export const seed = new Uint8Array(32).fill(11);
export const issuer = keyOf(seed);
export const otherSeed = new Uint8Array(32).fill(12);
export const agent = keyOf(new Uint8Array(32).fill(13));
export const ISSUED = 1_778_457_600;
export const parts = {
  issuerPubkey: issuer,
  agentPubkey: agent,
  reputation: {
    legsAccepted: 12,
    legsCompleted: 11,
    reliabilityScore: 91,
    onChainPDA: '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU',
    mirroredAt: new Date('2026-05-10T23:59:59.250Z'),
  },
  id: '0189dcd5-5311-7d40-8db0-9496a2eef37b',
  issuedAtMs: ISSUED * 1000 + 999,
};
export const { header, payload } = credentialClaims(parts);

/** A compact JWT, signed whatever it says. */
export function sign(head: object, claims: object, secret: Uint8Array = seed): string {
  return signText(signingInputOf(head, claims), secret);
}

export function signText(input: string, secret: Uint8Array = seed): string {
  return `${input}.${base64urlnopad.encode(ed25519.sign(utf8(input), secret))}`;
}

/** A header and claims as these very texts. */
export function signJson(head: string, claims: string): string {
  return signText(`${encode(head)}.${encode(claims)}`);
}

/** The finding of a verifier who knows the issuer. */
export function check(jwt: string, nowSec: number = ISSUED + 1, maxAgeSec?: number): string {
  const policy = { issuerPubkeys: [issuer], nowMs: nowSec * 1000, maxAgeSec };
  const checked = checkCredential(jwt, policy);
  return checked.valid ? 'valid' : checked.reason;
}

export const jwt = sign(header, payload);

/** The three parts of {@link jwt}. */
export const [headerPart = '', payloadPart = '', signaturePart = ''] = jwt.split('.');
