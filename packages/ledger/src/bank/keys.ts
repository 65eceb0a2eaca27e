import { getBase58Decoder, getBase58Encoder } from '@solana/kit';

/**
 * Raw bytes (an address, a signature, a digest) as a string with one character a byte: the key of the ledger's maps.
 * Encoding 64 bytes in base58 takes about 20 microseconds, this about a tenth of one.
 */
export type Key = string;

export function keyOf(bytes: Uint8Array): Key {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

export function bytesOfKey(key: Key): Uint8Array {
  return Buffer.from(key, 'latin1');
}

const decoder = getBase58Decoder();
const encoder = getBase58Encoder();

/** Writes bytes as base58 text. */
export function toBase58(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** Reads base58 text. @throws Error when a character is outside the alphabet */
export function fromBase58(text: string): Uint8Array {
  return Uint8Array.from(encoder.encode(text));
}
