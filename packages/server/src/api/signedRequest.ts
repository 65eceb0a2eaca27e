import {
  type ErrorCode,
  OWN_KEY_FIELDS,
  RelayError,
  type SignatureFaultCode,
  verifyRequest,
} from '@legwork/protocol/contract';
import type { FastifyRequest } from 'fastify';
import type { AppContext } from '../context.js';
import type { Db } from '../db/connect.js';
import { isSurelyGood } from './quickCheck.js';
import { servedHosts, signedPaths } from './servedAddresses.js';

/** Whoever signed a request, proven. */
export interface Signer {
  /** Base58 public key. */
  pubkey: string;
  /** Not yet known to be unused: see {@link useNonce}. */
  nonce: string;
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

/** What of a request its signature covers. `originalUrl` is as it arrived, `url` without the prefix of a public address. */
export type SignableRequest = Pick<
  FastifyRequest,
  'method' | 'headers' | 'host' | 'originalUrl' | 'url' | 'rawBody' | 'raw'
>;

/**
 * Verifies the signature headers over the request as received, without touching the database. Rules S-10 to S-13, S-26.
 *
 * @throws RelayError (401) that says which header is wrong and what would be right
 */
export function verifySigner(
  context: Pick<AppContext, 'clock' | 'config' | 'publicUrl'>,
  request: SignableRequest,
): Signer {
  const host = request.host.toLowerCase();
  const hosts = servedHosts(context, request.raw.socket.localPort);
  if (!hosts.includes(host)) {
    throw new RelayError('unknown_host', `This service answers to ${hosts.join(', ')}; sign and send for one of them.`);
  }
  const now = context.clock().getTime();
  const body = request.rawBody ?? new Uint8Array();
  const verify = (path: string) =>
    verifyRequest({ method: request.method, host, path, body }, request.headers, now, isSurelyGood);
  const [arrived, ...others] = signedPaths(context, host, request.originalUrl, request.url);
  let verified = verify(arrived);
  for (const path of others) {
    if (verified.ok || verified.code !== 'bad_signature') break;
    verified = verify(path);
  }
  if (!verified.ok) throw new RelayError(CODES[verified.code], verified.message);
  return { pubkey: verified.pubkey, nonce: verified.nonce };
}

/**
 * A key speaks for itself only. Rules S-14, S-67.
 *
 * @throws RelayError `pubkey_mismatch` (403) when the input names another key than the signer's
 */
export function requireOwnKey(signer: Signer, input: object): void {
  const given = new Map<string, unknown>(Object.entries(input));
  const wrong = OWN_KEY_FIELDS.find((field) => given.has(field) && given.get(field) !== signer.pubkey);
  if (wrong === undefined) return;
  throw RelayError.field('pubkey_mismatch', wrong, `must be the key that signed the request, ${signer.pubkey}`);
}

/**
 * Spends a nonce: the only memory that signing needs. Call it after the signature verified, so that nobody can spend
 * another agent's. Rule S-13.
 *
 * @throws RelayError `replayed_nonce` (401) when this key used it before
 */
export async function useNonce(db: Db, signer: Signer): Promise<void> {
  const result = await db
    .insertInto('nonces')
    .values({ pubkey: signer.pubkey, nonce: signer.nonce })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (result.numInsertedOrUpdatedRows !== 1n) {
    throw new RelayError('replayed_nonce', 'This nonce was used before; sign each request with a fresh one.');
  }
}
