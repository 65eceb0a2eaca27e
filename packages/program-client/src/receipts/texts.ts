import {
  type Address,
  getBase16Decoder,
  getCompiledTransactionMessageDecoder,
  getInstructionsFromCompiledTransactionMessage,
  getTransactionDecoder,
  type Instruction,
} from '@solana/kit';
import { decodeRelayInstruction } from '../decodeRelayInstruction.js';
import { INSTRUCTIONS_SYSVAR_ADDRESS, parseHandoffText, readSignedText, type SignedText } from '../handoff.js';
import type { SucceededTransaction } from '../history/transactions.js';
import type { Receipt } from './receipt.js';

/** A text that stands before an instruction. The runtime has verified its signature; the program may not have looked at it. */
export interface TextFound {
  readonly signed: SignedText;
  /** The signers of the transaction itself: the program takes their signatures, and then reads no text of theirs. */
  readonly signers: ReadonlySet<string>;
}

/** The handoff that needs a text, and the facts that the text has to state. */
type Handed = Pick<Receipt, 'listing' | 'legIndex' | 'formation' | 'said' | 'from' | 'to' | 'hash'>;

/** The key that has to sign the text of a handoff: the giver of a parcel to the first courier, the taker of it or of a result otherwise. */
export const signerOf = ({ said, from, to }: Pick<Handed, 'said' | 'from' | 'to'>): string =>
  said === 'picked up' ? from : to;

/**
 * Says whether the program has read the text, so that it is about this handoff to the letter. Of a pickup the instruction does not tell:
 * without co-signed pickups the program asks the lister for nothing.
 */
export function isRead(handed: Handed, { signers }: TextFound): boolean {
  return handed.said !== 'picked up' && !signers.has(handed.to);
}

/**
 * The text that a receipt holds. One that the program has not read counts if it is signed by the right key, says this handoff, and has the
 * nonce of the listing's other texts: somebody who sends what it signed keeps its receipt, and nobody spoils the chain of others with a
 * text of something else. Rule S-211.
 *
 * @param nonce hex; undefined: no text of the listing is known
 */
export function countedText(
  handed: Handed,
  found: TextFound | undefined,
  nonce: string | undefined,
): SignedText | undefined {
  if (found === undefined || isRead(handed, found)) return found?.signed;
  const { signer, text } = found.signed;
  const isItsNonce = nonce === undefined || nonce === nonceIn(text);
  return signer === signerOf(handed) && isItsNonce && saysIt(handed, text) ? found.signed : undefined;
}

/** The last line of a handoff's text, hex. */
export const nonceIn = (text: string): string => text.slice(text.lastIndexOf('\n') + 1);

function saysIt({ listing, legIndex, formation, said, hash }: Handed, text: string): boolean {
  const told = parseHandoffText(text);
  if (told?.listing !== listing || told.legIndex !== legIndex || told.said !== said) return false;
  // The formation of a task's leg stands in its text only.
  return told.said === 'accepted' ? getBase16Decoder().decode(told.resultHash) === hash : told.formation === formation;
}

/** The texts of a transaction, by the account of the leg that each is about. */
export function textsIn(program: Address, bytes: SucceededTransaction['bytes']): Map<string, TextFound> {
  const texts = new Map<string, TextFound>();
  const { messageBytes, signatures } = getTransactionDecoder().decode(bytes);
  const compiled = getCompiledTransactionMessageDecoder().decode(messageBytes);
  // A transaction that hides accounts in a table has no text read here: it has a receipt without one.
  if ('addressTableLookups' in compiled && compiled.addressTableLookups !== undefined) return texts;
  const signers = new Set<string>(Object.keys(signatures));
  const instructions: readonly Instruction[] = getInstructionsFromCompiledTransactionMessage(compiled);
  for (const [place, instruction] of instructions.entries()) {
    const proof = instructions[place - 1];
    const signed = proof && readSignedText(proof);
    if (!signed || instruction.accounts?.at(-1)?.address !== INSTRUCTIONS_SYSVAR_ADDRESS) continue;
    const decoded = decodeRelayInstruction(program, instruction);
    const leg = decoded && ('leg' in decoded.accounts ? decoded.accounts.leg : undefined);
    const taskLeg = decoded && ('taskLeg' in decoded.accounts ? decoded.accounts.taskLeg : undefined);
    const about = leg ?? taskLeg;
    if (about) texts.set(about.address, { signed, signers });
  }
  return texts;
}
