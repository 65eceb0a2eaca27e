import { ask, isForbidden, isLedgerAnswer, signaturePages } from '@legwork/program-client/history';
import { isSolanaError, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_FILTER_TRANSACTION_NOT_FOUND } from '@solana/kit';
import type { HistoryPosition } from '../db/ledgerTransactions.js';
import type { Ledger } from '../ledger/ledger.js';
import type { Listed } from './applyLanded.js';

/** A transaction that names the program, as the ledger lists it. */
export interface HistoryEntry extends Listed {
  failed: boolean;
}

/** A node's list of transactions. */
export interface History {
  /** Oldest first, so many at a time. Of a long list no more than a page is held: pages are listed again when their turn comes. */
  chunks: AsyncIterable<readonly HistoryEntry[]>;
  /** True if it begins right behind the given entry: the node knows that, or has pruned it. */
  isWhole: boolean;
  /** The node's history begins behind what the list was to begin behind. */
  isPruned: boolean;
}

/**
 * Lists the confirmed transactions that name the program.
 *
 * @param after those up to this one are left out; undefined: none are
 * @param size of a chunk
 */
export async function historySince(ledger: Ledger, after: HistoryPosition | undefined, size: number): Promise<History> {
  const slot = after?.slot ?? 0n;
  try {
    const { pages, isWhole } = await listBack(ledger, slot, after?.signature);
    return { chunks: chunksOf(pages, size), isWhole, isPruned: false };
  } catch (error) {
    if (!isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_FILTER_TRANSACTION_NOT_FOUND)) throw error;
    // The place to stop at is too old for this node, or has vanished.
    const { pages } = await listBack(ledger, slot, undefined);
    const isPruned = after !== undefined && (await ask(ledger.rpc.getFirstAvailableBlock())) > after.slot;
    return { chunks: chunksOf(pages, size), isWhole: isPruned, isPruned };
  }
}

type Pages = AsyncIterable<readonly HistoryEntry[]>;

async function* chunksOf(pages: Pages, size: number): AsyncGenerator<readonly HistoryEntry[]> {
  for await (const page of pages)
    for (let from = 0; from < page.length; from += size) yield page.slice(from, from + size);
}

/** A node lists newest first: on the way back only the oldest entry of each page is kept, and the last page whole. */
async function listBack(
  ledger: Ledger,
  slot: bigint,
  until: string | undefined,
): Promise<{ pages: Pages; isWhole: boolean }> {
  const ends: HistoryEntry[] = [];
  let last: readonly HistoryEntry[] = [];
  for await (const page of signaturePages(ledger, ledger.programAddress, { until })) {
    const end = last[0];
    if (end !== undefined) ends.push(end);
    // A node that has lost the transaction to stop at may list everything it has.
    const known = page.filter((entry) => entry.slot >= slot);
    last = known.map(entryOf).reverse();
    if (known.length < page.length) return { pages: pagesFrom(ledger, last, ends), isWhole: false };
  }
  return { pages: pagesFrom(ledger, last, ends), isWhole: true };
}

/** The pages, oldest first. @param ends oldest entries of those after the first, newest page first */
async function* pagesFrom(
  ledger: Ledger,
  first: readonly HistoryEntry[],
  ends: readonly HistoryEntry[],
): AsyncGenerator<readonly HistoryEntry[]> {
  yield first;
  for (let index = ends.length - 1; index >= 0; index -= 1) {
    const end = ends[index];
    if (end !== undefined) yield [end, ...(await listBetween(ledger, end, ends[index - 1]))];
  }
}

/** The entries between two others, oldest first; undefined: up to the newest. */
async function listBetween(
  ledger: Ledger,
  { slot, signature: until }: HistoryEntry,
  next: HistoryEntry | undefined,
): Promise<HistoryEntry[]> {
  const newestFirst: HistoryEntry[] = [];
  for await (const page of signaturePages(ledger, ledger.programAddress, { until, before: next?.signature })) {
    const known = page.filter((entry) => entry.slot >= slot);
    newestFirst.push(...known.map(entryOf));
    if (known.length < page.length) break;
  }
  return newestFirst.reverse();
}

/**
 * Puts what a node lists, oldest first, in the order in which it ran: until a slot is final, a list may have its transactions in any
 * order. Where the node shows no block, the order of the list stands.
 *
 * @throws LegworkError `ledger_unavailable`
 */
export async function inBlockOrder(ledger: Ledger, listed: readonly Listed[]): Promise<readonly Listed[]> {
  const slots = new Map<bigint, Listed[]>();
  for (const one of listed) {
    const together = slots.get(one.slot);
    if (together === undefined) slots.set(one.slot, [one]);
    else together.push(one);
  }
  const ordered: Listed[] = [];
  for (const [slot, together] of slots) {
    const isSure = together.length === 1 || together.every(({ final }) => final);
    const block = isSure ? [] : await signaturesIn(ledger, slot);
    const places = new Map(block.map((signature, place) => [signature, place]));
    const placeOf = ({ signature }: Listed) => places.get(signature) ?? 0;
    ordered.push(...together.toSorted((one, other) => placeOf(one) - placeOf(other)));
  }
  return ordered;
}

/** The signatures of a block in order; none where this node does not show it. */
async function signaturesIn({ rpc }: Ledger, slot: bigint): Promise<readonly string[]> {
  const how = { commitment: 'confirmed', transactionDetails: 'signatures', rewards: false } as const;
  try {
    return (await ask(rpc.getBlock(slot, how)))?.signatures ?? [];
  } catch (error) {
    if (isLedgerAnswer(error) || (error instanceof Error && isForbidden(error.cause))) return [];
    throw error;
  }
}

interface Shown {
  signature: string;
  slot: bigint;
  err: unknown;
  confirmationStatus: string | null;
}

function entryOf({ signature, slot, err, confirmationStatus }: Shown): HistoryEntry {
  return { signature, slot, failed: err !== null, final: confirmationStatus === 'finalized' };
}
