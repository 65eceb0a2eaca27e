import {
  type Address,
  getBase16Decoder,
  getBase58Decoder,
  getCompiledTransactionMessageDecoder,
  getInstructionsFromCompiledTransactionMessage,
  getTransactionDecoder,
  type Instruction,
} from '@solana/kit';
import { decodeRelayInstruction, type RelayInstruction } from '../decodeRelayInstruction.js';
import { INSTRUCTIONS_SYSVAR_ADDRESS, parseHandoffText, readSignedText, type SignedText } from '../handoff.js';
import type { SucceededTransaction } from '../history/transactions.js';
import { type Receipt, receiptHash } from './receipt.js';

/** A listing whose handoffs are told. */
export interface ReceiptsOf {
  readonly program: Address;
  readonly listing: string;
  /** Its `termsHash`, hex. */
  readonly document: string;
  readonly lister: string;
  readonly receiver: string | null;
  /** Account of each leg, and who has it now, by index. */
  readonly legs: readonly { readonly address: string; readonly worker: string }[];
}

/** A transaction that the ledger has, with its signature. */
export type Told = Pick<SucceededTransaction, 'slot' | 'instructions' | 'bytes' | 'blockTime'> & {
  readonly signature: string;
};

/**
 * The receipts of a listing's handoffs, out of the ledger's own transactions in their order. What silence, a ruling or the coordinator
 * ended was handed to nobody, and has none.
 */
export async function receiptsOf(of: ReceiptsOf, transactions: readonly Told[]): Promise<Receipt[]> {
  const chain: Receipt[] = [];
  // Who had a leg before somebody else took its place is known from what it signed.
  const workers = new Map(of.legs.map(({ address, worker }) => [address, worker]));
  for (const transaction of transactions) {
    const texts = textsIn(of.program, transaction.bytes);
    for (const instruction of transaction.instructions) {
      if (instruction.name === 'accept') {
        workers.set(instruction.accounts.leg.address, instruction.accounts.courier.address);
      }
      const last = chain.at(-1);
      const handoff = handoffIn(of, instruction, { workers, holder: last?.to ?? of.lister });
      if (handoff === undefined) continue;
      const previous = last === undefined ? null : await receiptHash(last);
      chain.push(receiptOf(of, { ...handoff, previous, transaction, signed: texts.get(handoff.leg) }));
    }
  }
  return chain;
}

/** What is known when an instruction comes: who has each leg by its account, and who has the parcel. */
interface Known {
  readonly workers: ReadonlyMap<string, string>;
  readonly holder: string;
}

/** What an instruction says of who gave something to whom. */
type Given = Pick<Receipt, 'legIndex' | 'formation' | 'said' | 'from' | 'to'> & {
  readonly leg: string;
  readonly result: string | null;
};

function handoffIn(of: ReceiptsOf, instruction: RelayInstruction, known: Known): Given | undefined {
  const { name, accounts, data } = instruction;
  if (name === 'accept' && data.take && accounts.listing.address === of.listing) {
    const { formation } = data;
    const from = known.holder;
    return {
      ...legOf(of, accounts.leg),
      formation,
      said: 'picked up',
      from,
      to: accounts.courier.address,
      result: null,
    };
  }
  if (name === 'confirmLeg' && accounts.package.address === of.listing) {
    const { courier, recipient, nextLeg } = accounts;
    const to = recipient.address;
    const isParty = nextLeg === undefined ? isEnd(of, to) : to === known.workers.get(nextLeg.address);
    if (!isParty) return undefined;
    const said = nextLeg === undefined ? 'received' : 'taken over';
    const { formation } = data;
    return { ...legOf(of, accounts.leg), formation, said, from: courier.address, to, result: null };
  }
  if (name !== 'confirmTaskLeg' || accounts.task.address !== of.listing) return undefined;
  const { agent, signer, taskLeg } = accounts;
  if (!isEnd(of, signer.address)) return undefined;
  const result = getBase16Decoder().decode(data.resultHash);
  // The number of a task's leg stands in its text only.
  const where = { leg: taskLeg.address, legIndex: data.index, formation: 0 };
  return { ...where, said: 'accepted', from: agent.address, to: signer.address, result };
}

const isEnd = ({ lister, receiver }: ReceiptsOf, key: string) => key === lister || key === receiver;

const legOf = ({ legs }: ReceiptsOf, { address: leg }: { readonly address: string }) => ({
  leg,
  legIndex: legs.findIndex(({ address }) => address === leg),
});

/** Unix seconds, as a receipt says a time. */
const timeOf = (second: bigint) => `${new Date(Number(second) * 1000).toISOString().slice(0, 19)}Z`;

function receiptOf(
  { program, listing, document }: ReceiptsOf,
  told: Given & { previous: string | null; transaction: Told; signed: SignedText | undefined },
): Receipt {
  const { legIndex, formation, said, from, to, result, previous, transaction, signed } = told;
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
    hash: noted === undefined ? result : getBase16Decoder().decode(noted),
    at: text === undefined ? timeOf(transaction.blockTime ?? 0n) : `${text.signedAt.toISOString().slice(0, 19)}Z`,
    signed: signed
      ? { signer: signed.signer, signature: getBase58Decoder().decode(signed.signature), text: signed.text }
      : null,
    previous,
    landed: { transaction: transaction.signature, slot: `${transaction.slot}` },
  };
}

/** The texts of a transaction, by the account of the leg that each is about. */
function textsIn(program: Address, bytes: SucceededTransaction['bytes']): Map<string, SignedText> {
  const texts = new Map<string, SignedText>();
  const compiled = getCompiledTransactionMessageDecoder().decode(getTransactionDecoder().decode(bytes).messageBytes);
  // Who hides accounts in a table has no text read here: it has a receipt without one.
  if ('addressTableLookups' in compiled && compiled.addressTableLookups !== undefined) return texts;
  const instructions: readonly Instruction[] = getInstructionsFromCompiledTransactionMessage(compiled);
  for (const [place, instruction] of instructions.entries()) {
    const proof = instructions[place - 1];
    const signed = proof && readSignedText(proof);
    if (!signed || instruction.accounts?.at(-1)?.address !== INSTRUCTIONS_SYSVAR_ADDRESS) continue;
    const decoded = decodeRelayInstruction(program, instruction);
    const leg = decoded && ('leg' in decoded.accounts ? decoded.accounts.leg : undefined);
    const taskLeg = decoded && ('taskLeg' in decoded.accounts ? decoded.accounts.taskLeg : undefined);
    const about = leg ?? taskLeg;
    if (about) texts.set(about.address, signed);
  }
  return texts;
}

/** Says whether a transaction is the handoff that a receipt tells, with the very text that it holds; without one, at that time. */
export function isOnLedger(
  receipt: Receipt,
  { instructions, bytes, blockTime }: Pick<Told, 'instructions' | 'bytes' | 'blockTime'>,
): boolean {
  const texts = textsIn(receipt.program as Address, bytes);
  if (receipt.signed === null && blockTime !== null && receipt.at !== timeOf(blockTime)) return false;
  return instructions.some((instruction) => {
    const at = placeIn(receipt, instruction);
    if (at === undefined) return false;
    const text = texts.get(at);
    if (receipt.signed === null) return text === undefined;
    const { signer, signature } = receipt.signed;
    const isSame = text?.text === receipt.signed.text && text.signer === signer;
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
