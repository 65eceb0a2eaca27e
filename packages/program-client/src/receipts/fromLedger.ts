import { type Address, getBase16Decoder, getBase58Decoder } from '@solana/kit';
import type { RelayInstruction } from '../decodeRelayInstruction.js';
import { parseHandoffText, type SignedText, wholeSecond } from '../handoff.js';
import type { SucceededTransaction } from '../history/transactions.js';
import { type Receipt, receiptHash } from './receipt.js';
import { countedText, isRead, nonceIn, type TextFound, textsIn } from './texts.js';

/** A listing whose handoffs are told. */
export interface ReceiptsOf {
  readonly program: Address;
  readonly listing: string;
  /** Its `termsHash`, hex. */
  readonly document: string;
  readonly lister: string;
  readonly receiver: string | null;
  /** Account of each leg, and its present worker, by index. */
  readonly legs: readonly { readonly address: string; readonly worker: string }[];
}

/** A transaction that the ledger has, with its signature. */
export type Told = Pick<SucceededTransaction, 'slot' | 'instructions' | 'bytes' | 'blockTime'> & {
  readonly signature: string;
};

/**
 * The receipts of a listing's handoffs, out of the ledger's own transactions in their order. A leg that silence, a ruling or the coordinator
 * ended was handed to nobody, and has no receipt. The sender of the transaction that ends a ruled leg says nothing of a parcel by it.
 */
export async function receiptsOf(of: ReceiptsOf, transactions: readonly Told[]): Promise<Receipt[]> {
  const handoffs = handoffsOf(of, transactions);
  const nonce = nonceAmong(handoffs);
  const chain: Receipt[] = [];
  for (const handoff of handoffs) {
    const last = chain.at(-1);
    const previous = last === undefined ? null : await receiptHash(last);
    chain.push(receiptOf(of, { ...handoff, previous, signed: countedText(handoff, handoff.text, nonce) }));
  }
  return chain;
}

/** A handoff, with the transaction that made it and a text that stands in it. */
type Made = Given & { readonly listing: string; readonly transaction: Told; readonly text: TextFound | undefined };

function handoffsOf(of: ReceiptsOf, transactions: readonly Told[]): Made[] {
  const handoffs: Made[] = [];
  // The former worker of a leg is known from its own signatures.
  const workers = new Map(of.legs.map(({ address, worker }) => [address, worker]));
  const ruled = new Set<string>();
  for (const transaction of transactions) {
    const texts = textsIn(of.program, transaction.bytes);
    for (const instruction of transaction.instructions) {
      if (instruction.name === 'accept') {
        const { leg, courier } = instruction.accounts;
        workers.set(leg.address, courier.address);
        // It is another courier's now.
        ruled.delete(leg.address);
      }
      if (instruction.name === 'rule') ruled.add(instruction.accounts.leg.address);
      const given = handoffIn(of, instruction, { workers, holder: handoffs.at(-1)?.to ?? of.lister });
      if (given === undefined) continue;
      const handoff = { ...given, listing: of.listing, transaction, text: texts.get(given.leg) };
      const isSaid = handoff.text !== undefined && isRead(handoff, handoff.text);
      if (isSaid || !ruled.has(given.leg)) handoffs.push(handoff);
    }
  }
  return handoffs;
}

/** The nonce of the listing: the program has compared it with that of each text which it read. */
function nonceAmong(handoffs: readonly Made[]): string | undefined {
  const withText = handoffs.filter(({ text }) => text !== undefined);
  const read = withText.find((handoff) => handoff.text && isRead(handoff, handoff.text));
  const said = read ?? withText.find((handoff) => countedText(handoff, handoff.text, undefined));
  return said?.text && nonceIn(said.text.signed.text);
}

/** The state when an instruction comes: the worker of each leg by its account, and the holder of the parcel. */
interface Known {
  readonly workers: ReadonlyMap<string, string>;
  readonly holder: string;
}

/** The handoff that an instruction attests, from one party to another; `hash` is of a task's result. */
type Given = Pick<Receipt, 'legIndex' | 'formation' | 'said' | 'from' | 'to' | 'hash'> & { readonly leg: string };

function handoffIn(of: ReceiptsOf, instruction: RelayInstruction, known: Known): Given | undefined {
  const { name, accounts, data } = instruction;
  if (name === 'accept' && data.take && accounts.listing.address === of.listing) {
    const { formation } = data;
    const from = known.holder;
    const to = accounts.courier.address;
    return { ...legOf(of, accounts.leg), formation, said: 'picked up', from, to, hash: null };
  }
  if (name === 'confirmLeg' && accounts.package.address === of.listing) {
    const { courier, recipient, nextLeg } = accounts;
    const to = recipient.address;
    const isParty = nextLeg === undefined ? isEnd(of, to) : to === known.workers.get(nextLeg.address);
    if (!isParty) return undefined;
    const said = nextLeg === undefined ? 'received' : 'taken over';
    const { formation } = data;
    return { ...legOf(of, accounts.leg), formation, said, from: courier.address, to, hash: null };
  }
  if (name !== 'confirmTaskLeg' || accounts.task.address !== of.listing) return undefined;
  const { agent, signer, taskLeg } = accounts;
  if (!isEnd(of, signer.address)) return undefined;
  const hash = getBase16Decoder().decode(data.resultHash);
  // The number of a task's leg stands in its text only.
  const where = { leg: taskLeg.address, legIndex: data.index, formation: 0 };
  return { ...where, said: 'accepted', from: agent.address, to: signer.address, hash };
}

const isEnd = ({ lister, receiver }: ReceiptsOf, key: string) => key === lister || key === receiver;

const legOf = ({ legs }: ReceiptsOf, { address: leg }: { readonly address: string }) => ({
  leg,
  legIndex: legs.findIndex(({ address }) => address === leg),
});

function receiptOf(
  { program, listing, document }: ReceiptsOf,
  told: Made & { readonly previous: string | null; readonly signed: SignedText | undefined },
): Receipt {
  const { legIndex, formation, said, from, to, hash, previous, transaction, signed } = told;
  const text = signed && parseHandoffText(signed.text);
  const noted = text && text.said !== 'accepted' ? text.noted : undefined;
  return {
    v: 'legwork.receipt/1',
    program,
    listing,
    document,
    legIndex,
    formation: text?.formation ?? formation,
    said,
    from,
    to,
    condition: text === undefined ? 'not said' : noted === undefined ? 'as described' : 'noted',
    hash: noted === undefined ? hash : getBase16Decoder().decode(noted),
    at: text === undefined ? blockTimeOf(transaction.blockTime ?? 0n) : wholeSecond(text.signedAt),
    signed: signed
      ? { signer: signed.signer, signature: getBase58Decoder().decode(signed.signature), text: signed.text }
      : null,
    previous,
    landed: { transaction: transaction.signature, slot: `${transaction.slot}` },
  };
}

/** Unix seconds, as a receipt says a time. */
const blockTimeOf = (second: bigint) => wholeSecond(new Date(Number(second) * 1000));

/**
 * Says whether a transaction is the handoff that a receipt tells, with the very text that it holds; without one, at that time, and with
 * no text that counts. That the leg was ruled before, another transaction says.
 *
 * @param nonce of the chain's other texts, hex
 */
export function isOnLedger(
  receipt: Receipt,
  { instructions, bytes, blockTime }: Pick<Told, 'instructions' | 'bytes' | 'blockTime'>,
  nonce?: string,
): boolean {
  const texts = textsIn(receipt.program as Address, bytes);
  if (receipt.signed === null && blockTime !== null && receipt.at !== blockTimeOf(blockTime)) return false;
  return instructions.some((instruction) => {
    const at = placeIn(receipt, instruction);
    if (at === undefined) return false;
    const text = countedText(receipt, texts.get(at), nonce);
    if (text === undefined || receipt.signed === null) return text === undefined && receipt.signed === null;
    const { signer, signature } = receipt.signed;
    const isSame = text.text === receipt.signed.text && text.signer === signer;
    return isSame && getBase58Decoder().decode(text.signature) === signature;
  });
}

/** The account of the leg, if the instruction hands over what the receipt says, from whom to whom it says. */
function placeIn(receipt: Receipt, instruction: RelayInstruction): string | undefined {
  const { listing, legIndex, said, from, to, formation, hash } = receipt;
  const { name, accounts, data } = instruction;
  if (said === 'picked up') {
    const isIt = name === 'accept' && data.take && accounts.listing.address === listing && data.formation === formation;
    return isIt && accounts.courier.address === to ? accounts.leg.address : undefined;
  }
  if (said === 'accepted') {
    const isIt = name === 'confirmTaskLeg' && accounts.task.address === listing && accounts.agent.address === from;
    const isThis = isIt && data.index === legIndex && getBase16Decoder().decode(data.resultHash) === hash;
    return isThis && accounts.signer.address === to ? accounts.taskLeg.address : undefined;
  }
  const isIt = name === 'confirmLeg' && accounts.package.address === listing && data.formation === formation;
  return isIt && accounts.courier.address === from && accounts.recipient.address === to
    ? accounts.leg.address
    : undefined;
}
