import {
  AccountRole,
  type AccountMeta,
  type AccountSignerMeta,
  type Address,
  type Instruction,
  type TransactionSigner,
} from '@solana/kit';

type Change = (meta: AccountMeta) => AccountMeta;

function withMeta(instruction: Instruction, index: number, change: Change): Instruction {
  const accounts = [...(instruction.accounts ?? [])];
  const meta = accounts[index];
  if (!meta || 'lookupTableAddress' in meta) throw new Error(`The instruction has no plain account ${index}`);
  return { ...instruction, accounts: accounts.with(index, change(meta)) };
}

/** The instruction without the signature of one account. */
export function unsigned(instruction: Instruction, index: number): Instruction {
  return withMeta(instruction, index, ({ address, role }) => ({
    address,
    role:
      role === AccountRole.WRITABLE_SIGNER || role === AccountRole.WRITABLE
        ? AccountRole.WRITABLE
        : AccountRole.READONLY,
  }));
}

/** The instruction with one account that may not be written. */
export function readOnly(instruction: Instruction, index: number): Instruction {
  return withMeta(instruction, index, (meta) => ({
    ...meta,
    role: meta.role === AccountRole.WRITABLE_SIGNER ? AccountRole.READONLY_SIGNER : AccountRole.READONLY,
  }));
}

/** The instruction with another account in one place. */
export function swapped(instruction: Instruction, index: number, address: Address): Instruction {
  return withMeta(instruction, index, ({ role }) => ({ address, role }));
}

/** The instruction with somebody else in one place, who does not sign. */
export function swappedFor(instruction: Instruction, index: number, person: TransactionSigner): Instruction {
  return swapped(instruction, index, person.address);
}

/** The instruction with somebody else's signature in one place. */
export function signedBy(instruction: Instruction, index: number, signer: TransactionSigner): Instruction {
  return withMeta(instruction, index, ({ role }): AccountSignerMeta | AccountMeta => ({
    address: signer.address,
    role,
    signer,
  }));
}

/** The instruction with its first accounts only. */
export function truncated(instruction: Instruction, count: number): Instruction {
  return { ...instruction, accounts: (instruction.accounts ?? []).slice(0, count) };
}

/** The instruction with other data. */
export function withData(instruction: Instruction, data: Uint8Array): Instruction {
  return { ...instruction, data };
}
