import { decodeRelayInstruction, type RelayInstruction } from '@legwork/program-client';
import {
  appendTransactionMessageInstructions,
  compileTransaction,
  createTransactionMessage,
  decompileTransactionMessage,
  getBase64EncodedWireTransaction,
  getCompiledTransactionMessageDecoder,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  type Address,
  type Instruction,
  type Transaction,
} from '@solana/kit';
import type { Lifetime } from './blockhashes.js';
import type { Ledger } from './ledger.js';

/** A transaction for someone else to sign. */
export interface UnsignedTransaction {
  /** Base64 of the wire form with empty signatures. */
  transaction: string;
  blockhash: string;
  lastValidBlockHeight: number;
}

/** Legacy messages: every wallet signs them, and they are two bytes shorter than version 0 without lookup tables. */
export function compileMessage(feePayer: Address, lifetime: Lifetime, instructions: readonly Instruction[]) {
  return compileTransaction(
    pipe(
      createTransactionMessage({ version: 'legacy' }),
      (message) => setTransactionMessageFeePayer(feePayer, message),
      (message) => setTransactionMessageLifetimeUsingBlockhash(lifetime, message),
      (message) => appendTransactionMessageInstructions(instructions, message),
    ),
  );
}

/** Compiles instructions for a wallet that pays the fee and signs. On the latest blockhash: people take their time. Rule S-103. */
export async function compileForWallet(
  { blockhashes }: Ledger,
  wallet: Address,
  instructions: readonly Instruction[],
): Promise<UnsignedTransaction> {
  const lifetime = await blockhashes.latest();
  return {
    transaction: getBase64EncodedWireTransaction(compileMessage(wallet, lifetime, instructions)),
    blockhash: lifetime.blockhash,
    lastValidBlockHeight: Number(lifetime.lastValidBlockHeight),
  };
}

/** Returns the program's instructions among those that a transaction names; what other programs call is not seen. */
export function instructionsIn(programAddress: Address, { messageBytes }: Transaction): RelayInstruction[] {
  const message = decompileTransactionMessage(getCompiledTransactionMessageDecoder().decode(messageBytes));
  const all: readonly Instruction[] = message.instructions;
  return all.flatMap((instruction) => decodeRelayInstruction(programAddress, instruction) ?? []);
}
