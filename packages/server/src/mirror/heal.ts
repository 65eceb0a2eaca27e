import { ask } from '@legwork/program-client/history';
import type { Wakers, AppContext } from '../context.js';
import type { Trx } from '../db/connect.js';
import { appendEvent } from '../db/events.js';
import { dueAgain, forgetReverted, uncoveredBy } from '../db/replays.js';
import { haltedListings } from '../db/finality.js';
import { isAppliedTo } from '../db/ledgerTransactions.js';
import { findListingAccount, isPackage, listingOf, type ListingRow } from '../db/listings.js';
import { agentsOf, forgetReputations, mirrorReputations } from '../agents/reputationRows.js';
import { inTransaction } from '../db/transaction.js';
import { lockListing, legsNow } from '../legs/moveRows.js';
import { isUnavailable } from '../ledger/ledger.js';
import { readReputations } from '../ledger/reputation.js';
import { applyLanded, type Landed } from './applyLanded.js';
import { MisplacedError } from './misfit.js';
import { isWhole, readHistory, replay } from './replay.js';

/** Heals what has halted and can be healed now. One that cannot be holds up no other. */
export async function healHalted(context: AppContext): Promise<void> {
  for (const subject of await haltedListings(context.db)) {
    try {
      const why = await heal(context, subject);
      if (why !== undefined) context.log.info({ subject, why }, 'a halted listing is not healed yet');
    } catch (error) {
      if (isUnavailable(error)) throw error;
      context.log.error({ err: error, subject }, 'a halted listing could not be healed');
    }
  }
}

/**
 * As {@link applyLanded}, but that listings in which the transaction has no place any more are written again, with it.
 *
 * @throws as that does; MisplacedError while one of them cannot be written again
 */
export async function applyOrHeal(context: AppContext, landed: Landed): Promise<void> {
  try {
    await applyLanded(context, landed);
  } catch (error) {
    if (!(error instanceof MisplacedError)) throw error;
    for (const subject of error.subjects) {
      const why = await heal(context, subject, landed.signature);
      if (why !== undefined)
        context.log.warn({ subject, why }, 'a listing that was mirrored out of order is not healed');
    }
    await applyLanded(context, landed);
  }
}

/** Where a listing and its legs stand, in the words of their statuses. */
interface Standing {
  status: string;
  legs: string[];
}

/**
 * Writes a listing again as the final history of the ledger has it, tells what became of it, and ends its halt. Rule S-257.
 *
 * @param late - a transaction that has no place in it as it is mirrored; undefined: the listing is halted
 * @returns why it cannot be healed yet; undefined: it is
 * @throws LegworkError `ledger_unavailable`
 */
export async function heal(context: AppContext, subject: string, late?: string): Promise<string | undefined> {
  const { db, ledger, log, wakers } = context;
  const account = await findListingAccount(db, subject);
  if (account === undefined) return 'there is no such listing';
  const [history, firstSlot] = [await readHistory(context, account), await ask(ledger.rpc.getFirstAvailableBlock())];
  if (!history.isFinal) return 'not all that the ledger shows of it is final';
  if (late !== undefined && !history.landed.some(({ signature }) => signature === late))
    return `this node does not list transaction ${late} of it`;
  const agents = await agentsOf(db, [subject]);
  const finalSlot = await ask(ledger.rpc.getSlot({ commitment: 'finalized' }));
  const readings = agents.length === 0 ? [] : await readReputations(ledger, agents, finalSlot);
  const counted = new Set<string>(readings.map((reading) => reading.agent_pubkey));
  const outcome = await inTransaction(db, async (trx) => {
    const before = await lockListing(trx, subject);
    if (before === undefined) return 'there is no such listing';
    const { oldest, missing } = await uncoveredBy(trx, subject, history.landed);
    if (missing !== undefined) return `transaction ${missing} is here, and not in what this node shows`;
    if (oldest !== undefined && oldest < firstSlot && !isWhole(history, before))
      return 'this node has pruned its history';
    const former = await standingOf(trx, before);
    const reverted = await forgetReverted(trx, subject);
    if (late === undefined && reverted.length === 0) return 'it is not halted any more';
    if (late !== undefined && (await isAppliedTo(trx, late, subject))) return 'it is written again already';
    const after = await replay(context, trx, { subject, history });
    await dueAgain(trx, subject, reverted);
    await mirrorReputations(trx, readings);
    await forgetReputations(
      trx,
      agents.filter((agent) => !counted.has(agent)),
      finalSlot,
    );
    const changes = changesBetween(former, await standingOf(trx, after));
    appendEvent(trx, 'LEDGER_HEALED', subject, { ...listingOf(subject), changes });
    return undefined;
  });
  if (outcome !== undefined) return outcome;
  log.warn({ subject }, 'a listing is healed: it stands as the ledger has it');
  for (const waker of Object.values<Wakers[keyof Wakers]>(wakers)) waker.wake();
  context.mirrored.emit(subject);
  return undefined;
}

async function standingOf(trx: Trx, listing: ListingRow): Promise<Standing> {
  const hasLegs = !isPackage(listing) || listing.formation > 0;
  const legs = hasLegs ? await legsNow(trx, listing) : [];
  return { status: listing.status, legs: legs.map(({ status, stage }) => stage ?? status) };
}

/** The differences between two standings of a listing. */
export function changesBetween(before: Standing, after: Standing) {
  const legs = Array.from({ length: Math.max(before.legs.length, after.legs.length) }, (_, legIndex) => ({
    legIndex,
    was: before.legs[legIndex] ?? 'none',
    is: after.legs[legIndex] ?? 'none',
  }));
  return [{ legIndex: null, was: before.status, is: after.status }, ...legs].filter(({ was, is }) => was !== is);
}
