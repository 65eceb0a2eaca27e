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

/** Two numbers, and the authority that may upgrade it: nobody has the key of zeros. */
const CODE_HEADER = Buffer.alloc(45);
CODE_HEADER.writeUInt32LE(PROGRAM_DATA, 0);
CODE_HEADER.writeUInt8(1, 12);

/** The data of a code's account, deployed at the genesis. */
export function codeAccountData(code: Uint8Array): Uint8Array {
  return Buffer.concat([CODE_HEADER, code]);
}

/** The data of a program whose code is at this address. */
export function programAccountData(codeAddress: Uint8Array): Uint8Array {
  return Buffer.concat([Uint8Array.of(PROGRAM, 0, 0, 0), codeAddress]);
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
