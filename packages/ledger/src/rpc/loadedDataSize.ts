import { resolveAccountKeys } from '../chain/accountKeys.js';
import type { Chain } from '../chain/chain.js';
import type { Execution } from '../chain/engine.js';
import type { WireTransaction } from '../chain/wire.js';

/** What an account counts for beside its bytes. */
const ACCOUNT_BASE_SIZE = 64;

/** Whether a transaction got as far as running its instructions. */
export function hasRun({ err, logs }: Pick<Execution, 'err' | 'logs'>): boolean {
  return err === null || logs.length > 0;
}

/** Bytes of the accounts that a trial run loaded; 0 when it was refused before that. */
export function loadedDataSize(
  transaction: WireTransaction,
  execution: Pick<Execution, 'err' | 'logs'>,
  chain: Chain,
): number {
  if (!hasRun(execution)) return 0;
  const keys = resolveAccountKeys(transaction.message, (address) => chain.account(address, 'processed'));
  const sizes = keys.all.map((address) => chain.account(address, 'processed')?.data.length);
  return sizes.reduce<number>((sum, size) => (size === undefined ? sum : sum + size + ACCOUNT_BASE_SIZE), 0);
}
