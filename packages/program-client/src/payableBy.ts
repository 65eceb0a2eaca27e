import {
  AccountRole,
  type Address,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransaction,
  createTransactionMessage,
  getCompiledTransactionMessageDecoder,
  getInstructionsFromCompiledTransactionMessage,
  type Instruction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  type Transaction,
} from '@solana/kit';
import { ASSOCIATED_TOKEN_PROGRAM_ADDRESS, SYSTEM_PROGRAM_ADDRESS } from './addresses.js';

/**
 * The same transaction, unsigned, with another wallet as its fee payer, which also pays the rent of the token accounts that the former one
 * would have paid. Nothing else of it changes; who had to sign it still has to, where an instruction names it.
 *
 * @param transaction of the service: no lookup tables, and a recent blockhash
 * @throws {TypeError} when it is of another form
 */
export function payableBy(
  transaction: Pick<Transaction, 'messageBytes'>,
  payer: Address,
  { lends = 0n }: Lending = {},
): Transaction {
  const { instructions, feePayer, blockhash } = readMessage(transaction);
  const paid = instructions.map((instruction) => withRentPayer(instruction, feePayer, payer));
  const lent = lends === 0n ? [] : [transferLamports(payer, feePayer, lends)];
  // Just before the last one, which takes it.
  return compileLegacy(payer, blockhash, [...paid.slice(0, -1), ...lent, ...paid.slice(-1)]);
}

/** The payer's further transfers. */
export interface Lending {
  /** To the former fee payer, lamports: the rent that a listing takes from its funder. */
  readonly lends?: bigint;
}

const TRANSFER = 2;

/** Lamports from one account to another. */
export function transferLamports(from: Address, to: Address, lamports: bigint): Instruction {
  const data = new Uint8Array(12);
  const view = new DataView(data.buffer);
  view.setUint32(0, TRANSFER, true);
  view.setBigUint64(4, lamports, true);
  return {
    programAddress: SYSTEM_PROGRAM_ADDRESS,
    accounts: [
      { address: from, role: AccountRole.WRITABLE_SIGNER },
      { address: to, role: AccountRole.WRITABLE },
    ],
    data,
  };
}

/** The transfer of an instruction by the system program, or undefined if it does something else. */
export function readTransfer({ programAddress, accounts = [], data }: Instruction) {
  const bytes = Uint8Array.from(data ?? []);
  const [from, to] = accounts;
  if (programAddress !== SYSTEM_PROGRAM_ADDRESS || bytes.length !== 12 || accounts.length !== 2) return undefined;
  const view = new DataView(bytes.buffer);
  if (view.getUint32(0, true) !== TRANSFER || from === undefined || to === undefined) return undefined;
  return { from: from.address, to: to.address, lamports: view.getBigUint64(4, true) };
}

/** A message taken apart. */
export interface ReadMessage {
  readonly instructions: readonly Instruction[];
  readonly feePayer: Address;
  readonly blockhash: Blockhash;
}

/** @throws {TypeError} when it names accounts by lookup tables, or has a nonce in place of a blockhash's lifetime */
export function readMessage({ messageBytes }: Pick<Transaction, 'messageBytes'>): ReadMessage {
  const compiled = getCompiledTransactionMessageDecoder().decode(messageBytes);
  const [feePayer] = compiled.staticAccounts;
  if (
    compiled.version === 1 ||
    ('addressTableLookups' in compiled && (compiled.addressTableLookups?.length ?? 0) > 0)
  ) {
    throw new TypeError('A transaction with lookup tables, or of version 1, is not read here');
  }
  if (feePayer === undefined) throw new TypeError('A transaction without accounts has no fee payer');
  const instructions = getInstructionsFromCompiledTransactionMessage(compiled);
  return { instructions, feePayer, blockhash: compiled.lifetimeToken as Blockhash };
}

/** Compiles a legacy message: every wallet signs them, and they are two bytes shorter. */
export function compileLegacy(payer: Address, blockhash: Blockhash, instructions: readonly Instruction[]): Transaction {
  return pipe(
    createTransactionMessage({ version: 'legacy' }),
    (empty) => setTransactionMessageFeePayer(payer, empty),
    // Its bytes do not say for how long the blockhash lives.
    (paid) => setTransactionMessageLifetimeUsingBlockhash({ blockhash, lastValidBlockHeight: 0n }, paid),
    (living) => appendTransactionMessageInstructions(instructions, living),
    compileTransaction,
  );
}

function withRentPayer(instruction: Instruction, former: Address, payer: Address): Instruction {
  const [first, ...rest] = instruction.accounts ?? [];
  const pays = instruction.programAddress === ASSOCIATED_TOKEN_PROGRAM_ADDRESS && first?.address === former;
  if (!pays) return instruction;
  return { ...instruction, accounts: [{ address: payer, role: AccountRole.WRITABLE_SIGNER }, ...rest] };
}
