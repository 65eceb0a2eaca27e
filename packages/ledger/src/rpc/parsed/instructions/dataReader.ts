import { toBase58 } from '../../../bank/keys.js';

/** An instruction that a parser cannot read: it is shown partially decoded. */
export class NotParsableError extends Error {
  override readonly name = 'NotParsableError';
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads the data of an instruction from front to back, little-endian, as programs write it with bincode and borsh.
 * Every method throws a NotParsableError when the bytes do not fit.
 */
export class DataReader {
  readonly #bytes: Buffer;
  #offset = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** How many bytes are left. */
  get left(): number {
    return this.#bytes.length - this.#offset;
  }

  bytes(length: number): Buffer {
    if (length > this.left) throw new NotParsableError('the data ends too early');
    this.#offset += length;
    return this.#bytes.subarray(this.#offset - length, this.#offset);
  }

  rest(): Buffer {
    return this.bytes(this.left);
  }

  u8(): number {
    return this.bytes(1).readUInt8();
  }

  u16(): number {
    return this.bytes(2).readUInt16LE();
  }

  i16(): number {
    return this.bytes(2).readInt16LE();
  }

  u32(): number {
    return this.bytes(4).readUInt32LE();
  }

  u64(): bigint {
    return this.bytes(8).readBigUInt64LE();
  }

  i64(): bigint {
    return this.bytes(8).readBigInt64LE();
  }

  f64(): number {
    return this.bytes(8).readDoubleLE();
  }

  bool(): boolean {
    return this.#tag();
  }

  /** An address or a hash, as base58 text. */
  address(): string {
    return toBase58(this.bytes(32));
  }

  /** An address of which 32 zeros mean that there is none. */
  nonZeroAddress(): string | null {
    const bytes = this.bytes(32);
    return bytes.every((byte) => byte === 0) ? null : toBase58(bytes);
  }

  /** A value behind a byte that says whether it is there. */
  option<T>(read: () => T): T | null {
    return this.#tag() ? read() : null;
  }

  /** UTF-8 text behind its length: of 8 bytes in bincode, of 4 in borsh. */
  text(lengthBytes: 4 | 8): string {
    const bytes = this.byteList(lengthBytes);
    try {
      return utf8.decode(bytes);
    } catch {
      throw new NotParsableError('the data has text that is not UTF-8');
    }
  }

  byteList(lengthBytes: 4 | 8): Buffer {
    return this.bytes(lengthBytes === 4 ? this.u32() : Number(this.u64()));
  }

  /** Values behind their number, of 8 bytes. */
  list<T>(read: () => T): T[] {
    const count = Number(this.u64());
    const values: T[] = [];
    // Each value takes bytes, so a wrong count ends with the data.
    while (values.length < count) values.push(read());
    return values;
  }

  /** One of the names of an enumeration, whose number has this many bytes. */
  variant<T>(names: readonly T[], numberBytes: 1 | 2 | 4): T {
    const index = { 1: () => this.u8(), 2: () => this.u16(), 4: () => this.u32() }[numberBytes]();
    const name = names[index];
    if (name === undefined) throw new NotParsableError(`the data has the unknown variant ${index}`);
    return name;
  }

  /** Checks that nothing is left. */
  end(): void {
    if (this.left > 0) throw new NotParsableError(`the data has ${this.left} bytes too many`);
  }

  #tag(): boolean {
    return this.variant([false, true], 1);
  }
}

/** Reads bytes that must be UTF-8 text as a whole. @throws NotParsableError */
export function textOf(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new NotParsableError('the data is not UTF-8');
  }
}
