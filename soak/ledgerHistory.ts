import { decodeRelayInstruction, type RelayInstruction } from '@agent-relay/program-client';
import {
  type Address,
  decompileTransactionMessage,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type Instruction,
} from '@solana/kit';
import type { LedgerRpc } from '../packages/cli/tests/support/wallets.js';

/** A transaction as the ledger tells it. */
export interface Entry {
  readonly signature: string;
  readonly failed: boolean;
  /** The program's instructions in it. */
  readonly instructions: RelayInstruction[];
}

/** Every transaction that names the account, oldest first. */
export async function historyOf(rpc: LedgerRpc, programAddress: Address, account: Address): Promise<Entry[]> {
  const found = await rpc.getSignaturesForAddress(account, { commitment: 'confirmed' }).send();
  return Promise.all(
    found.toReversed().map(async ({ signature, err }): Promise<Entry> => {
      const options = { commitment: 'confirmed', encoding: 'base64', maxSupportedTransactionVersion: 0 } as const;
      const transaction = await rpc.getTransaction(signature, options).send();
      if (transaction === null) throw new Error(`the ledger lists ${signature} and does not show it`);
      const { messageBytes } = getTransactionDecoder().decode(getBase64Encoder().encode(transaction.transaction[0]));
      const message = decompileTransactionMessage(getCompiledTransactionMessageDecoder().decode(messageBytes));
      const all: readonly Instruction[] = message.instructions;
      const instructions = all.flatMap((instruction) => decodeRelayInstruction(programAddress, instruction) ?? []);
      return { signature, failed: err !== null, instructions };
    }),
  );
}
