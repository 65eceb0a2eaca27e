import type { Database, RootDatabase } from 'lmdb';
import type { TransactionError } from '../bank/transactionError.js';
import { openBytes, type Bytes } from './environment.js';
import { decodePosition, encodeIndexes, encodeTransaction, type TransactionRecord } from './records.js';

/** Entries that are written at once. */
const PART = 5_000;

/**
 * Brings a folder of format 1 up to date. Until everything is written in the new form, the old one stays: a process that is killed
 * halfway leaves a folder of format 1, and the next start begins again. Rule L-72.
 */
export function upgradeFormat1(root: RootDatabase, meta: Database<unknown, string>): void {
  const transactions = openBytes(root, 'transactions');
  const byPosition = openBytes(root, 'by-position');
  const log = openBytes(root, 'log');
  const bySignature = openBytes(root, 'by-signature');
  const byAddress = openBytes(root, 'by-address');
  log.clearSync();
  bySignature.clearSync();
  inParts(root, byPosition, (key, signature) => {
    const stored = transactions.get(signature);
    if (stored === undefined) throw new Error('a transaction is listed and missing');
    log.putSync(key, encodeTransaction({ ...decodePosition(key), ...decodeFormat1(stored) }));
    bySignature.putSync(signature, key);
  });
  inParts(root, byAddress, (key) => byAddress.putSync(key, encodeIndexes([decodePosition(key).index])));
  root.transactionSync(() => {
    transactions.dropSync();
    byPosition.dropSync();
    meta.putSync('identity', { ...(meta.get('identity') as object), format: 2 });
  });
}

/** Calls `each` with the entries of a database in order, in transactions of some of them. */
function inParts(root: RootDatabase, database: Bytes, each: (key: Uint8Array, value: Uint8Array) => void): void {
  let start = new Uint8Array();
  for (let count = PART; count === PART; ) {
    const range = database.getRange({ start, exclusiveStart: start.length > 0, limit: PART });
    const part = Array.from(range, ({ key, value }) => ({ key: Uint8Array.from(key), value: Uint8Array.from(value) }));
    root.transactionSync(() => {
      for (const { key, value } of part) each(key, value);
    });
    start = part.at(-1)?.key ?? start;
    count = part.length;
  }
}

const HEADER = 8 + 4 + 8 + 2 + 4;

/** A transaction as format 1 stored it: slot, index, time and lengths, then wire, error and meta. */
function decodeFormat1(stored: Uint8Array): Omit<TransactionRecord, 'slot' | 'index'> {
  const bytes = Buffer.from(stored);
  const wireEnd = HEADER + bytes.readUInt16BE(20);
  const errEnd = wireEnd + bytes.readUInt32BE(22);
  const err = bytes.toString('utf8', wireEnd, errEnd);
  return {
    blockTime: Number(bytes.readBigInt64BE(12)),
    wire: bytes.subarray(HEADER, wireEnd),
    err: err === '' ? null : (JSON.parse(err) as TransactionError),
    metaJson: bytes.toString('utf8', errEnd),
  };
}
