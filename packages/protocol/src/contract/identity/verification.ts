import { ed25519 } from '@noble/curves/ed25519.js';
import { parsePubkey } from '../pubkey.js';
import { credentialPayload } from './credential.js';
import type { CredentialPayload } from './credential.js';
import { keyIdOf, parseDid } from './did.js';
import { parseCompactJws } from './jws.js';

/** Why a credential is not valid, in the order in which it is looked at. */
export const CREDENTIAL_REFUSALS = [
  'malformed',
  'unsupported_alg',
  'unknown_issuer',
  'bad_signature',
  'subject_mismatch',
  'not_yet_valid',
  'expired',
  'too_old',
] as const;
export type CredentialRefusal = (typeof CREDENTIAL_REFUSALS)[number];

/** No credential of this service comes near; longer text is refused before it is looked at. */
export const MAX_JWT_CHARACTERS = 16_384;

/** How far the clocks of issuer and verifier may differ, in seconds. */
export const CREDENTIAL_GRACE_SEC = 60;

const SIGNATURE_LENGTH = 64;
/** The members that a header may have. Any other could change how a verifier reads the credential (`crit`, `b64`) or with which key. */
const HEADER_MEMBERS: ReadonlySet<string> = new Set(['alg', 'typ', 'kid']);

/** A credential whose form is right. Nothing in it is to be believed before its signature was verified. */
export interface ParsedCredential {
  readonly payload: CredentialPayload;
  /** Base58; the key that the credential claims to be signed with. */
  readonly issuerPubkey: string;
  readonly signingInput: Uint8Array;
  readonly signature: Uint8Array;
}

/** A verifier's policy. */
export interface CredentialPolicy {
  /** Base58; the keys whose credentials count: the coordinator's, present and former. */
  readonly issuerPubkeys: readonly string[];
  /** The verifier's clock, milliseconds since 1970. */
  readonly nowMs: number;
  /** Refuse a credential issued longer ago than this; left out: any age. */
  readonly maxAgeSec?: number | undefined;
}

/** The result of {@link checkCredential}. A refusal from `subject_mismatch` on is one of a credential whose signature is good. */
export type CheckedCredential =
  | { readonly valid: true; readonly payload: CredentialPayload }
  | { readonly valid: false; readonly reason: CredentialRefusal };

/**
 * Checks that a compact JWT is a reputation credential of one of these issuers,
 * and valid at this time. It never throws, whatever the text. Rule M-64.
 */
export function checkCredential(jwt: string, { issuerPubkeys, ...clock }: CredentialPolicy): CheckedCredential {
  const parsed = parseCredential(jwt);
  if (typeof parsed === 'string') return { valid: false, reason: parsed };
  if (!issuerPubkeys.includes(parsed.issuerPubkey)) return { valid: false, reason: 'unknown_issuer' };
  if (!verifyCredentialSignature(parsed)) return { valid: false, reason: 'bad_signature' };
  const reason = judgeCredential(parsed.payload, clock);
  return reason === undefined ? { valid: true, payload: parsed.payload } : { valid: false, reason };
}

/**
 * Reads a credential, or returns why it cannot be one: its form, its algorithm, a `kid` that is not the key of its `iss`. The
 * caller then asks whether it knows the issuer, verifies the signature, and judges the claims.
 */
export function parseCredential(
  jwt: string,
): ParsedCredential | Extract<CredentialRefusal, 'malformed' | 'unsupported_alg' | 'unknown_issuer'> {
  const jws = jwt.length > MAX_JWT_CHARACTERS ? undefined : parseCompactJws(jwt);
  if (jws === undefined || !isHeader(jws.header)) return 'malformed';
  const claims = credentialPayload.safeParse(jws.payload);
  if (!claims.success) return 'malformed';
  if (jws.header['alg'] !== 'EdDSA') return 'unsupported_alg';
  const issuerPubkey = parseDid(claims.data.iss);
  if (issuerPubkey === undefined || !isKeyOf(claims.data.iss, jws.header)) return 'unknown_issuer';
  return { payload: claims.data, issuerPubkey, signingInput: jws.signingInput, signature: jws.signature };
}

/** Reports whether the issuer's key signed it, by RFC 8032: canonical encodings only, keys of small order have no DID. */
export function verifyCredentialSignature({ issuerPubkey, signingInput, signature }: ParsedCredential): boolean {
  if (signature.length !== SIGNATURE_LENGTH) return false;
  return ed25519.verify(signature, signingInput, parsePubkey(issuerPubkey), { zip215: false });
}

/** The fault in the claims of a credential whose signature is good, or undefined. */
export function judgeCredential(
  { sub, nbf, exp, iat, vc }: CredentialPayload,
  { nowMs, maxAgeSec }: Pick<CredentialPolicy, 'nowMs' | 'maxAgeSec'>,
): Extract<CredentialRefusal, 'subject_mismatch' | 'not_yet_valid' | 'expired' | 'too_old'> | undefined {
  if (vc.credentialSubject.id !== sub) return 'subject_mismatch';
  if (nowMs < (nbf - CREDENTIAL_GRACE_SEC) * 1000) return 'not_yet_valid';
  if (exp !== undefined && nowMs >= exp * 1000) return 'expired';
  if (maxAgeSec !== undefined && nowMs > (iat + maxAgeSec) * 1000) return 'too_old';
  return undefined;
}

/** A DID has one key, so a header need not name it; one that does must name that. */
function isKeyOf(iss: string, header: Readonly<Record<string, unknown>>): boolean {
  return !Object.hasOwn(header, 'kid') || header['kid'] === keyIdOf(iss);
}

function isHeader(header: Readonly<Record<string, unknown>>): boolean {
  if (!Object.keys(header).every((name) => HEADER_MEMBERS.has(name))) return false;
  return typeof header['alg'] === 'string' && (header['typ'] === undefined || header['typ'] === 'JWT');
}
