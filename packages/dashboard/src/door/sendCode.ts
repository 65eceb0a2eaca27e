import {
  type LedgerSigner,
  LegworkApiError,
  type LegworkClient,
  readHandoffCode,
  submitHandoff,
  TransactionRefusedError,
} from '@legwork/sdk';
import { isAway } from '../data/faultWords.js';
import { changeCode, faultOfCode, forgetCode, type WaitingCode } from './codes.js';

/**
 * Sends a code that waits, and its note before it. What landed before, by whomever, is found, and not sent again.
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
    const isNoteThere = await sendNote(client, waiting);
    const { signature } = await submitHandoff(client, signer, signed);
    await (isNoteThere ? forgetCode(code) : changeCode(code, { isSent: true, refused: undefined }));
    return signature;
  } catch (error) {
    if (isAway(error)) return undefined;
    if (error instanceof TransactionRefusedError) await changeCode(code, { refused: error.message });
    throw error;
  }
}

/** What the service refuses for good keeps nobody from being paid. @returns whether it has it */
async function sendNote(client: LegworkClient, { code, note }: WaitingCode): Promise<boolean> {
  if (note === undefined) return true;
  try {
    await client.putEvidence({ legId: note.legId, text: note.text });
    await changeCode(code, { note: undefined });
    return true;
  } catch (error) {
    if (isAway(error) || !(error instanceof LegworkApiError)) throw error;
    await changeCode(code, { note: { ...note, refused: error.detail } });
    return false;
  }
}
