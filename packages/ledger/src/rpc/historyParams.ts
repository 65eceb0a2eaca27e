import { commitmentParam, configParam, oneOf, type Config } from './params.js';
import { invalidParams } from './rpcError.js';
import { TRANSACTION_ENCODINGS, type TransactionEncoding } from './transactionEncoding.js';

/** The configuration of a call about history; old clients give the encoding alone. */
export function encodingConfigParam(value: unknown): Config {
  return typeof value === 'string' ? { encoding: value } : configParam(value);
}

export function encodingParam(config: Config, fallback: TransactionEncoding): TransactionEncoding {
  return oneOf(config['encoding'], 'encoding', TRANSACTION_ENCODINGS, fallback);
}

/** The newest version of transactions that the client can read; undefined: legacy only. */
export function maxVersionParam(config: Config): number | undefined {
  const value = config['maxSupportedTransactionVersion'];
  if (value === undefined || value === null) return undefined;
  return Number(value);
}

/** History consists of blocks, and a block is confirmed at least. */
export function historyCommitment(config: Config): 'confirmed' | 'finalized' {
  const commitment = commitmentParam(config);
  if (commitment === 'processed') throw invalidParams('Method does not support commitment below `confirmed`');
  return commitment;
}
