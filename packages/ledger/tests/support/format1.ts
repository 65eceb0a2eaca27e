import { join } from 'node:path';
import { open, type Database } from 'lmdb';
import { parseTransaction, signatureOf } from '../../src/bank/wire.js';
import { decodePosition, decodeTransaction, encodePosition, type TransactionRecord } from '../../src/store/records.js';

type Bytes = Database<Uint8Array, Uint8Array>;

/** Rewrites the store of a closed ledger as format 1 had it: transactions by signature, and each address once a transaction. */
export async function asFormat1(dataDir: string): Promise<void> {
  const root = open({ path: join(dataDir, 'ledger.lmdb'), noSubdir: true, maxDbs: 8, encoding: 'json' });
  const bytes = (name: string): Bytes => root.openDB(name, { encoding: 'binary', keyEncoding: 'binary' });
  const [log, bySignature, byAddress] = [bytes('log'), bytes('by-signature'), bytes('by-address')];
  const records = Array.from(log.getRange(), ({ key, value }) => decodeTransaction(decodePosition(key), value));
  const meta = root.openDB<unknown, string>('meta', { encoding: 'json' });
  await Promise.all([log.drop(), bySignature.drop(), byAddress.clearAsync()]);
  for (const record of records) {
    const { message, ...signed } = parseTransaction(record.wire);
    const signature = signatureOf({ message, ...signed });
    await bytes('transactions').put(signature, encode(record));
    await bytes('by-position').put(encodePosition(record), signature);
    for (const address of message.staticKeys) await byAddress.put(encodePosition(record, address), signature);
  }
  await meta.put('identity', { ...(meta.get('identity') as object), format: 1 });
  await root.flushed;
  await root.close();
}

function encode(record: TransactionRecord): Uint8Array {
  const err = Buffer.from(record.err === null ? '' : JSON.stringify(record.err));
  const head = Buffer.alloc(26);
  head.writeBigUInt64BE(BigInt(record.slot), 0);
  head.writeUInt32BE(record.index, 8);
  head.writeBigInt64BE(BigInt(record.blockTime), 12);
  head.writeUInt16BE(record.wire.length, 20);
  head.writeUInt32BE(err.length, 22);
  return Buffer.concat([head, record.wire, err, Buffer.from(withoutCost(record.metaJson))]);
}

/** As earlier versions wrote the meta of transactions. */
export function withoutCost(json: string): string {
  return json.replaceAll(/"costUnits":\d+,/g, '');
}
