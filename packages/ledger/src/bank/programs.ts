import { type Account, RENT_EXEMPT_EPOCH } from './account.js';
import { fromBase58 } from './keys.js';
import { SYSVAR_OWNER } from './sysvars.js';

export const LOADER_2 = fromBase58('BPFLoader2111111111111111111111111111111111');

/** Owns upgradeable programs, each an account that names another one with its code. */
export const UPGRADEABLE_LOADER = fromBase58('BPFLoaderUpgradeab1e11111111111111111111111');

/** The number that the data of each kind of the loader's accounts begins with. */
const PROGRAM = 2;
const PROGRAM_DATA = 3;

const ADDRESS_AT = 4;
const SLOT_AT = 4;
const AUTHORITY_AT = 12;
const CODE_AT = 45;

/** The address of a program's code; undefined for any other account. */
export function codeAddressOf(account: Account | undefined): Uint8Array | undefined {
  return account !== undefined && kindOf(account) === PROGRAM
    ? account.data.subarray(ADDRESS_AT, ADDRESS_AT + 32)
    : undefined;
}

/** Reports whether an account has the code of an upgradeable program. */
export function isCode(account: Account | undefined): boolean {
  return account !== undefined && kindOf(account) === PROGRAM_DATA;
}

/** The slot in which an account with code was deployed last; undefined for any other account. */
export function deployedIn(account: Account | undefined): bigint | undefined {
  if (account === undefined || !isCode(account)) return undefined;
  const { buffer, byteOffset, byteLength } = account.data;
  return Buffer.from(buffer, byteOffset, byteLength).readBigUInt64LE(SLOT_AT);
}

/** A code's account as if it had been deployed in slot 0: a program runs only in the slots after. */
export function deployedAtGenesis(code: Account): Account {
  const data = Buffer.from(code.data);
  data.writeBigUInt64LE(0n, SLOT_AT);
  return { ...code, data };
}

type RentOf = (bytes: bigint) => bigint;

/** The account of an upgradeable program, as a genesis makes it. @param code the address of its code */
export function programOf(code: Uint8Array, rentOf: RentOf): Account {
  const data = Buffer.alloc(ADDRESS_AT + 32);
  data.writeUInt32LE(PROGRAM, 0);
  data.set(code, ADDRESS_AT);
  return loaded(data, rentOf, true);
}

/** The account of a program's code that was deployed in slot 0, as a genesis makes it. @param elf the code */
export function programDataOf(elf: Uint8Array, authority: Uint8Array, rentOf: RentOf): Account {
  const data = Buffer.concat([Buffer.alloc(CODE_AT), elf]);
  data.writeUInt32LE(PROGRAM_DATA, 0);
  data.writeUInt8(1, AUTHORITY_AT);
  data.set(authority, AUTHORITY_AT + 1);
  return loaded(data, rentOf, false);
}

function loaded(data: Buffer, rentOf: RentOf, executable: boolean): Account {
  const lamports = rentOf(BigInt(data.length));
  return { lamports, data, owner: UPGRADEABLE_LOADER, executable, rentEpoch: 0n };
}

/** A program's code with another upgrade authority; without one nobody may upgrade it. @returns undefined when it is no code */
export function withAuthority(code: Account | undefined, authority: Uint8Array | undefined): Account | undefined {
  if (code === undefined || !isCode(code) || code.data.length < CODE_AT) return undefined;
  const data = Buffer.from(code.data);
  data.writeUInt8(authority === undefined ? 0 : 1, AUTHORITY_AT);
  data.set(authority ?? new Uint8Array(32), AUTHORITY_AT + 1);
  return { ...code, data };
}

function kindOf({ owner, data }: Account): number | undefined {
  if (data.length < ADDRESS_AT + 32 || Buffer.compare(owner, UPGRADEABLE_LOADER) !== 0) return undefined;
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength).readUInt32LE(0);
}

/** A sysvar without an account: each transaction has its own. */
const INSTRUCTIONS = fromBase58('Sysvar1nstructions1111111111111111111111111');

/** Why an account is the ledger's own, which nobody else may set; undefined when it is not. */
export function whyOwn(address: Uint8Array, account: Account | undefined): string | undefined {
  const isOwned = (owner: Uint8Array): boolean => account !== undefined && Buffer.compare(account.owner, owner) === 0;
  if (isOwned(SYSVAR_OWNER) || Buffer.compare(address, INSTRUCTIONS) === 0) return 'a sysvar';
  if (isOwned(NATIVE_LOADER) || Buffer.compare(address, NATIVE_LOADER) === 0) return 'a native program';
  return undefined;
}

const NATIVE_LOADER = fromBase58('NativeLoader1111111111111111111111111111111');

const KNOWN: Readonly<Record<string, Partial<Account>>> = {
  // Wrapped SOL.
  So11111111111111111111111111111111111111112: { lamports: 1_000_000_000n, rentEpoch: 1n },
  SysvarStakeHistory1111111111111111111111111: { lamports: 114_979_200n, data: new Uint8Array(16_392) },
  SysvarEpochRewards1111111111111111111111111: { rentEpoch: RENT_EXEMPT_EPOCH },
  StakeConfig11111111111111111111111111111111: { lamports: 960_480n, data: Buffer.from('AAAAAAAAANA/DA==', 'base64') },
  ZkTokenProof1111111111111111111111111111111: {
    lamports: 1n,
    data: Buffer.from('zk_token_proof_program'),
    owner: NATIVE_LOADER,
    executable: true,
  },
  // The engine insists on the data of a sysvar of former times, and brings wrapped SOL of Token-2022; without lamports an account is none.
  SysvarFees111111111111111111111111111111111: { lamports: 0n },
  '9pan9bMn5HatX4EJdBwg9VgCa7Uz5HL8N1m5D3NdXejP': { lamports: 0n },
};

/**
 * The accounts that the genesis of Agave 4.2 makes, and the engine does not, or
 * otherwise. They are no part of a folder, so earlier folders get them as well.
 */
export const GENESIS_ACCOUNTS = Object.entries(KNOWN).map(([address, fields]) => ({
  address: fromBase58(address),
  fields,
}));

/**
 * Of native programs, of programs of each loader, of sysvars, configurations, features, stake and votes, and
 * of tokens (wrapped SOL).
 */
export const OWNERS_OF_BUILTINS = [
  'NativeLoader1111111111111111111111111111111',
  'BPFLoader1111111111111111111111111111111111',
  'BPFLoader2111111111111111111111111111111111',
  'BPFLoaderUpgradeab1e11111111111111111111111',
  'Sysvar1111111111111111111111111111111111111',
  'Config1111111111111111111111111111111111111',
  'Feature111111111111111111111111111111111111',
  'Stake11111111111111111111111111111111111111',
  'Vote111111111111111111111111111111111111111',
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
].map(fromBase58);
