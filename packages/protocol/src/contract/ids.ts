import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { uuidv7 } from 'uuidv7';

const CANONICAL_UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Creates a UUIDv7 in canonical lower-case text; later ones of this process sort after earlier ones. Rule M-4. */
export function createUuid(): string {
  return uuidv7();
}

/**
 * The UUIDv7 of something that the ledger shows and nobody here named: the same whenever it is made again, and sorted by its instant.
 *
 * @param name - the part that tells it from everything else
 */
export function derivedUuid(at: Date, name: string): string {
  const bytes = sha256(utf8ToBytes(name)).slice(0, 16);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const ms = at.getTime();
  view.setUint32(0, Math.floor(ms / 2 ** 16));
  view.setUint16(4, ms % 2 ** 16);
  view.setUint8(6, 0x70 | (view.getUint8(6) & 0x0f));
  view.setUint8(8, 0x80 | (view.getUint8(8) & 0x3f));
  return bytesToUuid(bytes);
}

/** Makes the salt of a listing: 128 random bits, in hexadecimal. Rule M-78. */
export function createSalt(): string {
  return bytesToHex(crypto.getRandomValues(new Uint8Array(16)));
}

/** Reports whether the text is a UUID in its canonical lower-case form, of any version. */
export function isUuid(text: string): boolean {
  return CANONICAL_UUID.test(text);
}

/**
 * The 16 big-endian bytes of a UUID, used as `package_id` on-chain.
 *
 * @throws {RangeError} unless the text is a canonical lower-case UUID
 */
export function uuidToBytes(uuid: string): Uint8Array {
  if (!isUuid(uuid)) {
    throw new RangeError(
      `"${uuid}" is not a UUID; give lower-case text such as 0189dcd5-5311-7d40-8db0-9496a2eef37b, with its hyphens`,
    );
  }
  return hexToBytes(uuid.replaceAll('-', ''));
}

/**
 * The canonical text of 16 bytes.
 *
 * @throws {RangeError} unless there are 16 bytes
 */
export function bytesToUuid(bytes: Uint8Array): string {
  if (bytes.length !== 16) {
    throw new RangeError(`a UUID has 16 bytes, not ${bytes.length}`);
  }
  return bytesToHex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
