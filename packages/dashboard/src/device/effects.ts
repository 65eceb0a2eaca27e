import { ask } from '@legwork/program-client/history';
import { requireHandoff, TransactionRefusedError } from '@legwork/sdk';
import type { Handoff } from '@legwork/program-client';
import { type Address, address, type Base64EncodedWireTransaction, getBase64Decoder } from '@solana/kit';
import { failureOf } from '../checks/failure.js';
import { ledgerRpc } from '../data/ledger.js';
import { type Change, changesOf } from '../data/tokens.js';
import type { Read } from './transaction.js';
import { t } from '../language.js';

/** What a transaction would do now, or why that is not known; by the word of the ledger's node. */
export type Effects =
  | { readonly changes: readonly Change[] }
  | { readonly refused: string }
  | { readonly unknown: string };

/** Asks the ledger what a transaction would change, without sending it. */
export async function effectsOf(wire: Uint8Array, { writable }: Read): Promise<Effects> {
  try {
    return await simulate(wire, writable);
  } catch {
    return { unknown: t('This device could not ask the ledger what changes hands.') };
  }
}

async function simulate(wire: Uint8Array, writable: readonly Address[]): Promise<Effects> {
  const { rpc } = await ledgerRpc();
  const text = getBase64Decoder().decode(wire) as Base64EncodedWireTransaction;
  const before = await ask(rpc.getMultipleAccounts(writable, { commitment: 'confirmed', encoding: 'base64' }));
  const { value } = await ask(
    rpc.simulateTransaction(text, {
      commitment: 'confirmed',
      encoding: 'base64',
      accounts: { addresses: [...writable], encoding: 'base64' },
    }),
  );
  if (value.err !== null) return { refused: failureOf(value.err) };
  return { changes: await changesOf(writable.map((account, at) => [account, before.value[at], value.accounts[at]])) };
}

/** Whom a handoff pays, or why the ledger would not take it; undefined: it could not be asked. */
export async function paidBy(
  handoff: Handoff,
  own: string,
): Promise<{ paid: Address } | { refused: string } | undefined> {
  try {
    const { rpc, programId } = await ledgerRpc();
    return { paid: (await requireHandoff(rpc, address(programId), address(own), handoff)).worker };
  } catch (error) {
    return error instanceof TransactionRefusedError ? { refused: error.message } : undefined;
  }
}
