import type { Account } from './account.js';
import { fromBase58 } from './keys.js';

/** Owns upgradeable programs, each an account that names another one with its code. */
export const UPGRADEABLE_LOADER = fromBase58('BPFLoaderUpgradeab1e11111111111111111111111');

/** The number that the data of each kind of the loader's accounts begins with. */
const PROGRAM = 2;
const PROGRAM_DATA = 3;

const ADDRESS_AT = 4;

/** The address of a program's code; undefined for any other account. */
export function codeAddressOf(account: Account | undefined): Uint8Array | undefined {
  return account !== undefined && kindOf(account) === PROGRAM
    ? account.data.subarray(ADDRESS_AT, ADDRESS_AT + 32)
    : undefined;
}

/** Whether an account has the code of an upgradeable program. */
export function isCode(account: Account | undefined): account is Account {
  return account !== undefined && kindOf(account) === PROGRAM_DATA;
}

function kindOf({ owner, data }: Account): number | undefined {
  if (data.length < ADDRESS_AT + 32 || Buffer.compare(owner, UPGRADEABLE_LOADER) !== 0) return undefined;
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength).readUInt32LE(0);
}
