/** Bytes that are not a transaction, or a transaction with an index out of range. The message says which. */
export class MalformedTransactionError extends Error {
  override readonly name = 'MalformedTransactionError';
}

/** Reads bytes in order. @throws MalformedTransactionError, as `what`, when they end too early */
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
    const value = this.#bytes[this.offset];
    if (value === undefined) throw this.fail('it ends too early');
    this.offset += 1;
    return value;
  }

  peek(): number | undefined {
    return this.#bytes[this.offset];
  }

  slice(length: number): Uint8Array {
    const end = this.offset + length;
    if (end > this.#bytes.length) throw this.fail('it ends too early');
    const part = this.#bytes.subarray(this.offset, end);
    this.offset = end;
    return part;
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
        if ((byte === 0 && i > 0) || value > 0xffff) throw this.fail('a length is not in its shortest form');
        return value;
      }
    }
    throw this.fail('a length is longer than three bytes');
  }

  fail(why: string): MalformedTransactionError {
    return new MalformedTransactionError(`failed to deserialize ${this.#what}: ${why}`);
  }
}

/** What to throw of bytes that can be read and are no transaction. */
export function insane(): MalformedTransactionError {
  return new MalformedTransactionError(
    'invalid transaction: Transaction failed to sanitize accounts offsets correctly',
  );
}
