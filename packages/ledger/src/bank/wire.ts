import { readMessageV1, V1_PREFIX } from './wireV1.js';
import { insane, Reader } from './wireReader.js';

/** The largest transaction of a version before 1 that a cluster accepts, in bytes. */
export const MAX_TRANSACTION_BYTES = 1232;

/** The limits and the price that a message of version 1 sets; null: it does not. */
export type TransactionConfig = {
  /** Lamports. */
  readonly priorityFee: bigint | null;
  readonly computeUnitLimit: number | null;
  readonly loadedAccountsDataSizeLimit: number | null;
  readonly heapSize: number | null;
};

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
  readonly version: 'legacy' | 0 | 1;
  /** Of version 1 alone. */
  readonly config?: TransactionConfig;
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

const SIGNATURE_BYTES = 64;

/** The first byte of a message says its version from here on, and otherwise how many signatures a legacy one has. */
const VERSIONED = 0x80;

/**
 * Reads a signed transaction (legacy, version 0 or 1) and checks every length and index in it. Nothing unchecked may reach
 * the engine: its native code aborts the process on bytes that it cannot read. Trailing bytes are cut off. Rule L-14.
 *
 * @throws MalformedTransactionError
 */
export function parseTransaction(bytes: Uint8Array): WireTransaction {
  const reader = new Reader(bytes, 'solana_transaction::versioned::VersionedTransaction');
  // Version 1 has its signatures behind the message, as many as that says.
  if (bytes[0] === V1_PREFIX) {
    const message = readMessage(reader, bytes);
    const signatures = reader.slices(message.numRequiredSignatures, SIGNATURE_BYTES);
    sanitize(message);
    return { bytes: bytes.subarray(0, reader.offset), signatures, message };
  }
  const count = reader.byte();
  if (count >= VERSIONED) throw reader.fail('Custom error: invalid transaction discriminator');
  const signatures = reader.slices(count, SIGNATURE_BYTES);
  const message = readMessage(reader, bytes);
  if (message.version === 1) throw reader.fail('Custom error: invalid message version');
  if (count !== message.numRequiredSignatures) throw insane();
  sanitize(message);
  return { bytes: bytes.subarray(0, reader.offset), signatures, message };
}

/** Reads a message alone, as `getFeeForMessage` gets it. @throws MalformedTransactionError */
export function parseMessage(bytes: Uint8Array): WireMessage {
  const message = readMessage(new Reader(bytes, 'solana_message::versions::VersionedMessage'), bytes);
  sanitize(message);
  return message;
}

function readMessage(reader: Reader, bytes: Uint8Array): WireMessage {
  const start = reader.offset;
  const message = readFields(reader);
  return { ...message, bytes: bytes.subarray(start, reader.offset) };
}

/** In the order, and as many bytes at once, as Agave reads them: so it is the same that is missing. */
function readFields(reader: Reader): Omit<WireMessage, 'bytes'> {
  const first = reader.byte();
  if (first === V1_PREFIX) return readMessageV1(reader);
  if (first > VERSIONED) throw reader.fail(`Invalid tag encoding: ${first - VERSIONED}`);
  const isLegacy = first < VERSIONED;
  const [required = 0, readonlySigned = 0, readonlyUnsigned = 0] = isLegacy
    ? [first, ...reader.slice(2)]
    : reader.slice(3);
  return {
    version: isLegacy ? 'legacy' : 0,
    numRequiredSignatures: required,
    numReadonlySigned: readonlySigned,
    numReadonlyUnsigned: readonlyUnsigned,
    staticKeys: reader.slices(reader.length(), 32),
    blockhash: reader.slice(32),
    instructions: readInstructions(reader),
    lookups: isLegacy ? [] : readLookups(reader),
  };
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

/** @throws MalformedTransactionError when an index is out of range */
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
  if (!sound) throw insane();
}

/** Reports whether the static key at `index` is writable according to the message's header. */
export function isWritableStatic(message: WireMessage, index: number): boolean {
  const { numRequiredSignatures, numReadonlySigned, numReadonlyUnsigned, staticKeys } = message;
  return index < numRequiredSignatures
    ? index < numRequiredSignatures - numReadonlySigned
    : index < staticKeys.length - numReadonlyUnsigned;
}

/** The first signature, by which the transaction is known. */
export function signatureOf(transaction: WireTransaction): Uint8Array {
  const [first] = transaction.signatures;
  if (first === undefined) throw insane();
  return first;
}
