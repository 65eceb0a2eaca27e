import { resolveAccountKeys } from '../bank/accountKeys.js';
import type { Bank } from '../bank/bank.js';
import type { Execution } from '../bank/engine.js';
import type { WireTransaction } from '../bank/wire.js';

/** Bytes that every account counts in addition to its data. */
const ACCOUNT_BASE_SIZE = 64;

/** Whether a transaction got as far as running its instructions. */
export function hasRun({ err, logs }: Pick<Execution, 'err' | 'logs'>): boolean {
  return err === null || logs.length > 0;
}

/** Bytes of the accounts that a simulation loaded; 0 when it was refused before that. */
export function loadedDataSize(
  transaction: WireTransaction,
  execution: Pick<Execution, 'err' | 'logs'>,
  bank: Bank,
): number {
  if (!hasRun(execution)) return 0;
  const keys = resolveAccountKeys(transaction.message, (address) => bank.account(address, 'processed'));
  const sizes = keys.all.map((address) => bank.account(address, 'processed')?.data.length);
  return sizes.reduce<number>((sum, size) => (size === undefined ? sum : sum + size + ACCOUNT_BASE_SIZE), 0);
}
