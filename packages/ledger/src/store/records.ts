import type { Account } from '../bank/account.js';
import type { TransactionError } from '../bank/transactionError.js';

/** A place in the order of all transactions. */
export type Position = {
  readonly slot: number;
  /** The place within the slot. */
  readonly index: number;
};

/** A landed transaction as it is stored. */
export type TransactionRecord = Position & {
  /** Seconds since 1970. */
  readonly blockTime: number;
  readonly wire: Uint8Array;
  readonly err: TransactionError | null;
  /** The `meta` of `getTransaction`, as JSON text. */
  readonly metaJson: string;
};

const ACCOUNT_HEADER = 8 + 8 + 1 + 32;

export function encodeAccount(account: Account): Uint8Array {
  const bytes = Buffer.allocUnsafe(ACCOUNT_HEADER + account.data.length);
  bytes.writeBigUInt64LE(account.lamports, 0);
  bytes.writeBigUInt64LE(account.rentEpoch, 8);
  bytes.writeUInt8(account.executable ? 1 : 0, 16);
  bytes.set(account.owner, 17);
  bytes.set(account.data, ACCOUNT_HEADER);
  return bytes;
}

export function decodeAccount(stored: Uint8Array): Account {
  // A copy: the store reuses its buffer for the next read.
  const bytes = Buffer.from(stored);
  return {
    lamports: bytes.readBigUInt64LE(0),
    rentEpoch: bytes.readBigUInt64LE(8),
    executable: bytes.readUInt8(16) === 1,
    owner: bytes.subarray(17, ACCOUNT_HEADER),
    data: bytes.subarray(ACCOUNT_HEADER),
  };
}

const TRANSACTION_HEADER = 8 + 2 + 4;

/** The position is the record's key. */
export function encodeTransaction({ blockTime, wire, err, metaJson }: TransactionRecord): Uint8Array {
  const errJson = err === null ? '' : JSON.stringify(err);
  const errEnd = TRANSACTION_HEADER + wire.length + Buffer.byteLength(errJson);
  const bytes = Buffer.allocUnsafe(errEnd + Buffer.byteLength(metaJson));
  bytes.writeDoubleLE(blockTime, 0);
  bytes.writeUInt16LE(wire.length, 8);
  bytes.writeUInt32LE(errEnd, 10);
  bytes.set(wire, TRANSACTION_HEADER);
  bytes.write(errJson, TRANSACTION_HEADER + wire.length);
  bytes.write(metaJson, errEnd);
  return bytes;
}

export function decodeTransaction(position: Position, stored: Uint8Array): TransactionRecord {
  const bytes = Buffer.from(stored);
  const wireEnd = TRANSACTION_HEADER + bytes.readUInt16LE(8);
  const errEnd = bytes.readUInt32LE(10);
  const err = bytes.toString('utf8', wireEnd, errEnd);
  return {
    slot: position.slot,
    index: position.index,
    blockTime: bytes.readDoubleLE(0),
    wire: bytes.subarray(TRANSACTION_HEADER, wireEnd),
    err: err === '' ? null : (JSON.parse(err) as TransactionError),
    // Seldom read, and long.
    get metaJson() {
      return bytes.toString('utf8', errEnd);
    },
  };
}

const POSITION_BYTES = 12;

/** A position as a key that sorts by it, after a prefix. */
export function encodePosition({ slot, index }: Position, prefix: Uint8Array = NO_PREFIX): Uint8Array {
  const at = prefix.length;
  const bytes = Buffer.allocUnsafe(at + POSITION_BYTES);
  bytes.set(prefix);
  bytes.writeUInt32BE(Math.floor(slot / 2 ** 32), at);
  bytes.writeUInt32BE(slot % 2 ** 32, at + 4);
  bytes.writeUInt32BE(index, at + 8);
  return bytes;
}

/** The position at the end of a key. */
export function decodePosition(key: Uint8Array): Position {
  const bytes = Buffer.from(key.buffer, key.byteOffset + key.length - POSITION_BYTES, POSITION_BYTES);
  return { slot: bytes.readUInt32BE(0) * 2 ** 32 + bytes.readUInt32BE(4), index: bytes.readUInt32BE(8) };
}

const NO_PREFIX = new Uint8Array();

/** Places within a slot. */
export function encodeIndexes(indexes: readonly number[]): Uint8Array {
  const bytes = Buffer.allocUnsafe(4 * indexes.length);
  indexes.forEach((index, i) => bytes.writeUInt32BE(index, 4 * i));
  return bytes;
}

export function decodeIndexes(stored: Uint8Array): number[] {
  const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.length);
  return Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readUInt32BE(4 * i));
}
