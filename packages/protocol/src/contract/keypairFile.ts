import { ed25519 } from '@noble/curves/ed25519.js';

const KEYPAIR_BYTES = 64;

/** A text that is not a keypair as solana-keygen writes it. The message never holds what is in the text. */
export class KeypairFileError extends Error {
  override readonly name = 'KeypairFileError';
}

/**
 * Reads the text of a solana-keygen file: a JSON array of 64 numbers, the secret key and then the public key.
 *
 * @returns the 64 bytes
 * @throws {KeypairFileError} saying what is wrong with it
 */
export function parseKeypairFile(text: string): Uint8Array {
  const elements = parseArray(text);
  if (elements.length !== KEYPAIR_BYTES) throw new KeypairFileError(`it has ${elements.length} elements`);
  if (!elements.every(isByte)) throw new KeypairFileError('an element is not a number from 0 to 255');
  const bytes = Uint8Array.from(elements);
  const publicKey = ed25519.getPublicKey(bytes.subarray(0, 32));
  if (!publicKey.every((byte, index) => byte === bytes[32 + index])) {
    throw new KeypairFileError('the public key in its second half does not belong to the secret key');
  }
  return bytes;
}

function parseArray(text: string): unknown[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new KeypairFileError('it is not JSON');
  }
  if (!Array.isArray(value)) throw new KeypairFileError('it is not an array');
  return value;
}

function isByte(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 255;
}
