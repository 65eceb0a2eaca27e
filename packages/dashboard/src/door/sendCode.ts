import {
  type LedgerSigner,
  type LegworkClient,
  LegworkNetworkError,
  readHandoffCode,
  submitHandoff,
  TransactionRefusedError,
} from '@legwork/sdk';
import { isUnanswered } from '../data/faultWords.js';
import { faultOfCode, forgetCode, noteRefusal, type WaitingCode } from './codes.js';

/**
 * Sends a code that waits. What landed before, by whomever, is found, and not sent again.
 *
 * @returns the signature of the transaction; undefined: there is no network, and it waits on
 * @throws Error why the ledger does not take it, which is kept beside it
 */
export async function sendCode(
  { client, signer }: { readonly client: LegworkClient; readonly signer: LedgerSigner },
  waiting: WaitingCode,
): Promise<string | undefined> {
  const { code } = waiting;
  const signed = await readHandoffCode(code);
  if (signed === undefined) throw new Error(faultOfCode(code));
  try {
    const { signature } = await submitHandoff(client, signer, signed);
    await forgetCode(code);
    return signature;
  } catch (error) {
    if (error instanceof LegworkNetworkError || isUnanswered(error)) return undefined;
    if (error instanceof TransactionRefusedError) await noteRefusal(waiting, error.message);
    throw error;
  }
}
