/** The largest transaction that a cluster accepts, in bytes. */
export const MAX_TRANSACTION_BYTES = 1232;

export type WireInstruction = {
  readonly programIndex: number;
  readonly accounts: Uint8Array;
  readonly data: Uint8Array;
};

/** Addresses that a message borrows from an address lookup table. */
export type TableLookup = {
  readonly table: Uint8Array;
  readonly writable: Uint8Array;
  readonly readonly: Uint8Array;
};

export type WireMessage = {
  readonly version: 'legacy' | 0;
  readonly numRequiredSignatures: number;
  readonly numReadonlySigned: number;
  readonly numReadonlyUnsigned: number;
  readonly staticKeys: readonly Uint8Array[];
  readonly blockhash: Uint8Array;
  readonly instructions: readonly WireInstruction[];
  readonly lookups: readonly TableLookup[];
  readonly bytes: Uint8Array;
};

export type WireTransaction = {
  readonly bytes: Uint8Array;
  readonly signatures: readonly Uint8Array[];
  readonly message: WireMessage;
};

/** Bytes that are not a transaction, or a transaction with an index out of range. The message says which. */
export class MalformedTransactionError extends Error {
  override readonly name = 'MalformedTransactionError';
}

const SANITIZE = 'invalid transaction: Transaction failed to sanitize accounts offsets correctly';

class Reader {
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

/**
 * Reads a signed transaction (legacy or version 0) and checks every length and index in it. Nothing unchecked may reach
 * the engine: its native code aborts the process on bytes that it cannot read. Trailing bytes are cut off. Rule L-14.
 *
 * @throws MalformedTransactionError
 */
export function parseTransaction(bytes: Uint8Array): WireTransaction {
  const reader = new Reader(bytes, 'solana_transaction::versioned::VersionedTransaction');
  const signatures: Uint8Array[] = [];
  for (let left = reader.length(); left > 0; left -= 1) signatures.push(reader.slice(64));
  const message = readMessage(reader, bytes);
  if (signatures.length !== message.numRequiredSignatures) throw new MalformedTransactionError(SANITIZE);
  return { bytes: bytes.subarray(0, reader.offset), signatures, message };
}

/** Reads a message alone, as `getFeeForMessage` gets it. @throws MalformedTransactionError */
export function parseMessage(bytes: Uint8Array): WireMessage {
  return readMessage(new Reader(bytes, 'solana_message::versions::VersionedMessage'), bytes);
}

function readMessage(reader: Reader, bytes: Uint8Array): WireMessage {
  const start = reader.offset;
  const first = reader.peek();
  let version: 'legacy' | 0 = 'legacy';
  if (first !== undefined && first >= 0x80) {
    if (first !== 0x80) throw reader.fail(`message version ${first & 0x7f} is not supported, only legacy and 0`);
    reader.byte();
    version = 0;
  }
  const numRequiredSignatures = reader.byte();
  const numReadonlySigned = reader.byte();
  const numReadonlyUnsigned = reader.byte();
  const staticKeys: Uint8Array[] = [];
  for (let left = reader.length(); left > 0; left -= 1) staticKeys.push(reader.slice(32));
  const blockhash = reader.slice(32);
  const instructions = readInstructions(reader);
  const lookups = version === 0 ? readLookups(reader) : [];
  const message: WireMessage = {
    version,
    numRequiredSignatures,
    numReadonlySigned,
    numReadonlyUnsigned,
    staticKeys,
    blockhash,
    instructions,
    lookups,
    bytes: bytes.subarray(start, reader.offset),
  };
  sanitize(message);
  return message;
}

function readInstructions(reader: Reader): WireInstruction[] {
  const instructions: WireInstruction[] = [];
  for (let left = reader.length(); left > 0; left -= 1) {
    const programIndex = reader.byte();
    const accounts = reader.slice(reader.length());
    const data = reader.slice(reader.length());
    instructions.push({ programIndex, accounts, data });
  }
  return instructions;
}

function readLookups(reader: Reader): TableLookup[] {
  const lookups: TableLookup[] = [];
  for (let left = reader.length(); left > 0; left -= 1) {
    const table = reader.slice(32);
    const writable = reader.slice(reader.length());
    const readonly = reader.slice(reader.length());
    lookups.push({ table, writable, readonly });
  }
  return lookups;
}

function sanitize(message: WireMessage): void {
  const { numRequiredSignatures, numReadonlySigned, numReadonlyUnsigned, staticKeys, instructions, lookups } = message;
  const borrowed = lookups.reduce((sum, one) => sum + one.writable.length + one.readonly.length, 0);
  const total = staticKeys.length + borrowed;
  const sound =
    numReadonlySigned < numRequiredSignatures &&
    numRequiredSignatures + numReadonlyUnsigned <= staticKeys.length &&
    total <= 256 &&
    lookups.every((one) => one.writable.length + one.readonly.length > 0) &&
    instructions.every(
      (one) =>
        one.programIndex > 0 &&
        one.programIndex < staticKeys.length &&
        one.accounts.every((accountIndex) => accountIndex < total),
    );
  if (!sound) throw new MalformedTransactionError(SANITIZE);
}

/** Whether the static key at `index` is writable according to the message's header. */
export function isWritableStatic(message: WireMessage, index: number): boolean {
  const { numRequiredSignatures, numReadonlySigned, numReadonlyUnsigned, staticKeys } = message;
  return index < numRequiredSignatures
    ? index < numRequiredSignatures - numReadonlySigned
    : index < staticKeys.length - numReadonlyUnsigned;
}

/** The first signature, by which the transaction is known. */
export function signatureOf(transaction: WireTransaction): Uint8Array {
  const [first] = transaction.signatures;
  if (first === undefined) throw new MalformedTransactionError(SANITIZE);
  return first;
}
