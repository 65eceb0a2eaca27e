import { base58 } from '@scure/base';
import { decodeBase58, formatPubkey, keyFault, parsePubkey, PUBKEY_LENGTH } from '../pubkey.js';

/** The method of this service's DIDs. */
export const DID_METHOD = 'svc';

const PREFIX = `did:${DID_METHOD}:`;
const MAX_PUBKEY_TEXT = 44;

/** The multicodec code of Ed25519 public keys, as a varint. */
const ED25519_CODEC = [0xed, 0x01] as const;
/** `z` and the base58btc of 34 bytes that begin with 0xed01: always 48 characters. */
const MULTIBASE_LENGTH = 48;

/** Reports whether a base58 text names a key that has a DID: 32 bytes, a canonical point, not of small order. Rule M-62. */
export function isDidKey(pubkey: string): boolean {
  const bytes = decodeBase58(pubkey, MAX_PUBKEY_TEXT);
  return bytes?.length === PUBKEY_LENGTH && keyFault(bytes) === undefined;
}

/** The DID of a key. @throws {RangeError} when the key has none */
export function didOf(pubkey: string): string {
  if (!isDidKey(pubkey)) {
    throw new RangeError(`"${pubkey.slice(0, MAX_PUBKEY_TEXT)}" has no DID; give an Ed25519 public key in base58`);
  }
  return PREFIX + pubkey;
}

/** The base58 key that a DID names; undefined for anything else, a DID URL with a fragment included. */
export function parseDid(did: string): string | undefined {
  if (!did.startsWith(PREFIX)) return undefined;
  const pubkey = did.slice(PREFIX.length);
  return isDidKey(pubkey) ? pubkey : undefined;
}

/** The id of a DID's own key, which a credential's `kid` names. Rule M-63. */
export function keyIdOf(did: string): string {
  return `${did}#key-1`;
}

/** The Multikey text of a base58 public key: `z` and the base58btc of 0xed, 0x01 and its 32 bytes. */
export function encodeMultibaseKey(pubkey: string): string {
  return `z${base58.encode(Uint8Array.of(...ED25519_CODEC, ...parsePubkey(pubkey)))}`;
}

/** The base58 public key of a Multikey text; undefined unless it is that of a key which has a DID. */
export function decodeMultibaseKey(text: string): string | undefined {
  if (text.length !== MULTIBASE_LENGTH || !text.startsWith('z')) return undefined;
  const bytes = decodeBase58(text.slice(1), MULTIBASE_LENGTH);
  if (bytes?.length !== ED25519_CODEC.length + PUBKEY_LENGTH) return undefined;
  if (ED25519_CODEC.some((byte, index) => bytes[index] !== byte)) return undefined;
  const pubkey = formatPubkey(bytes.subarray(ED25519_CODEC.length));
  return isDidKey(pubkey) ? pubkey : undefined;
}
