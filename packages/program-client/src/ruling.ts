import { address, getUtf8Encoder, type Instruction } from '@solana/kit';

/** Takes a text that its transaction's signers sign, and does nothing: a program of every cluster. */
export const MEMO_PROGRAM_ADDRESS = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');

const BEGINS = 'Legwork ruling, reason sha256 ';
const FORM = new RegExp(`^${BEGINS}([0-9a-f]{64})$`);

/**
 * Names the reason of a ruling in the ruling's own transaction, as a person can read it in a wallet. Rule T-113.
 *
 * @param hash sha256 of the text, 64 hexadecimal digits in lower case
 */
export function reasonMemo(hash: string): Instruction {
  return { programAddress: MEMO_PROGRAM_ADDRESS, data: getUtf8Encoder().encode(BEGINS + hash) };
}

/** The sha256 that such a memo names, in hex; undefined: it is another instruction. */
export function readReason({ programAddress, accounts = [], data }: Instruction): string | undefined {
  if (programAddress !== MEMO_PROGRAM_ADDRESS || accounts.length > 0) return undefined;
  return FORM.exec(new TextDecoder().decode(Uint8Array.from(data ?? [])))?.[1];
}
