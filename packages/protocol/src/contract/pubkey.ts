import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';

/** Bytes of a public key. */
export const PUBKEY_LENGTH = 32;

/** 32 bytes in base58 are 32 to 44 characters; longer text is refused before the quadratic decoding. */
const MAX_PUBKEY_TEXT = 44;
const SIGNATURE_LENGTH = 64;
/** 64 bytes in base58 are 64 to 88 characters. */
const MAX_SIGNATURE_TEXT = 88;

/**
 * Addresses that look like public keys but belong to the runtime: programs, loaders and sysvars. Nobody can sign for
 * them, or receive pay at them.
 */
export const RUNTIME_ADDRESSES: ReadonlySet<string> = new Set([
  '11111111111111111111111111111111',
  '1nc1nerator11111111111111111111111111111111',
  'AddressLookupTab1e1111111111111111111111111',
  'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  'BPFLoader1111111111111111111111111111111111',
  'BPFLoader2111111111111111111111111111111111',
  'BPFLoaderUpgradeab1e11111111111111111111111',
  'ComputeBudget111111111111111111111111111111',
  'Config1111111111111111111111111111111111111',
  'Ed25519SigVerify111111111111111111111111111',
  'Feature111111111111111111111111111111111111',
  'KeccakSecp256k11111111111111111111111111111',
  'LoaderV411111111111111111111111111111111111',
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'NativeLoader1111111111111111111111111111111',
  'Secp256r1SigVerify1111111111111111111111111',
  'Stake11111111111111111111111111111111111111',
  'StakeConfig11111111111111111111111111111111',
  'Sysvar1111111111111111111111111111111111111',
  'SysvarC1ock11111111111111111111111111111111',
  'SysvarEpochRewards1111111111111111111111111',
  'SysvarEpochSchedu1e111111111111111111111111',
  'SysvarFees111111111111111111111111111111111',
  'Sysvar1nstructions1111111111111111111111111',
  'SysvarLastRestartS1ot1111111111111111111111',
  'SysvarRecentB1ockHashes11111111111111111111',
  'SysvarRent111111111111111111111111111111111',
  'SysvarRewards111111111111111111111111111111',
  'SysvarS1otHashes111111111111111111111111111',
  'SysvarS1otHistory11111111111111111111111111',
  'SysvarStakeHistory1111111111111111111111111',
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  'Vote111111111111111111111111111111111111111',
  'ZkE1Gama1Proof11111111111111111111111111111',
  'ZkTokenProof1111111111111111111111111111111',
]);

/** Why a public key was refused. */
export type PubkeyFaultCode = 'invalid_pubkey' | 'small_order_key' | 'not_on_curve' | 'reserved_address';

/** A public key that cannot be a wallet's. The message says what was wrong and what would be right. */
export class PubkeyError extends Error {
  override readonly name = 'PubkeyError';
  readonly code: PubkeyFaultCode;

  constructor(code: PubkeyFaultCode, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * The 32 bytes of a base58 public key or address.
 *
 * @throws {PubkeyError} `invalid_pubkey` unless the text is base58 of exactly 32 bytes
 */
export function parsePubkey(text: string): Uint8Array {
  const bytes = decodeBase58(text, MAX_PUBKEY_TEXT);
  if (bytes?.length !== PUBKEY_LENGTH) {
    throw new PubkeyError('invalid_pubkey', `"${clip(text)}" is not a public key; give base58 text of 32 bytes`);
  }
  return bytes;
}

/** The base58 text of 32 bytes. @throws {PubkeyError} `invalid_pubkey` for any other length */
export function formatPubkey(bytes: Uint8Array): string {
  if (bytes.length !== PUBKEY_LENGTH) {
    throw new PubkeyError('invalid_pubkey', `a public key has ${PUBKEY_LENGTH} bytes, not ${bytes.length}`);
  }
  return base58.encode(bytes);
}

/** Reports whether the text is base58 of 32 bytes (an address; it need not be a wallet's). */
export function isPubkey(text: string): boolean {
  return decodeBase58(text, MAX_PUBKEY_TEXT)?.length === PUBKEY_LENGTH;
}

/** Reports whether the text is base58 of 64 bytes: a transaction's signature. */
export function isSignature(text: string): boolean {
  return decodeBase58(text, MAX_SIGNATURE_TEXT)?.length === SIGNATURE_LENGTH;
}

/** Keys found good lately. To decode a point takes 0.15 ms, and a service reads the same key several times a request. */
const goodKeys = new Set<string>();
const MOST_GOOD_KEYS = 10_000;

/** Remembers a good key in place of the one remembered longest. */
function rememberGood(key: string): void {
  const [oldest] = goodKeys;
  if (goodKeys.size === MOST_GOOD_KEYS && oldest !== undefined) goodKeys.delete(oldest);
  goodKeys.add(key);
}

/**
 * The fault of 32 bytes as a key, or undefined if its holder alone can sign. `small_order_key`: a point of order
 * 8 or less, canonically encoded or not, for which anyone can; `not_on_curve`: no canonical point, so no one can.
 */
export function keyFault(bytes: Uint8Array): 'small_order_key' | 'not_on_curve' | undefined {
  const key = String.fromCharCode(...bytes);
  if (goodKeys.has(key)) return undefined;
  const canonical = decodePoint(bytes, false);
  // A good key, as nearly all are, is decoded only once.
  const point = canonical ?? decodePoint(bytes, true);
  if (point?.isSmallOrder()) return 'small_order_key';
  if (canonical === undefined) return 'not_on_curve';
  rememberGood(key);
  return undefined;
}

/**
 * The 32 bytes of a public key that can be a wallet's: it can sign, and be paid. Rule M-8.
 *
 * @param reserved further addresses that no one may use: the relay program's, the coordinator's
 * @throws {PubkeyError} `invalid_pubkey`, `reserved_address`, `small_order_key` or `not_on_curve`
 */
export function parseWalletPubkey(text: string, reserved: Iterable<string> = []): Uint8Array {
  const bytes = parsePubkey(text);
  if (RUNTIME_ADDRESSES.has(text) || [...reserved].includes(text)) {
    throw new PubkeyError(
      'reserved_address',
      `${text} belongs to a program, a sysvar or this service; give a wallet's public key`,
    );
  }
  const fault = keyFault(bytes);
  if (fault === 'small_order_key') {
    throw new PubkeyError(
      'small_order_key',
      `${text} is a point of small order, for which anybody can sign; give a wallet's public key`,
    );
  }
  if (fault === 'not_on_curve') {
    throw new PubkeyError(
      'not_on_curve',
      `${text} is not a point on the ed25519 curve, so nobody can sign for it; give a wallet's public key`,
    );
  }
  return bytes;
}

/** Reports whether the key signed these bytes: strict (RFC 8032), and keys of small order, for which anyone can sign, sign nothing. */
export function isSignedBy(pubkey: string, signature: Uint8Array, bytes: Uint8Array): boolean {
  const key = decodeBase58(pubkey, MAX_PUBKEY_TEXT);
  if (key?.length !== PUBKEY_LENGTH || signature.length !== SIGNATURE_LENGTH) return false;
  return ed25519.verify(signature, bytes, key, { zip215: false });
}

/** Base58 to bytes, or undefined for text that is too long or not base58. */
export function decodeBase58(text: string, maxLength: number): Uint8Array | undefined {
  if (text.length > maxLength) {
    return undefined;
  }
  try {
    return base58.decode(text);
  } catch {
    return undefined;
  }
}

function decodePoint(bytes: Uint8Array, acceptNonCanonical: boolean) {
  try {
    return ed25519.Point.fromBytes(bytes, acceptNonCanonical);
  } catch {
    return undefined;
  }
}

function clip(text: string): string {
  return text.length <= MAX_PUBKEY_TEXT ? text : `${text.slice(0, MAX_PUBKEY_TEXT)}…`;
}
