import type { Account } from './account.js';
import { NATIVE_LOADER } from './genesisAccounts.js';
import { fromBase58 } from './keys.js';
import { SYSVAR_OWNER } from './sysvars.js';

/** A sysvar without an account: each transaction has its own. */
const INSTRUCTIONS = fromBase58('Sysvar1nstructions1111111111111111111111111');

/** Why an account is the ledger's own, which nobody else may set; undefined when it is not. */
export function whyOwn(address: Uint8Array, account: Account | undefined): string | undefined {
  const isOwned = (owner: Uint8Array): boolean => account !== undefined && Buffer.compare(account.owner, owner) === 0;
  if (isOwned(SYSVAR_OWNER) || Buffer.compare(address, INSTRUCTIONS) === 0) return 'a sysvar';
  if (isOwned(NATIVE_LOADER) || Buffer.compare(address, NATIVE_LOADER) === 0) return 'a native program';
  return undefined;
}
