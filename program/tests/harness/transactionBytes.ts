import {
  appendTransactionMessageInstructions,
  compileTransaction,
  createTransactionMessage,
  getTransactionEncoder,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  type Address,
  type Blockhash,
  type Instruction,
} from '@solana/kit';
import { getSetComputeUnitLimitInstruction, getSetComputeUnitPriceInstruction } from '@solana-program/compute-budget';

const LIFETIME = { blockhash: '11111111111111111111111111111111' as Blockhash, lastValidBlockHeight: 0n };

/** The instructions that the service puts before its own. */
export const BUDGET: readonly Instruction[] = [
  getSetComputeUnitLimitInstruction({ units: 200_000 }),
  getSetComputeUnitPriceInstruction({ microLamports: 1_000n }),
];

/** Bytes of the transaction with its signatures. */
export function transactionBytes(payer: Address, version: 'legacy' | 0, instructions: readonly Instruction[]): number {
  const transaction = pipe(
    createTransactionMessage({ version }),
    (empty) => setTransactionMessageFeePayer(payer, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(LIFETIME, paid),
    (living) => appendTransactionMessageInstructions(instructions, living),
    compileTransaction,
  );
  return getTransactionEncoder().encode(transaction).length;
}
