import { decodeRelayInstruction } from '@legwork/program-client';
import { decodeTransactionFromRpcResponse, getInstructionsFromCompiledTransactionMessage } from '@solana/kit';
import type { Address, GetSignaturesForAddressApi, GetTransactionApi, Rpc } from '@solana/kit';

/** The RPC methods that reading an account's history needs. */
export type HistoryRpc = Rpc<GetSignaturesForAddressApi & GetTransactionApi>;

/** A confirmation that the ledger shows. */
export interface Confirmation {
  readonly signature: string;
  readonly leg: Address;
  readonly formation: number;
}

/** Transactions of an account that are looked at, newest first. */
const DEPTH = 200;

/** The successful confirm_leg instructions in the history of a wallet or a leg account, newest first. */
export async function* confirmationsOf(
  rpc: HistoryRpc,
  programId: Address,
  account: Address,
): AsyncGenerator<Confirmation, void, undefined> {
  const history = await rpc.getSignaturesForAddress(account, { commitment: 'confirmed', limit: DEPTH }).send();
  for (const { signature, err } of history) {
    if (err !== null) continue;
    const answer = await rpc
      .getTransaction(signature, { commitment: 'confirmed', encoding: 'base64', maxSupportedTransactionVersion: 0 })
      .send();
    if (answer === null) continue;
    const { compiledMessage, loadedAddresses } = decodeTransactionFromRpcResponse(answer);
    for (const raw of getInstructionsFromCompiledTransactionMessage(compiledMessage, loadedAddresses)) {
      const instruction = decodeRelayInstruction(programId, raw);
      if (instruction?.name !== 'confirmLeg') continue;
      yield { signature, leg: instruction.accounts.leg.address, formation: instruction.data.formation };
    }
  }
}
