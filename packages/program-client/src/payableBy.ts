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
import { ASSOCIATED_TOKEN_PROGRAM_ADDRESS } from './addresses.js';

/**
 * The same transaction, unsigned, with another wallet as its fee payer, which also pays the rent of the token accounts that the former one
 * would have paid. Nothing else of it changes; who had to sign it still has to, where an instruction names it.
 *
 * @param transaction of the service: no lookup tables, and a recent blockhash
 * @throws {TypeError} when it is of another form
 */
export function payableBy(transaction: Pick<Transaction, 'messageBytes'>, payer: Address): Transaction {
  const { instructions, feePayer, blockhash } = readMessage(transaction);
  return compileLegacy(
    payer,
    blockhash,
    instructions.map((instruction) => withRentPayer(instruction, feePayer, payer)),
  );
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
