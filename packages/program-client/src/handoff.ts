import {
  type AccountMeta,
  AccountRole,
  address,
  type Address,
  getAddressDecoder,
  getAddressEncoder,
  getBase16Decoder,
  getBase16Encoder,
  getPublicKeyFromAddress,
  getUtf8Encoder,
  type Instruction,
  isAddress,
  isInstructionWithData,
  isWritableRole,
  type ReadonlyUint8Array,
  signatureBytes,
  verifySignature,
} from '@solana/kit';

/** Verifies Ed25519 signatures: a program of the runtime. */
export const ED25519_PROGRAM_ADDRESS = address('Ed25519SigVerify111111111111111111111111111');
/** Shows a program the other instructions of its transaction. */
export const INSTRUCTIONS_SYSVAR_ADDRESS = address('Sysvar1nstructions1111111111111111111111111');

/** The statement about a parcel: by the lister of the first pickup, the next courier, lister or receiver of the last leg. */
export type ParcelWord = 'picked up' | 'taken over' | 'received';

/** Which handoff is meant: all that is known of it before anybody is at the door. */
export interface HandoffPlace {
  /** Address of the package or task. */
  readonly listing: Address;
  /** Of the leg, from 0 on; the text counts from 1. */
  readonly legIndex: number;
  /** The number that the instruction names: see its argument. */
  readonly formation: number;
  /** Of the listing's account, 8 bytes: tells it from one at the same address on another cluster. */
  readonly nonce: ReadonlyUint8Array;
}

/** A task's leg is accepted with the hash of the result that its agent claimed. */
type Acceptance = { readonly said: 'accepted'; readonly resultHash: ReadonlyUint8Array };

/** A handoff without what is said at the door. */
export type HandoffAhead = HandoffPlace & ({ readonly said: ParcelWord } | Acceptance);

/** A handoff as a text says it. The program takes this text, to the letter, in place of a transaction's signature. */
export type Handoff = HandoffPlace & {
  /** When it was signed, by the signer's clock; whole seconds. */
  readonly signedAt: Date;
} & (
    | {
        readonly said: ParcelWord;
        /** SHA-256 of what is noted of the parcel's condition; undefined: it is as described. */
        readonly noted: ReadonlyUint8Array | undefined;
      }
    | Acceptance
  );

const FIRST_LINE = 'Legwork handoff 1';
const PATTERN = new RegExp(
  `^${FIRST_LINE}\n(?<listing>[1-9A-HJ-NP-Za-km-z]{32,44})\nleg (?<leg>[1-7]), formation (?<formation>\\d{1,5})\n` +
    '(?:(?<said>picked up|taken over|received)\n(?:as described|noted (?<noted>[0-9a-f]{64}))|accepted\nresult (?<result>[0-9a-f]{64}))\n' +
    '(?<time>20\\d\\d-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ)\n(?<nonce>[0-9a-f]{16})$',
);

/** The largest formation that its two bytes hold. */
const MOST_FORMATIONS = 0xffff;

const hexOf = (bytes: ReadonlyUint8Array) => getBase16Decoder().decode(bytes);
const bytesOf = (hex: string) => getBase16Encoder().encode(hex);
/** A time as a text and a receipt say it: UTC, whole seconds. */
export const wholeSecond = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`;

/** The text that says this handoff: seven lines that a wallet shows before it signs, 220 bytes at most. */
export function handoffText(handoff: Handoff): string {
  return [
    FIRST_LINE,
    handoff.listing,
    `leg ${handoff.legIndex + 1}, formation ${handoff.formation}`,
    handoff.said,
    conditionOf(handoff),
    wholeSecond(handoff.signedAt),
    hexOf(handoff.nonce),
  ].join('\n');
}

function conditionOf(handoff: Handoff): string {
  if (handoff.said === 'accepted') return `result ${hexOf(handoff.resultHash)}`;
  return handoff.noted === undefined ? 'as described' : `noted ${hexOf(handoff.noted)}`;
}

/** The content of a text, or undefined if it is not the text of a handoff, to the letter. */
export function parseHandoffText(text: string): Handoff | undefined {
  const { listing, leg, formation, said, noted, result, time, nonce } = PATTERN.exec(text)?.groups ?? {};
  if (!listing || !isAddress(listing) || !leg || !formation || !time || !nonce) return undefined;
  const signedAt = new Date(time);
  if (Number.isNaN(signedAt.valueOf())) return undefined;
  const where = { listing, legIndex: Number(leg) - 1, formation: Number(formation), signedAt, nonce: bytesOf(nonce) };
  const handoff: Handoff | undefined = result
    ? { ...where, said: 'accepted', resultHash: bytesOf(result) }
    : isParcelWord(said)
      ? { ...where, said, noted: noted === undefined ? undefined : bytesOf(noted) }
      : undefined;
  // Days that do not exist and zeros before a number read as another text than was signed.
  const isWhole = handoff !== undefined && handoff.formation <= MOST_FORMATIONS && handoffText(handoff) === text;
  return isWhole ? handoff : undefined;
}

const isParcelWord = (word: string | undefined): word is ParcelWord =>
  word === 'picked up' || word === 'taken over' || word === 'received';

/** A text, and the signature of its bytes by this key. */
export interface SignedText {
  readonly signer: Address;
  readonly signature: ReadonlyUint8Array;
  readonly text: string;
}

/** Says whether this key signed this text, and nothing before or behind it. */
export async function isSignedText({ signer, signature, text }: SignedText): Promise<boolean> {
  if (signature.length !== 64) return false;
  const key = await getPublicKeyFromAddress(signer).catch(() => undefined);
  const bytes = signatureBytes(Uint8Array.from(signature));
  return key !== undefined && verifySignature(key, bytes, getUtf8Encoder().encode(text));
}

const [KEY_AT, SIGNATURE_AT, TEXT_AT] = [16, 48, 112];
/** That the three are in this very instruction. */
const OWN = 0xffff;

/** The instruction that has the runtime verify a signed text; it comes just before the one that the text stands in for. */
export function getSignedTextInstruction({ signer, signature, text }: SignedText): Instruction & { data: Uint8Array } {
  const bytes = getUtf8Encoder().encode(text);
  const data = new Uint8Array(TEXT_AT + bytes.length);
  const header = [0x0001, SIGNATURE_AT, OWN, KEY_AT, OWN, TEXT_AT, bytes.length, OWN];
  header.forEach((word, index) => new DataView(data.buffer).setUint16(2 * index, word, true));
  data.set(getAddressEncoder().encode(signer), KEY_AT);
  data.set(signature, SIGNATURE_AT);
  data.set(bytes, TEXT_AT);
  return { programAddress: ED25519_PROGRAM_ADDRESS, data };
}

/** The text that such an instruction verifies; undefined for one of another form, which the program ignores too. */
export function readSignedText(instruction: Instruction): SignedText | undefined {
  if (instruction.programAddress !== ED25519_PROGRAM_ADDRESS || !isInstructionWithData(instruction)) return undefined;
  const data = Uint8Array.from(instruction.data);
  if (data.length <= TEXT_AT) return undefined;
  const signed = {
    signer: getAddressDecoder().decode(data.subarray(KEY_AT, SIGNATURE_AT)),
    signature: data.slice(SIGNATURE_AT, TEXT_AT),
    text: new TextDecoder().decode(data.subarray(TEXT_AT)),
  };
  const same = getSignedTextInstruction(signed).data;
  return same.length === data.length && same.every((byte, index) => byte === data[index]) ? signed : undefined;
}

/** The instruction with this text in place of its signer's signature: both of one transaction, which anybody may pay for. */
export function bySignedText(instruction: Instruction, signed: SignedText): readonly [Instruction, Instruction] {
  const unsigned = (account: AccountMeta): AccountMeta => {
    if (account.address !== signed.signer) return account;
    return {
      address: account.address,
      role: isWritableRole(account.role) ? AccountRole.WRITABLE : AccountRole.READONLY,
    };
  };
  const { programAddress, accounts = [], data } = instruction;
  const sysvar = { address: INSTRUCTIONS_SYSVAR_ADDRESS, role: AccountRole.READONLY };
  const told = { programAddress, accounts: [...accounts.map(unsigned), sysvar], ...(data && { data }) };
  return [getSignedTextInstruction(signed), told];
}

/** The same of the last of some instructions, behind the others: the text stands just before what it is about. */
export function lastBySignedText(instructions: readonly Instruction[], signed: SignedText): readonly Instruction[] {
  const before = [...instructions];
  const last = before.pop();
  if (last === undefined) throw new TypeError('There is nothing that the text is about');
  return [...before, ...bySignedText(last, signed)];
}
