/*
 * A listing is written again from the ledger's history of it: into rows of its own where the database was lost (rebuild), over its
 * rows where the ledger took a fact back (heal).
 *
 *   history of its account → rows as before the listing → each transaction by the mirror's own writers, in the ledger's order → what
 *   the ledger does not know of is put back → what is due again, what is told
 *
 * - There is no second writer: `applying.isReplay` says that what was not decided here counts as the ledger shows it, for the
 *   decision may be lost, and nothing else.
 * - One database transaction under the lock of the listing: whoever reads sees it before or after.
 * - Claims, results and instants of the service survive where the ledger still shows what they belong to.
 */
import { signaturePages } from '@legwork/program-client/history';
import type { AppContext } from '../context.js';
import type { Trx } from '../db/connect.js';
import { coverTransaction, dropToldAgain, lastEventOf } from '../db/replays.js';
import { accountOf, isPackage, type ListingRow } from '../db/listings.js';
import { lockListing } from '../legs/moveRows.js';
import { keepFormerPackage, restoreFormerPackage } from '../packages/formerRows.js';
import { keepFormerTask, restoreFormerTask } from '../tasks/formerRows.js';
import { inBlockOrder } from './history.js';
import { type Landed, type Listed, projectListed, readListed, shownIn } from './applyLanded.js';
import type { Shown } from './projection.js';

/** Read from the ledger side by side. */
const CHUNK = 16;

/** The history of a listing on the ledger, oldest first. */
export interface ListingHistory {
  readonly landed: readonly (Landed & { shown: Shown })[];
  /** Nothing of it can be taken back any more. */
  readonly isFinal: boolean;
  /** Of the last transaction that it lists; undefined: it lists none. */
  readonly newest: string | undefined;
}

/**
 * Reads what the ledger shows of a listing.
 *
 * @param account of the package or the digital task on the ledger
 * @throws LegworkError `ledger_unavailable`
 */
export async function readHistory(context: AppContext, account: string): Promise<ListingHistory> {
  const listed: Listed[] = [];
  for await (const page of signaturePages(context.ledger, account)) {
    for (const { signature, slot, err, confirmationStatus } of page) {
      if (err === null) listed.push({ signature, slot, final: confirmationStatus === 'finalized' });
    }
  }
  const inOrder = await inBlockOrder(context.ledger, listed.reverse());
  const landed: (Landed & { shown: Shown })[] = [];
  for (let from = 0; from < inOrder.length; from += CHUNK) {
    const read = await Promise.all(inOrder.slice(from, from + CHUNK).map((one) => readShown(context, one)));
    landed.push(...read.flatMap((one) => one ?? []));
  }
  return { landed, isFinal: listed.every(({ final }) => final), newest: listed.at(-1)?.signature };
}

async function readShown(context: AppContext, listed: Listed) {
  const landed = await readListed(context, listed);
  return landed?.found && { ...landed, shown: await shownIn(context.ledger, landed.found) };
}

/** Reports whether nothing has landed since the history was read. */
export async function isNewest({ ledger }: AppContext, account: string, { newest }: ListingHistory): Promise<boolean> {
  for await (const page of signaturePages(ledger, account)) {
    const last = page.find(({ err }) => err === null);
    if (last !== undefined) return last.signature === newest;
  }
  return newest === undefined;
}

/**
 * Writes the listing again, in a database transaction of the caller's, which holds the lock of the listing.
 *
 * @param isNew it was drafted in the same transaction: there is nothing to keep aside, and nothing was told
 * @returns the listing as it is now
 */
export async function replay(
  { log, handOff, ledger }: AppContext,
  trx: Trx,
  { subject, history, isNew = false }: { subject: string; history: ListingHistory; isNew?: boolean },
): Promise<ListingRow> {
  const before = await locked(trx, subject);
  const last = isNew ? undefined : await lastEventOf(trx, subject);
  if (!isNew) await (isPackage(before) ? keepFormerPackage(trx, before) : keepFormerTask(trx, before));
  for (const landed of history.landed) {
    const applying = { trx, log, handOff, assets: ledger.assets, isInOrder: true, isReplay: true, ...landed };
    for (const instruction of landed.instructions) {
      await projectListed(applying, await locked(trx, subject), instruction);
    }
    const names = landed.instructions.map(({ name }) => name);
    await coverTransaction(trx, { ...landed, instructions: names, subject, at: landed.shown.at });
  }
  const after = await locked(trx, subject);
  await (isPackage(after) ? restoreFormerPackage : restoreFormerTask)(trx, before.id, !isNew);
  if (last !== undefined) dropToldAgain(trx, subject, last);
  return locked(trx, subject);
}

async function locked(trx: Trx, subject: string): Promise<ListingRow> {
  const listing = await lockListing(trx, subject);
  if (listing === undefined) throw new Error(`there is no ${subject}`);
  return listing;
}

/** True if the history is of this listing from its beginning: a node may have pruned it. */
export function isWhole({ landed }: ListingHistory, listing: ListingRow): boolean {
  return landed.some(({ instructions }) =>
    instructions.some(
      (one) =>
        (one.name === 'listPackage' && one.accounts.package.address === accountOf(listing)) ||
        (one.name === 'listTask' && one.accounts.task.address === accountOf(listing)),
    ),
  );
}
