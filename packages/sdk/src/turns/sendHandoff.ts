import {
  isSignedText,
  lastBySignedText,
  LegStatus,
  paidInToken,
  parseHandoffText,
  TOKEN_PROGRAM_ADDRESS,
} from '@legwork/program-client';
import type { Handoff, RelayInstruction, SignedText } from '@legwork/program-client';
import {
  address,
  appendTransactionMessageInstructions,
  compileTransaction,
  createTransactionMessage,
  fetchEncodedAccounts,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import { ledgerRpc } from '../ledgerRpc.js';
import type { Address, Instruction, Transaction } from '@solana/kit';
import { type LegworkClient, serviceConfig } from '../client.js';
import { TransactionRefusedError } from '../errors.js';
import { sendAffordably } from '../feePayer.js';
import { bytesToHex } from '../hex.js';
import { landedOn } from '../landed.js';
import type { LedgerSigner } from '../signer.js';
import { kindOf, readLegFor, takenNow } from './handoffs.js';
import { placesOf } from './legPlaces.js';
import type { AccountRpc, AnyLeg, TurnRpc } from './readLeg.js';

/** A handoff that the ledger has. */
export interface SubmittedHandoff {
  readonly signature: string;
  /** The account of the leg. */
  readonly leg: Address;
  readonly handoff: Handoff;
}

/**
 * Sends a handoff that somebody signed. Anybody can, and pays the fee of two signatures; a pickup is sent by its courier, who posts the stake
 * with it. All that is sent is made from the ledger and the text; the service only says where the ledger is, and sees it there. Safe to
 * repeat: what landed before is found. Rule A-120.
 *
 * @param payer pays the fee
 * @throws {TransactionRefusedError} when it is no signed handoff, or the ledger would not take it now; says why
 * @throws {LedgerRefusedError} when the ledger refuses it
 */
export async function submitHandoff(
  client: LegworkClient,
  payer: LedgerSigner,
  signed: SignedText,
  { rpc: given }: { readonly rpc?: TurnRpc | undefined } = {},
): Promise<SubmittedHandoff> {
  const { programId, rpcUrl } = await serviceConfig(client);
  const rpc: TurnRpc = given ?? ledgerRpc(rpcUrl);
  const handoff = await handoffOf(signed);
  // Settling closes the account of a leg, and its history stays.
  const { address: leg } = await placesOf(address(programId), handoff.listing, handoff.legIndex, kindOf(handoff));
  const earlier = await landedBefore(rpc, { programId: address(programId), leg }, handoff);
  if (earlier !== undefined) return { signature: earlier, leg, handoff };
  const built = await buildHandoff(client, payer.address, signed, { rpc });
  const signature = await sendAffordably({ client, rpc, ...built }, payer, built.lastValidBlockHeight);
  return { signature, leg, handoff };
}

/** The transaction that a signed handoff is sent by: unsigned, and made here from the ledger and the text. */
export interface BuiltHandoff {
  readonly transaction: Transaction;
  readonly lastValidBlockHeight: number;
  /** The stake that it posts, lamports: of a pickup that was not accepted before. */
  readonly takes: bigint;
}

/**
 * Builds the transaction of a handoff that somebody signed, for a caller that signs and sends it by itself: {@link submitHandoff} does all of it.
 *
 * @param payer pays the fee, and is the only one to sign
 * @throws {TransactionRefusedError} as {@link submitHandoff}
 */
export async function buildHandoff(
  client: LegworkClient,
  payer: Address,
  signed: SignedText,
  { rpc: given }: { readonly rpc?: TurnRpc | undefined } = {},
): Promise<BuiltHandoff> {
  const { programId, rpcUrl } = await serviceConfig(client);
  const rpc: TurnRpc = given ?? ledgerRpc(rpcUrl);
  const handoff = await handoffOf(signed);
  const at = await readLegFor(rpc, address(programId), handoff);
  const now = takenNow(at, signed.signer, handoff);
  if (handoff.said === 'picked up' && payer !== at.worker) {
    throw new TransactionRefusedError(`this pickup is sent by its courier, ${at.worker}`);
  }
  const { value: lifetime } = await rpc.getLatestBlockhash({ commitment: 'confirmed' }).send();
  const paying = await paidAt(rpc, at, payer, now.instruction);
  const transaction = pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayer(payer, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
    (living) => appendTransactionMessageInstructions(lastBySignedText(paying, signed), living),
    compileTransaction,
  );
  const posts = handoff.said === 'picked up' && at.status === LegStatus.Pending && at.token === undefined;
  const takes = posts ? (at.terms?.stake ?? 0n) : 0n;
  return { transaction, lastValidBlockHeight: Number(lifetime.lastValidBlockHeight), takes };
}

/** The instruction as the listing pays, behind the creation of token accounts that are missing. */
async function paidAt(
  rpc: AccountRpc,
  { programId, token }: AnyLeg,
  payer: Address,
  instruction: Instruction,
): Promise<readonly Instruction[]> {
  if (token === undefined) return [instruction];
  return paidInToken(programId, payer, token, [instruction], async (accounts) => {
    const found = await fetchEncodedAccounts(rpc, [...accounts], { commitment: 'confirmed' });
    return found.map((one) => (one.exists && one.programAddress === TOKEN_PROGRAM_ADDRESS ? one.data : undefined));
  });
}

async function handoffOf(signed: SignedText): Promise<Handoff> {
  const handoff = parseHandoffText(signed.text);
  if (handoff !== undefined && (await isSignedText(signed))) return handoff;
  throw new TransactionRefusedError('this is not a handoff that somebody signed');
}

/** The transaction by which the ledger has the handoff already: sent before, or by somebody else. */
async function landedBefore(
  rpc: TurnRpc,
  { programId, leg }: { readonly programId: Address; readonly leg: Address },
  handoff: Handoff,
): Promise<string | undefined> {
  for await (const { signature, instruction } of landedOn(rpc, programId, leg)) {
    if (isOf(instruction, leg, handoff)) return signature;
  }
  return undefined;
}

function isOf({ name, accounts, data }: RelayInstruction, leg: Address, handoff: Handoff): boolean {
  const { said, formation } = handoff;
  if (said === 'accepted') {
    const isThis = name === 'confirmTaskLeg' && accounts.taskLeg.address === leg;
    return isThis && bytesToHex(data.resultHash) === bytesToHex(handoff.resultHash);
  }
  if (said === 'picked up') {
    return name === 'accept' && accounts.leg.address === leg && data.take && data.formation === formation;
  }
  return name === 'confirmLeg' && accounts.leg.address === leg && data.formation === formation;
}
