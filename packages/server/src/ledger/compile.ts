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
import { ask, type LedgerRpc } from '@legwork/program-client/history';

/** A transaction for someone else to sign. */
export interface UnsignedTransaction {
  /** Base64 of the wire form with empty signatures. */
  transaction: string;
  blockhash: string;
  lastValidBlockHeight: number;
}

export async function latestLifetime(rpc: LedgerRpc) {
  const { value } = await ask(rpc.getLatestBlockhash({ commitment: 'confirmed' }));
  return value;
}

/** Legacy messages: every wallet signs them, and they are two bytes shorter than version 0 without lookup tables. */
export function compileMessage(
  feePayer: Address,
  lifetime: Awaited<ReturnType<typeof latestLifetime>>,
  instructions: readonly Instruction[],
) {
  return compileTransaction(
    pipe(
      createTransactionMessage({ version: 'legacy' }),
      (message) => setTransactionMessageFeePayer(feePayer, message),
      (message) => setTransactionMessageLifetimeUsingBlockhash(lifetime, message),
      (message) => appendTransactionMessageInstructions(instructions, message),
    ),
  );
}

/** Compiles instructions for a wallet that pays the fee and signs. */
export async function compileForWallet(
  rpc: LedgerRpc,
  wallet: Address,
  instructions: readonly Instruction[],
): Promise<UnsignedTransaction> {
  const lifetime = await latestLifetime(rpc);
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
