import { ed25519 } from '@noble/curves/ed25519.js';

const KEYPAIR_BYTES = 64;

/** A file that is not a keypair as solana-keygen writes it. The message never holds what is in the file. */
export class KeypairFileError extends Error {
  override readonly name = 'KeypairFileError';
}

/**
 * Reads the text of a solana-keygen file: a JSON array of 64 numbers, the seed and then the public key.
 *
 * @returns the 64 bytes
 * @throws {KeypairFileError} when it is something else, or when the halves do not belong together
 */
export function parseKeypairFile(text: string): Uint8Array {
  const bytes = readBytes(text);
  if (bytes?.length !== KEYPAIR_BYTES) {
    throw new KeypairFileError('is not a keypair; it has to be a JSON array of 64 numbers, as solana-keygen writes it');
  }
  const publicKey = ed25519.getPublicKey(bytes.subarray(0, 32));
  if (!publicKey.every((byte, index) => byte === bytes[32 + index])) {
    throw new KeypairFileError('holds a secret key and a public key that do not belong together');
  }
  return bytes;
}

function readBytes(text: string): Uint8Array | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const isByte = (entry: unknown): entry is number =>
    Number.isInteger(entry) && Number(entry) >= 0 && Number(entry) < 256;
  return Array.isArray(value) && value.every(isByte) ? Uint8Array.from(value) : undefined;
}
