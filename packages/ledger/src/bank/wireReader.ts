/** Bytes that are not a transaction, or a transaction with an index out of range. The message says which. */
export class MalformedTransactionError extends Error {
  override readonly name = 'MalformedTransactionError';
}

/** Reads bytes in order. @throws MalformedTransactionError, in the words of Agave's reader of `what`, when they end too early */
export class Reader {
  readonly #bytes: Uint8Array;
  readonly #what: string;
  offset: number;

  constructor(bytes: Uint8Array, what: string) {
    this.#bytes = bytes;
    this.#what = what;
    this.offset = 0;
  }

  byte(): number {
    this.#require(1);
    this.offset += 1;
    return this.#bytes[this.offset - 1] ?? 0;
  }

  slice(length: number): Uint8Array {
    this.#require(length);
    this.offset += length;
    return this.#bytes.subarray(this.offset - length, this.offset);
  }

  /** So many parts of the same length, which are there all or not at all. */
  slices(count: number, length: number): Uint8Array[] {
    this.#require(count * length);
    return Array.from({ length: count }, () => this.slice(length));
  }

  /** An unsigned integer of so many bytes, the lowest first. */
  number(bytes: number): number {
    return Buffer.from(this.slice(bytes)).readUIntLE(0, bytes);
  }

  /** A length in the compact-u16 form: one to three bytes, the shortest that fits. */
  length(): number {
    let value = 0;
    for (let i = 0; i < 3; i += 1) {
      const byte = this.byte();
      value |= (byte & 0x7f) << (7 * i);
      if ((byte & 0x80) === 0) {
        if (byte === 0 && i > 0) throw this.fail('Invalid value: short u16: non-canonical encoding');
        if (value <= 0xffff) return value;
      }
    }
    throw this.fail('Sequence length would overflow length encoding scheme: u16::MAX');
  }

  #require(length: number): void {
    if (this.offset + length > this.#bytes.length) throw this.fail(`Attempting to read ${length} bytes`);
  }

  fail(why: string): MalformedTransactionError {
    return new MalformedTransactionError(`failed to deserialize ${this.#what}: ${why}`);
  }
}

/** The error for bytes that can be read and are no transaction. */
export function insane(): MalformedTransactionError {
  return new MalformedTransactionError(
    'invalid transaction: Transaction failed to sanitize accounts offsets correctly',
  );
}
