import { canonicalJson } from '@legwork/protocol/rules';
import { getBase16Decoder, getBase58Encoder, isAddress } from '@solana/kit';
import { type Handoff, isSignedText, parseHandoffText } from '../handoff.js';
import { hasForm } from './form.js';
import { nonceIn, signerOf } from './texts.js';

/** A courier's proof of a handoff: who gave a parcel or a result to whom, in which condition, signed. Canonical JSON, 2 KB at most. */
export interface Receipt {
  readonly v: 'legwork.receipt/1';
  readonly program: string;
  /** Account of the package or task. */
  readonly listing: string;
  /** SHA-256 of the canonical JSON of what was listed, hex: the listing's `termsHash`. */
  readonly document: string;
  /** From 0 on. */
  readonly legIndex: number;
  readonly formation: number;
  readonly said: Handoff['said'];
  /** The holder before, and the holder from now on. */
  readonly from: string;
  readonly to: string;
  /** `not said`: it was handed over by a transaction, without a text. */
  readonly condition: 'as described' | 'noted' | 'not said';
  /** SHA-256 of what is noted of the parcel, or of the result that was accepted, hex. */
  readonly hash: string | null;
  /** When the text was signed; without one, the time of the block. UTC, whole seconds: `2026-11-28T12:40:05Z`. */
  readonly at: string;
  /** The text, and the signature of its bytes in base58; null: it was handed over by a transaction. */
  readonly signed: { readonly signer: string; readonly signature: string; readonly text: string } | null;
  /** {@link receiptHash} of the one before; null: it is the first. */
  readonly previous: string | null;
  /** Where the ledger has it; null: not sent yet, or not known. It is no part of the hash. */
  readonly landed: { readonly transaction: string; readonly slot: string } | null;
}

/** SHA-256 of the canonical JSON of a receipt without where it landed, hex. */
export async function receiptHash(receipt: Receipt): Promise<string> {
  // A member that is undefined is none in canonical JSON.
  const json = canonicalJson({ ...receipt, landed: undefined });
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(json));
  return getBase16Decoder().decode(new Uint8Array(digest));
}

/** The findings of a chain of receipts once every line of it was checked. */
export interface Custody {
  /** The holders, and from when on; the first is the sender. */
  readonly holders: readonly { readonly holder: string; readonly since: string | null }[];
  /** The present holder, as far as these receipts go. */
  readonly holder: string;
  /** The lister or receiver has said that it arrived, or that the result is accepted. */
  readonly isEnded: boolean;
  /** Where something was first noted: by whom, and who had it until then. */
  readonly firstNoted: {
    readonly legIndex: number;
    readonly by: string;
    readonly heldBy: string;
    readonly hash: string;
  } | null;
  /** Places of receipts that no text proves: only the ledger can. */
  readonly unproven: readonly number[];
}

/** A chain of receipts that does not hold: where and why. */
export class ReceiptError extends Error {
  override readonly name = 'ReceiptError';
  /** The place of the receipt in the chain, from 0. */
  readonly place: number;

  constructor(place: number, why: string) {
    super(`receipt ${place + 1}: ${why}`);
    this.place = place;
  }
}

/**
 * Checks a chain of receipts without a network: each signature, that each text says what its receipt says, that each follows the one
 * before, and that what one gives is what it had. Rule S-210.
 *
 * @throws {ReceiptError} the first one that does not hold, and why
 */
export async function verifyChain(chain: readonly Receipt[]): Promise<Custody> {
  const [first] = chain;
  if (first === undefined) throw new ReceiptError(0, 'there is none');
  let before: Receipt | undefined;
  for (const [place, receipt] of chain.entries()) {
    const why = (await faultOf(receipt)) ?? (await faultAfter(before, receipt));
    if (why !== undefined) throw new ReceiptError(place, why);
    before = receipt;
  }
  const last = chain.at(-1) ?? first;
  const noted = chain.find(({ condition }) => condition === 'noted');
  return {
    holders: [{ holder: first.from, since: null }, ...chain.map(({ to, at }) => ({ holder: to, since: at }))],
    holder: last.to,
    isEnded: last.said === 'received' || last.said === 'accepted',
    firstNoted: noted ? { legIndex: noted.legIndex, by: noted.to, heldBy: noted.from, hash: noted.hash ?? '' } : null,
    unproven: chain.flatMap(({ signed }, place) => (signed === null ? [place] : [])),
  };
}

/** The fault of a receipt by itself, or undefined. */
async function faultOf(receipt: Receipt): Promise<string | undefined> {
  if (!hasForm(receipt)) return 'it has not the form of a receipt';
  const { said, from, to, condition, signed } = receipt;
  if ((signed === null) !== (condition === 'not said')) return 'nobody signed what it says of the condition';
  if (signed === null) return undefined;
  const signer = signerOf({ said, from, to });
  if (signed.signer !== signer) return `${signer} should have signed it`;
  const why = faultOfText(receipt, signed.text);
  if (why !== undefined) return why;
  return (await isSigned(signed)) ? undefined : 'its signature is not of this text and key';
}

/** The reason that a text does not state its receipt to the letter, or undefined. */
function faultOfText({ listing, legIndex, formation, said, condition, hash, at }: Receipt, text: string) {
  const told = hash === null ? condition : `${said === 'accepted' ? 'result' : 'noted'} ${hash}`;
  const mine = { listing, leg: `leg ${legIndex + 1}, formation ${formation}`, word: said, condition: told, time: at };
  const lines = text.split('\n').slice(1);
  const differing = Object.entries(mine).find(([, line], index) => lines[index] !== line)?.[0];
  if (differing !== undefined) return `its text says something else, another ${differing}`;
  return parseHandoffText(text) === undefined ? 'its text says something else than a handoff' : undefined;
}

async function isSigned({ signer, signature, text }: NonNullable<Receipt['signed']>): Promise<boolean> {
  if (!isAddress(signer)) return false;
  try {
    return await isSignedText({ signer, signature: getBase58Encoder().encode(signature), text });
  } catch {
    // Other letters than base58 has.
    return false;
  }
}

const nonceOf = ({ signed }: Receipt) => signed?.text && nonceIn(signed.text);

/** The reason that a receipt does not follow the one before it, or undefined. */
async function faultAfter(before: Receipt | undefined, receipt: Receipt): Promise<string | undefined> {
  if (before === undefined) return receipt.previous === null ? undefined : 'it is not the first one of its chain';
  if (receipt.previous !== (await receiptHash(before))) return 'it does not follow the one before';
  const isSame = (['program', 'listing', 'document'] as const).every((name) => receipt[name] === before[name]);
  const [nonce, former] = [nonceOf(receipt), nonceOf(before)];
  if (!isSame || (nonce !== undefined && former !== undefined && nonce !== former)) return 'it is of another listing';
  if (receipt.said !== 'accepted' && receipt.from !== before.to) return `${receipt.from} did not have it`;
  if (receipt.said !== 'accepted' && before.said === 'received') return 'it follows the end';
  return receipt.legIndex < before.legIndex ? 'it is of an earlier leg' : undefined;
}
