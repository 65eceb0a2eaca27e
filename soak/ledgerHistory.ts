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
  readonly payer: Address;
  /** Lamports that the payer paid for it, also if it failed. */
  readonly fee: bigint;
  /** Names of the program's instructions in it. */
  readonly names: RelayInstruction['name'][];
}

/** Every transaction that names the account, oldest first. */
export async function historyOf(rpc: LedgerRpc, programAddress: Address, account: Address): Promise<Entry[]> {
  const found = await rpc.getSignaturesForAddress(account, { commitment: 'confirmed' }).send();
  return Promise.all(
    found.toReversed().map(async ({ signature, err }): Promise<Entry> => {
      const options = { commitment: 'confirmed', encoding: 'base64', maxSupportedTransactionVersion: 0 } as const;
      const transaction = await rpc.getTransaction(signature, options).send();
      if (transaction?.meta == null) throw new Error(`the ledger lists ${signature} and does not show it`);
      const { messageBytes } = getTransactionDecoder().decode(getBase64Encoder().encode(transaction.transaction[0]));
      const message = decompileTransactionMessage(getCompiledTransactionMessageDecoder().decode(messageBytes));
      const all: readonly Instruction[] = message.instructions;
      const names = all.flatMap((instruction) => decodeRelayInstruction(programAddress, instruction)?.name ?? []);
      const { fee } = transaction.meta;
      return { signature, failed: err !== null, payer: message.feePayer.address, fee, names };
    }),
  );
}
