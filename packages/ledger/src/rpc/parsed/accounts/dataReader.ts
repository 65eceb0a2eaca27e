import { toBase58 } from '../../../bank/keys.js';

/** A parser's reading of an account's data. */
export type Parsed = { readonly type: string; readonly info?: unknown };

/** Data is not what a parser expects. Never leaves `parseAccount`. */
export class UnreadableDataError extends Error {
  override readonly name = 'UnreadableDataError';
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Reads account data from its beginning, as Rust's bincode writes it. Every method may throw UnreadableDataError. */
export class DataReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #offset = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  bytes(length: number): Uint8Array {
    const start = this.#skip(length);
    return this.#bytes.subarray(start, start + length);
  }

  rest(): Uint8Array {
    return this.#bytes.subarray(this.#offset);
  }

  u8(): number {
    return this.#view.getUint8(this.#skip(1));
  }

  u16(): number {
    return this.#view.getUint16(this.#skip(2), true);
  }

  i16(): number {
    return this.#view.getInt16(this.#skip(2), true);
  }

  u32(): number {
    return this.#view.getUint32(this.#skip(4), true);
  }

  u64(): bigint {
    return this.#view.getBigUint64(this.#skip(8), true);
  }

  i64(): bigint {
    return this.#view.getBigInt64(this.#skip(8), true);
  }

  u128(): bigint {
    return this.u64() | (this.u64() << 64n);
  }

  f64(): number {
    return this.#view.getFloat64(this.#skip(8), true);
  }

  /** One byte, 0 or 1. */
  bool(): boolean {
    const byte = this.u8();
    if (byte > 1) throw new UnreadableDataError();
    return byte === 1;
  }

  /** Thirty-two bytes, an address or a hash, as base58. */
  key(): string {
    return toBase58(this.bytes(32));
  }

  option<T>(read: () => T): T | null {
    return this.bool() ? read() : null;
  }

  /** As many as the 64-bit count before them says. */
  list<T>(read: () => T): T[] {
    const count = this.u64();
    const items: T[] = [];
    // Each item takes a byte at least, so a wrong count soon meets the end of the data.
    while (BigInt(items.length) < count) items.push(read());
    return items;
  }

  /** UTF-8 of so many bytes. */
  text(length: number): string {
    const bytes = this.bytes(length);
    try {
      return utf8.decode(bytes);
    } catch {
      throw new UnreadableDataError();
    }
  }

  #skip(length: number): number {
    const start = this.#offset;
    if (length > this.#bytes.length - start) throw new UnreadableDataError();
    this.#offset = start + length;
    return start;
  }
}
