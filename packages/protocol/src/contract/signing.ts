import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { bytesToSign, type Carrier, readCarried, writeCarried } from './carrier.js';
import { parseNonce, isFreshNonce } from './nonce.js';
import { decodeBase58, formatPubkey, keyFault, PUBKEY_LENGTH } from './pubkey.js';

/** First line of the signed text; it names the scheme, so that no signature can serve elsewhere. */
export const SIGNED_REQUEST_DOMAIN = 'svc-auth-v1';

/** The three headers of a signed request. */
export const HEADER_PUBKEY = 'X-Pubkey';
export const HEADER_NONCE = 'X-Nonce';
export const HEADER_SIGNATURE = 'X-Signature';

const SIGNATURE_LENGTH = 64;

/** The signed parts of a request. */
export interface RequestParts {
  /** HTTP method; signed in upper case. */
  readonly method: string;
  /** Host as in the Host header, with the port unless it is the scheme's default; signed in lower case. */
  readonly host: string;
  /** Path with its query exactly as sent, beginning with `/`. */
  readonly path: string;
  /** Raw body bytes, or text to be sent as UTF-8; leave out when there is none. */
  readonly body?: Uint8Array | string;
  /** sha256 of the body, hex, where the body itself is not at hand: it is a stream. */
  readonly bodySha256?: string;
}

/** Signs for a public key: a key file, a wallet, a key service. */
export interface RequestSigner {
  /** Base58 public key. */
  readonly pubkey: string;
  /** The form in which it signs a text; default: the text as a message. */
  readonly carrier?: Carrier;
  /** The 64-byte ed25519 signature of the text; where the carrier is a transaction, of that. */
  sign(message: Uint8Array): Uint8Array | Promise<Uint8Array>;
}

/** The headers that {@link signRequest} makes. */
export type SignedHeaders = Record<typeof HEADER_PUBKEY | typeof HEADER_NONCE | typeof HEADER_SIGNATURE, string>;

/** Request headers as HTTP servers give them; names in any case. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Why a signed request was refused. */
export type SignatureFaultCode =
  | 'missing_header'
  | 'repeated_header'
  | 'invalid_pubkey'
  | 'small_order_key'
  | 'malformed_nonce'
  | 'stale_nonce'
  | 'malformed_signature'
  | 'malformed_request'
  | 'bad_signature';

/**
 * A quick check of a signature under a key that is known to be good ({@link keyFault}): true only
 * where strict verification passes too. A signature that it does not vouch for is verified strictly.
 */
export type QuickCheck = (signature: Uint8Array, message: Uint8Array, key: Uint8Array) => boolean;

/** The answer of {@link verifyRequest}: who signed which text, the signature as it is kept; or why it does not count. */
export type RequestVerification =
  | {
      readonly ok: true;
      readonly pubkey: string;
      readonly nonce: string;
      readonly text: string;
      readonly signature: string;
    }
  | { readonly ok: false; readonly code: SignatureFaultCode; readonly message: string };

/**
 * The text whose UTF-8 bytes are signed: six lines joined by line feeds, none at the end. Rule M-31.
 *
 * @throws {RangeError} when method, host or path is empty or holds white space or control characters, which could move
 *   text from one line to another
 */
export function signedRequestText(parts: RequestParts, nonce: string): string {
  for (const name of ['method', 'host', 'path'] as const) {
    if (!isOneLine(parts[name])) {
      throw new RangeError(`${name} is empty or holds white space; give it exactly as sent, percent-encoded`);
    }
  }
  return [
    SIGNED_REQUEST_DOMAIN,
    parts.method.toUpperCase(),
    parts.host.toLowerCase(),
    parts.path,
    nonce,
    parts.bodySha256 ?? bodyHash(parts.body),
  ].join('\n');
}

/**
 * A signer over a secret key in memory.
 *
 * @param secretKey the 32-byte seed, or the 64 bytes (seed, then public key) of a Solana key file
 * @throws {RangeError} for another length, or a public key that is not the seed's
 */
export function createRequestSigner(secretKey: Uint8Array): RequestSigner {
  if (secretKey.length !== 32 && secretKey.length !== 64) {
    throw new RangeError(`a secret key has 32 bytes (seed) or 64 (seed and public key), not ${secretKey.length}`);
  }
  const seed = secretKey.slice(0, 32);
  const pubkey = formatPubkey(ed25519.getPublicKey(seed));
  if (secretKey.length === 64 && formatPubkey(secretKey.slice(32)) !== pubkey) {
    throw new RangeError('the last 32 bytes of the secret key are not the public key of the first 32');
  }
  return { pubkey, sign: (message) => ed25519.sign(message, seed) };
}

/**
 * Signs a request and gives its headers; the signature is base58. Rule M-33.
 *
 * @param nonce a fresh one from `createNonce`; the service accepts each once
 */
export async function signRequest(signer: RequestSigner, parts: RequestParts, nonce: string): Promise<SignedHeaders> {
  const signature = await signer.sign(utf8ToBytes(signedRequestText(parts, nonce)));
  return {
    [HEADER_PUBKEY]: signer.pubkey,
    [HEADER_NONCE]: nonce,
    [HEADER_SIGNATURE]: writeCarried({ bytes: signature, carrier: signer.carrier ?? 'message' }),
  };
}

/**
 * Verifies a signed request over its raw bytes, everything but the nonce's single use, which needs a memory. Rules M-32
 * to M-34. Verification is strict (RFC 8032): canonical encodings only, keys of small order refused.
 *
 * @param nowMs the verifier's clock, milliseconds since 1970
 * @param isSurelyGood the platform's check that spares most signatures the slower verification
 */
export function verifyRequest(
  parts: RequestParts,
  headers: RequestHeaders,
  nowMs: number,
  isSurelyGood: QuickCheck = () => false,
): RequestVerification {
  const values: string[] = [];
  for (const name of [HEADER_PUBKEY, HEADER_NONCE, HEADER_SIGNATURE]) {
    const value = headerValue(headers, name);
    if (value === undefined || value === '') {
      return refuse(
        'missing_header',
        `${name} is missing; send ${HEADER_PUBKEY}, ${HEADER_NONCE}, ${HEADER_SIGNATURE}`,
      );
    }
    if (typeof value !== 'string') {
      return refuse('repeated_header', `${name} was sent more than once; send it once`);
    }
    values.push(value);
  }
  const [pubkey = '', nonce = '', signature = ''] = values;
  return verifyHeaderValues(parts, { pubkey, nonce, signature }, nowMs, isSurelyGood);
}

function verifyHeaderValues(
  parts: RequestParts,
  { pubkey, nonce, signature }: { pubkey: string; nonce: string; signature: string },
  nowMs: number,
  isSurelyGood: QuickCheck,
): RequestVerification {
  const key = readKey(pubkey);
  if ('code' in key) {
    return key;
  }
  const parsed = parseNonce(nonce);
  if (parsed === undefined) {
    return refuse('malformed_nonce', `${HEADER_NONCE} is not <unix milliseconds>-<8 to 64 letters and digits>`);
  }
  if (!isFreshNonce(parsed, nowMs)) {
    return refuse(
      'stale_nonce',
      `${HEADER_NONCE} is of ${parsed.unixMs}, the clock here says ${nowMs}; sign within 60 s`,
    );
  }
  const carried = readCarried(signature);
  if (carried === undefined) {
    return refuse(
      'malformed_signature',
      `${HEADER_SIGNATURE} is not base58 or base64 of ${SIGNATURE_LENGTH} bytes, after tx: where a transaction was signed`,
    );
  }
  if (!isOneLine(parts.method) || !isOneLine(parts.host) || !isOneLine(parts.path)) {
    return refuse('malformed_request', 'method, host or path is empty or holds white space; percent-encode the path');
  }
  const text = signedRequestText(parts, nonce);
  const message = bytesToSign(carried.carrier, key.bytes, utf8ToBytes(text));
  const isGood =
    message !== undefined &&
    (isSurelyGood(carried.bytes, message, key.bytes) ||
      ed25519.verify(carried.bytes, message, key.bytes, { zip215: false }));
  if (!isGood) {
    return refuse(
      'bad_signature',
      `${HEADER_SIGNATURE} does not verify; sign "${SIGNED_REQUEST_DOMAIN}", method, host, path with query, nonce and ` +
        'sha256 hex of the raw body, joined by line feeds',
    );
  }
  return { ok: true, pubkey, nonce, text, signature: writeCarried(carried) };
}

function readKey(pubkey: string): { readonly bytes: Uint8Array } | (RequestVerification & { ok: false }) {
  const bytes = decodeBase58(pubkey, 44);
  if (bytes?.length !== PUBKEY_LENGTH) {
    return refuse('invalid_pubkey', `${HEADER_PUBKEY} is not base58 of ${PUBKEY_LENGTH} bytes`);
  }
  const fault = keyFault(bytes);
  if (fault === 'small_order_key') {
    return refuse('small_order_key', `${HEADER_PUBKEY} is a key of small order, for which anybody can sign`);
  }
  return fault === undefined ? { bytes } : refuse('invalid_pubkey', `${HEADER_PUBKEY} is not a point on the curve`);
}

function headerValue(headers: RequestHeaders, name: string): string | readonly string[] | undefined {
  const lower = name.toLowerCase();
  const found = Object.entries(headers).filter(([key, value]) => key.toLowerCase() === lower && value !== undefined);
  return found.length > 1 ? found.map(([key]) => key) : found[0]?.[1];
}

function bodyHash(body: Uint8Array | string | undefined): string {
  return bytesToHex(sha256(typeof body === 'string' ? utf8ToBytes(body) : (body ?? new Uint8Array())));
}

function isOneLine(text: string): boolean {
  return /^[^\s\p{Cc}]+$/u.test(text);
}

function refuse(code: SignatureFaultCode, message: string): RequestVerification & { ok: false } {
  return { ok: false, code, message };
}
