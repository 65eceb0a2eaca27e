import { createPublicKey, verify } from 'node:crypto';
import {
  type ErrorCode,
  OWN_KEY_FIELDS,
  LegworkError,
  type SignatureFaultCode,
  verifyRequest,
} from '@legwork/protocol/contract';
import type { FastifyRequest } from 'fastify';
import type { AppContext } from '../context.js';
import { nonceName } from '../identity/nonces.js';
import { servedHosts, signedPaths } from './addresses.js';

/** The proven signer of a request. */
export interface Signer {
  /** Base58 public key. */
  pubkey: string;
  /** May have been used before: see {@link useNonce}. */
  nonce: string;
  /** Base58, over the text. */
  signature: string;
  text: string;
  body: Uint8Array;
}

const CODES: Record<SignatureFaultCode, ErrorCode> = {
  missing_header: 'missing_header',
  repeated_header: 'missing_header',
  invalid_pubkey: 'invalid_pubkey',
  small_order_key: 'invalid_pubkey',
  malformed_nonce: 'malformed_nonce',
  stale_nonce: 'stale_nonce',
  malformed_signature: 'bad_signature',
  malformed_request: 'bad_signature',
  bad_signature: 'bad_signature',
};

/** The parts of a request that its signature covers. `originalUrl` is as it arrived, `url` without the prefix of a public address. */
export type SignableRequest = Pick<
  FastifyRequest,
  'method' | 'headers' | 'host' | 'originalUrl' | 'url' | 'rawBody' | 'raw'
>;

/**
 * Verifies the signature headers over the request as received, without touching the database. Rules S-10 to S-13, S-26.
 *
 * @param bodySha256 of a body that is not here yet, hex
 * @throws LegworkError (401) that says which header is wrong and what would be right
 */
export function verifySigner(
  context: Pick<AppContext, 'clock' | 'config' | 'publicUrl'>,
  request: SignableRequest,
  bodySha256?: string,
): Signer {
  const host = request.host.toLowerCase();
  const hosts = servedHosts(context, request.raw.socket.localPort);
  if (!hosts.includes(host)) {
    throw new LegworkError(
      'unknown_host',
      `This service answers to ${hosts.join(', ')}; sign and send for one of them.`,
    );
  }
  const now = context.clock().getTime();
  const body = request.rawBody ?? new Uint8Array();
  const signed = { method: request.method, host, body, ...(bodySha256 !== undefined && { bodySha256 }) };
  const verifyFor = (path: string) => verifyRequest({ ...signed, path }, request.headers, now, isSurelyGood);
  const [arrived, ...others] = signedPaths(context, host, request.originalUrl, request.url);
  let verified = verifyFor(arrived);
  for (const path of others) {
    if (verified.ok || verified.code !== 'bad_signature') break;
    verified = verifyFor(path);
  }
  if (!verified.ok) throw new LegworkError(CODES[verified.code], verified.message);
  const { pubkey, nonce, signature, text } = verified;
  return { pubkey, nonce, signature, text, body };
}

/**
 * Lets a key speak for itself only. Rules S-14, S-67.
 *
 * @throws LegworkError `pubkey_mismatch` (403) when the input names another key than the signer's
 */
export function requireOwnKey(signer: Signer, input: object): void {
  const given = new Map<string, unknown>(Object.entries(input));
  const wrong = OWN_KEY_FIELDS.find((field) => given.has(field) && given.get(field) !== signer.pubkey);
  if (wrong === undefined) return;
  throw LegworkError.field('pubkey_mismatch', wrong, `must be the key that signed the request, ${signer.pubkey}`);
}

/**
 * Spends the signer's nonce. Call it after the signature verified, so that nobody can spend another agent's.
 *
 * @throws LegworkError `replayed_nonce` (401) when this key used it before
 */
export async function useNonce({ nonces }: Pick<AppContext, 'nonces'>, signer: Signer): Promise<void> {
  if (await nonces.run(signer, { line: 'nonces', name: nonceName(signer) })) return;
  throw new LegworkError('replayed_nonce', 'This nonce was used before; sign each request with a fresh one.');
}

/**
 * Checks a signature with OpenSSL: fifteen times as fast as the strict check in JavaScript and no laxer, since it takes
 * only a canonical S and compares R as bytes. A signature that it refuses may still be good, because it does not multiply
 * by the cofactor.
 */
export function isSurelyGood(signature: Uint8Array, message: Uint8Array, key: Uint8Array): boolean {
  // As JWK: the DER form of a key takes longer to read than a signature to check.
  const x = Buffer.from(key).toString('base64url');
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, message, publicKey, signature);
}
