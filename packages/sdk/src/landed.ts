import type { RelayInstruction } from '@legwork/program-client';
import { findLanded } from '@legwork/program-client/history';
import type {
  Address,
  GetSignaturesForAddressApi,
  GetSignatureStatusesApi,
  GetTransactionApi,
  Rpc,
  Signature,
} from '@solana/kit';
import { LedgerRefusedError, LegworkApiError, throwOurs, TransactionRefusedError } from './errors.js';
import { pause } from './pause.js';
import { signatureOf } from './transactions/readTransaction.js';

/** The outcome of a function that lands a transaction and then does more: a landed transaction is never reported as failed. */
export interface Landed {
  /** Of the transaction, which the ledger has confirmed. */
  readonly signature: string;
  /** The step after it that failed, or null when everything is done. Calling the function again goes on from here and pays nothing twice. */
  readonly open: OpenStep | null;
}

export interface OpenStep {
  /** The remaining work, in words. */
  readonly what: string;
  /** Why it could not be done: a refusal of the wallet, an outage, a limit. */
  readonly why: Error;
}

/** For people: what is still open, as the end of a sentence; empty when nothing is. */
export function stillOpen({ open = null }: Partial<Landed>): string {
  return open === null ? '' : `; still open: ${open.what} (${open.why.message})`;
}

/** For programs and models: the same in a field, so that no answer looks done that is not; nothing when nothing is open. */
export function openField({ open = null }: Partial<Landed>): { readonly stillOpen?: string } {
  return open === null ? {} : { stillOpen: `${open.what} (${open.why.message})` };
}

/**
 * Does what follows a transaction that landed.
 *
 * @param signature of the transaction
 * @param step the step that follows, in words and as a function
 * @param otherwise the answer when that fails: the facts known from the transaction alone
 */
export async function afterLanding<T extends object>(
  signature: string,
  step: { readonly what: string; readonly take: () => Promise<T> },
  otherwise: T,
): Promise<T & Landed> {
  try {
    return { ...(await step.take()), signature, open: null };
  } catch (error) {
    return { ...otherwise, signature, open: { what: step.what, why: errorOf(error) } };
  }
}

export const errorOf = (thrown: unknown) => (thrown instanceof Error ? thrown : new Error(String(thrown)));

/** The RPC method that tells whether something landed. */
export type StatusRpc = Rpc<GetSignatureStatusesApi>;

/**
 * Reports whether the ledger has confirmed a transaction. What is only processed may be on a fork that the ledger leaves, and land elsewhere
 * with another outcome.
 *
 * @returns undefined: it shows nothing of it
 * @throws {LedgerRefusedError} when it shows that it failed
 */
export async function hasLanded(
  rpc: StatusRpc,
  signature: Signature,
  call: { abortSignal?: AbortSignal },
): Promise<boolean | undefined> {
  const { value } = await rpc.getSignatureStatuses([signature]).send(call);
  const [status] = value;
  if (!status) return undefined;
  const { confirmationStatus, err } = status;
  if (confirmationStatus !== 'confirmed' && confirmationStatus !== 'finalized') return false;
  if (!err) return true;
  const reason = JSON.stringify(err, (_, part: unknown) => (typeof part === 'bigint' ? `${part}` : part));
  throw new LedgerRefusedError(`transaction ${signature} failed on the ledger: ${reason}`, undefined);
}

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;
/** So long a question is waited for, even if that is past the time. */
const LEAST_ANSWER_MS = 2_000;

/**
 * Waits until the ledger has confirmed a transaction; a ledger that does not answer is asked again.
 *
 * @returns false: not within this time
 * @throws {LedgerRefusedError} when it shows that it failed
 */
export async function landsWithin(rpc: StatusRpc, signature: Signature, withinMs: number): Promise<boolean> {
  const until = Date.now() + withinMs;
  for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
    const late = AbortSignal.timeout(Math.max(until - Date.now(), LEAST_ANSWER_MS));
    const isThere = await hasLanded(rpc, signature, { abortSignal: late }).catch((error: unknown) => {
      if (error instanceof LedgerRefusedError) throw error;
      return undefined;
    });
    if (isThere === true || Date.now() > until) return isThere === true;
    await pause(wait);
  }
}

/** Where the service took a transaction and did not say what came of it, it may land so much later, milliseconds. */
const MAY_LAND_MS = 5_000;

/** Reports whether a signed transaction landed although the service that should send it answered with this error, which is no refusal. */
export async function landedDespite(error: unknown, rpc: StatusRpc, transaction: string): Promise<boolean> {
  const isLimit = error instanceof LegworkApiError && error.status === 429;
  return landsWithin(rpc, signatureOf(transaction), isLimit ? 0 : MAY_LAND_MS).catch(() => false);
}

/** A refusal is about what was asked for; anything else says nothing about it. */
export function isRefusal(error: unknown): boolean {
  if (!(error instanceof LegworkApiError)) return error instanceof TransactionRefusedError;
  const { status, code } = error;
  return status < 500 && status !== 429 && code !== 'not_confirmed_on_chain' && code !== 'unreadable_problem';
}

/** The RPC methods that reading an account's history needs. */
export type HistoryRpc = Rpc<GetSignaturesForAddressApi & GetTransactionApi>;

/** Transactions of an account that are looked at, newest first. */
const DEPTH = 200;

/** An event on the ledger. */
interface Happened {
  readonly signature: string;
  readonly instruction: RelayInstruction;
  /** The sha256 that a ruling names as its reason, in hex. */
  readonly reasonHash: string | undefined;
}

/**
 * The successful instructions of the program in the history of an account, newest first. Transactions that cannot be read are passed
 * over: anybody can have one name the account.
 */
export async function* landedOn(
  rpc: HistoryRpc,
  programId: Address,
  account: Address,
): AsyncGenerator<Happened, void, undefined> {
  const history = await rpc.getSignaturesForAddress(account, { commitment: 'confirmed', limit: DEPTH }).send();
  for (const { signature, err } of history) {
    if (err !== null) continue;
    const landed = await findLanded({ rpc, programAddress: programId }, signature).catch(throwOurs);
    if (landed?.kind !== 'landed' || landed.error !== null) continue;
    for (const instruction of landed.instructions) yield { signature, instruction, reasonHash: landed.reasonHash };
  }
}
