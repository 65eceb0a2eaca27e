import type { Account } from './account.js';
import { fromBase58, keyOf } from './keys.js';

/** Owns upgradeable programs, each an account that names another one with its code. */
export const UPGRADEABLE_LOADER = fromBase58('BPFLoaderUpgradeab1e11111111111111111111111');

const LOADERS = new Set(
  [
    'BPFLoader1111111111111111111111111111111111',
    'BPFLoader2111111111111111111111111111111111',
    'BPFLoaderUpgradeab1e11111111111111111111111',
  ].map((address) => keyOf(fromBase58(address))),
);

/** Whether this owns programs and their code. */
export function isLoader(owner: Uint8Array): boolean {
  return LOADERS.has(keyOf(owner));
}

/** The number that the data of each kind of the loader's accounts begins with. */
const PROGRAM = 2;
const PROGRAM_DATA = 3;

const ADDRESS_AT = 4;
const SLOT_AT = 4;

/** The address of a program's code; undefined for any other account. */
export function codeAddressOf(account: Account | undefined): Uint8Array | undefined {
  return account !== undefined && kindOf(account) === PROGRAM
    ? account.data.subarray(ADDRESS_AT, ADDRESS_AT + 32)
    : undefined;
}

/** Whether an account has the code of an upgradeable program. */
export function isCode(account: Account | undefined): boolean {
  return account !== undefined && kindOf(account) === PROGRAM_DATA;
}

/** A code's account as if it had been deployed in slot 0: a program runs only in the slots after. */
export function deployedAtGenesis(code: Account): Account {
  const data = Buffer.from(code.data);
  data.writeBigUInt64LE(0n, SLOT_AT);
  return { ...code, data };
}

function kindOf({ owner, data }: Account): number | undefined {
  if (data.length < ADDRESS_AT + 32 || Buffer.compare(owner, UPGRADEABLE_LOADER) !== 0) return undefined;
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength).readUInt32LE(0);
}
