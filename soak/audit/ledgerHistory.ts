import { decodeRelayInstruction, type RelayInstruction } from '@legwork/program-client';
import {
  type Address,
  decompileTransactionMessage,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type Instruction,
  MAX_SUPPORTED_TRANSACTION_VERSION,
} from '@solana/kit';
import type { LedgerRpc } from '../../packages/cli/tests/support/wallets.js';

/** A transaction as the ledger tells it. */
export interface Entry {
  readonly signature: string;
  readonly failed: boolean;
  readonly payer: Address;
  /** Lamports that the payer paid for it, also if it failed. */
  readonly fee: bigint;
  /** The program's instructions in it, in words. */
  readonly deeds: readonly string[];
}

/** An instruction by its name; of one about a leg of a digital task also which leg, whose and what for. */
function inWords(instruction: RelayInstruction): string {
  const { name } = instruction;
  if (name === 'assignTaskLeg') return assigning(instruction.data.index, instruction.accounts.agent.address);
  if (name === 'releaseTaskLeg') return releasing(instruction.data.index, instruction.accounts.agent?.address);
  if (name !== 'confirmTaskLeg') return name;
  const { accounts, data } = instruction;
  return confirming(data.index, accounts.agent.address, Buffer.from(data.resultHash).toString('hex'));
}

export const assigning = (leg: number, agent: string) => `assignTaskLeg ${leg} to ${agent}`;
export const releasing = (leg: number, agent: string | undefined) => `releaseTaskLeg ${leg} of ${agent}`;
export const confirming = (leg: number, agent: string, resultHash: string) =>
  `confirmTaskLeg ${leg} of ${agent} for ${resultHash}`;

/** Every transaction that names the account, oldest first. */
export async function historyOf(rpc: LedgerRpc, programAddress: Address, account: Address): Promise<Entry[]> {
  const found = await rpc.getSignaturesForAddress(account, { commitment: 'confirmed' }).send();
  return Promise.all(
    found.toReversed().map(async ({ signature, err }): Promise<Entry> => {
      const options = {
        commitment: 'confirmed',
        encoding: 'base64',
        maxSupportedTransactionVersion: MAX_SUPPORTED_TRANSACTION_VERSION,
      } as const;
      const transaction = await rpc.getTransaction(signature, options).send();
      if (transaction?.meta == null) throw new Error(`the ledger lists ${signature} and does not show it`);
      const { messageBytes } = getTransactionDecoder().decode(getBase64Encoder().encode(transaction.transaction[0]));
      const message = decompileTransactionMessage(getCompiledTransactionMessageDecoder().decode(messageBytes));
      const all: readonly Instruction[] = message.instructions;
      const deeds = all.flatMap((instruction) => {
        const decoded = decodeRelayInstruction(programAddress, instruction);
        return decoded ? [inWords(decoded)] : [];
      });
      const { fee } = transaction.meta;
      return { signature, failed: err !== null, payer: message.feePayer.address, fee, deeds };
    }),
  );
}
