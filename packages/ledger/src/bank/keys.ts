export { fromBase58, toBase58 } from './base58.js';

/**
 * Raw bytes (an address, a signature, a digest) as a string with one character a byte: the key of the ledger's maps.
 * Encoding 64 bytes in base58 takes more than a microsecond, this about a tenth of one.
 */
export type Key = string;

export function keyOf(bytes: Uint8Array): Key {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

export function bytesOfKey(key: Key): Uint8Array {
  return Buffer.from(key, 'latin1');
}
