import {
  type Handoff,
  type HandoffAhead,
  handoffText,
  isSignedText,
  parseHandoffText,
  type SignedText,
} from '@legwork/program-client';
import {
  createSignableMessage,
  getBase58Decoder,
  getBase58Encoder,
  isAddress,
  type MessagePartialSigner,
  type ReadonlyUint8Array,
} from '@solana/kit';
import { TransactionRefusedError } from '../errors.js';

/** The words said at the door. */
export interface SaidAtTheDoor {
  /** SHA-256 of what is wrong with the parcel, in words or pictures; left out: it is as described. */
  readonly noted?: ReadonlyUint8Array | undefined;
  readonly signedAt?: Date | undefined;
}

/**
 * Signs the text of a handoff, without a network and without SOL. It pays the courier named by the ledger for this leg, once, as soon as
 * anybody sends it: sign when the parcel is in your hands. Rule A-119.
 */
export async function signHandoff(
  signer: MessagePartialSigner,
  ahead: HandoffAhead,
  { noted, signedAt = new Date() }: SaidAtTheDoor = {},
): Promise<SignedText> {
  if (ahead.said === 'accepted' && noted !== undefined) {
    throw new TypeError('a result is accepted without a note: dispute it where something is wrong with it');
  }
  const text = handoffText(ahead.said === 'accepted' ? { ...ahead, signedAt } : { ...ahead, signedAt, noted });
  const [signatures] = await signer.signMessages([createSignableMessage(text)]);
  const signature = signatures?.[signer.address];
  if (signature === undefined) throw new TypeError(`the signer of ${signer.address} gave no signature of its own`);
  const signed = { signer: signer.address, signature, text };
  // Some wallets sign with words of their own before the text, which no ledger would take.
  if (!(await isSignedText(signed)))
    throw new TransactionRefusedError('the wallet signed another text than it was given');
  return signed;
}

const PREFIX = 'legwork-handoff:';

/** A signed handoff in one line, for a QR code or a file. Anyone who sees it can send it, and do nothing else. */
export function handoffCode({ signer, signature, text }: SignedText): string {
  return PREFIX + JSON.stringify({ signer, signature: getBase58Decoder().decode(signature), text });
}

/** Reports whether a text claims to be one. */
export const isHandoffCode = (text: string): boolean => text.startsWith(PREFIX);

/** Reads {@link handoffCode}. @returns undefined: it is none, or not signed by the key that it names */
export async function readHandoffCode(code: string): Promise<(SignedText & { readonly handoff: Handoff }) | undefined> {
  const signed = code.length > LONGEST_CODE ? undefined : codeOf(code.trim());
  const handoff = signed && parseHandoffText(signed.text);
  return signed && handoff && (await isSignedText(signed)) ? { ...signed, handoff } : undefined;
}

const LONGEST_CODE = 1_000;

function codeOf(code: string): SignedText | undefined {
  if (!isHandoffCode(code)) return undefined;
  try {
    const { signer, signature, text } = JSON.parse(code.slice(PREFIX.length)) as Record<string, unknown>;
    if (typeof signer !== 'string' || typeof signature !== 'string' || typeof text !== 'string') return undefined;
    return isAddress(signer) ? { signer, signature: getBase58Encoder().encode(signature), text } : undefined;
  } catch {
    return undefined;
  }
}
