import {
  AccountRole,
  address,
  getAddressDecoder,
  type Address,
  type Instruction,
  type TransactionSigner,
} from '@solana/kit';

/** The upgradeable loader, which owns every upgradeable program. */
export const LOADER = address('BPFLoaderUpgradeab1e11111111111111111111111');
const SYSTEM = address('11111111111111111111111111111111');
const RENT = address('SysvarRent111111111111111111111111111111111');
const CLOCK = address('SysvarC1ock11111111111111111111111111111111');

/** Bytes of a buffer account before the program's bytes. */
export const BUFFER_HEADER = 37;
/** Bytes of a ProgramData account before the program's bytes. */
export const PROGRAM_DATA_HEADER = 45;
export const PROGRAM_BYTES = 36;

/** Program bytes in one Write; with two signatures that makes a transaction of 1,216 of the 1,232 bytes. */
export const WRITE_BYTES = 900;

/** The upgrade authority in a ProgramData account's data; null when the program is final. */
export function upgradeAuthorityOf(programData: Uint8Array): Address | null {
  return programData[12] === 1 ? getAddressDecoder().decode(programData, 13) : null;
}

const writable = (one: Address) => ({ address: one, role: AccountRole.WRITABLE });
const readonly = (one: Address) => ({ address: one, role: AccountRole.READONLY });
const signing = (signer: TransactionSigner, role: AccountRole.READONLY_SIGNER | AccountRole.WRITABLE_SIGNER) => ({
  address: signer.address,
  role,
  signer,
});

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

export function initializeBuffer(buffer: Address, authority: Address): Instruction {
  return { programAddress: LOADER, accounts: [writable(buffer), readonly(authority)], data: u32(0) };
}

export function write(buffer: Address, authority: TransactionSigner, offset: number, bytes: Uint8Array): Instruction {
  return {
    programAddress: LOADER,
    accounts: [writable(buffer), signing(authority, AccountRole.READONLY_SIGNER)],
    data: Buffer.concat([u32(1), u32(offset), u64(bytes.length), bytes]),
  };
}

export type DeployAccounts = {
  readonly payer: TransactionSigner;
  readonly programData: Address;
  readonly program: Address;
  readonly buffer: Address;
  readonly authority: TransactionSigner;
};

export function deployWithMaxDataLen(accounts: DeployAccounts, maxDataLength: number): Instruction {
  return {
    programAddress: LOADER,
    accounts: [
      signing(accounts.payer, AccountRole.WRITABLE_SIGNER),
      writable(accounts.programData),
      writable(accounts.program),
      writable(accounts.buffer),
      readonly(RENT),
      readonly(CLOCK),
      readonly(SYSTEM),
      signing(accounts.authority, AccountRole.READONLY_SIGNER),
    ],
    data: Buffer.concat([u32(2), u64(maxDataLength)]),
  };
}

/**
 * Makes a deployed program's room larger; the payer pays the rent. A cluster takes one of the two forms: newer ones have the upgrade authority
 * sign (SIMD-0164).
 */
export function extend(accounts: DeployAccounts, bytes: number, form: 'plain' | 'checked'): Instruction {
  const { payer, programData, program, authority } = accounts;
  const signed = form === 'checked' ? [signing(authority, AccountRole.READONLY_SIGNER)] : [];
  return {
    programAddress: LOADER,
    accounts: [
      writable(programData),
      writable(program),
      ...signed,
      readonly(SYSTEM),
      signing(payer, AccountRole.WRITABLE_SIGNER),
    ],
    data: Buffer.concat([u32(form === 'checked' ? 9 : 6), u32(bytes)]),
  };
}

/** Replaces a deployed program; the buffer's surplus lamports go to the payer. */
export function upgrade(accounts: DeployAccounts): Instruction {
  return {
    programAddress: LOADER,
    accounts: [
      writable(accounts.programData),
      writable(accounts.program),
      writable(accounts.buffer),
      writable(accounts.payer.address),
      readonly(RENT),
      readonly(CLOCK),
      signing(accounts.authority, AccountRole.READONLY_SIGNER),
    ],
    data: u32(3),
  };
}
