import { findLanded } from '@legwork/program-client/history';
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

/**
 * The successful confirm_leg instructions in the history of a wallet or a leg account, newest first. Transactions that cannot
 * be read are passed over: anybody can have one name the account.
 */
export async function* confirmationsOf(
  rpc: HistoryRpc,
  programId: Address,
  account: Address,
): AsyncGenerator<Confirmation, void, undefined> {
  const history = await rpc.getSignaturesForAddress(account, { commitment: 'confirmed', limit: DEPTH }).send();
  for (const { signature, err } of history) {
    if (err !== null) continue;
    const landed = await findLanded({ rpc, programAddress: programId }, signature);
    if (landed?.kind !== 'landed') continue;
    for (const instruction of landed.instructions) {
      if (instruction.name !== 'confirmLeg') continue;
      yield { signature, leg: instruction.accounts.leg.address, formation: instruction.data.formation };
    }
  }
}
