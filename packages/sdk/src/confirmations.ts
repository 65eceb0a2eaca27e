import type { RelayInstruction } from '@legwork/program-client';
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
 * The successful instructions of the program in the history of an account, newest first. Transactions that cannot be read are passed
 * over: anybody can have one name the account.
 */
export async function* landedOn(
  rpc: HistoryRpc,
  programId: Address,
  account: Address,
): AsyncGenerator<{ readonly signature: string; readonly instruction: RelayInstruction }, void, undefined> {
  const history = await rpc.getSignaturesForAddress(account, { commitment: 'confirmed', limit: DEPTH }).send();
  for (const { signature, err } of history) {
    if (err !== null) continue;
    const landed = await findLanded({ rpc, programAddress: programId }, signature);
    if (landed?.kind !== 'landed') continue;
    for (const instruction of landed.instructions) yield { signature, instruction };
  }
}

/** The successful confirm_leg instructions in the history of a wallet or a leg account, newest first. */
export async function* confirmationsOf(
  rpc: HistoryRpc,
  programId: Address,
  account: Address,
): AsyncGenerator<Confirmation, void, undefined> {
  for await (const { signature, instruction } of landedOn(rpc, programId, account)) {
    if (instruction.name !== 'confirmLeg') continue;
    yield { signature, leg: instruction.accounts.leg.address, formation: instruction.data.formation };
  }
}
