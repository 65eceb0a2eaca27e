import type { Account } from '../bank/account.js';
import type { TransactionError } from '../bank/transactionError.js';

/** A landed transaction as it is stored. */
export type TransactionRecord = {
  readonly slot: number;
  /** Its place within the slot. */
  readonly index: number;
  /** Seconds since 1970. */
  readonly blockTime: number;
  readonly wire: Uint8Array;
  readonly err: TransactionError | null;
  /** The `meta` of `getTransaction`, as JSON text. */
  readonly metaJson: string;
};

const ACCOUNT_HEADER = 8 + 8 + 1 + 32;

export function encodeAccount(account: Account): Uint8Array {
  const bytes = Buffer.alloc(ACCOUNT_HEADER + account.data.length);
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

const TRANSACTION_HEADER = 8 + 4 + 8 + 2 + 4;

export function encodeTransaction(record: TransactionRecord): Uint8Array {
  const err = Buffer.from(record.err === null ? '' : JSON.stringify(record.err));
  const meta = Buffer.from(record.metaJson);
  const head = Buffer.alloc(TRANSACTION_HEADER);
  head.writeBigUInt64BE(BigInt(record.slot), 0);
  head.writeUInt32BE(record.index, 8);
  head.writeBigInt64BE(BigInt(record.blockTime), 12);
  head.writeUInt16BE(record.wire.length, 20);
  head.writeUInt32BE(err.length, 22);
  return Buffer.concat([head, record.wire, err, meta]);
}

export function decodeTransaction(stored: Uint8Array): TransactionRecord {
  const bytes = Buffer.from(stored);
  const wireEnd = TRANSACTION_HEADER + bytes.readUInt16BE(20);
  const errEnd = wireEnd + bytes.readUInt32BE(22);
  const err = bytes.subarray(wireEnd, errEnd).toString();
  return {
    slot: Number(bytes.readBigUInt64BE(0)),
    index: bytes.readUInt32BE(8),
    blockTime: Number(bytes.readBigInt64BE(12)),
    wire: bytes.subarray(TRANSACTION_HEADER, wireEnd),
    err: err === '' ? null : (JSON.parse(err) as TransactionError),
    metaJson: bytes.subarray(errEnd).toString(),
  };
}

/** A position in the order of all transactions, as a key that sorts by it. */
export function encodePosition(slot: number, index: number): Uint8Array {
  const bytes = Buffer.alloc(12);
  bytes.writeBigUInt64BE(BigInt(slot), 0);
  bytes.writeUInt32BE(index, 8);
  return bytes;
}

export function decodePosition(bytes: Uint8Array): { slot: number; index: number } {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { slot: Number(view.readBigUInt64BE(0)), index: view.readUInt32BE(8) };
}
