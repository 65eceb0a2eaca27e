import { isLedgerAnswer } from '@legwork/program-client/history';
import type { AppContext } from '../context.js';
import { correctInstants, movedAmong } from './instants.js';
import type { HistoryPosition } from '../db/ledgerTransactions.js';
import { lockListing } from '../legs/moveRows.js';
import { inTransaction } from '../db/transaction.js';
import { readBlockTime } from '../ledger/ledger.js';

/**
 * Before final transactions get their places: one that was applied as a fork showed it, and is final in another slot, began the
 * clocks of its legs with that slot. Where the node has pruned the block, the instants stay as they were told. Rule S-115.
 *
 * @throws LegworkError `ledger_unavailable`
 */
export async function takeFinalSlots(
  { db, ledger, log }: AppContext,
  final: readonly HistoryPosition[],
): Promise<void> {
  for (const { signature, slot, subjects } of await movedAmong(db, final)) {
    const at = await readBlockTime(ledger, slot).catch((error: unknown) => {
      if (isLedgerAnswer(error)) return undefined;
      throw error;
    });
    if (at === undefined) {
      log.warn({ transaction: signature, slot }, 'this node does not show when a transaction became final');
      continue;
    }
    await inTransaction(db, async (trx) => {
      for (const subject of [...subjects].sort()) {
        const listing = await lockListing(trx, subject);
        if (listing && listing.terms !== null) await correctInstants(trx, listing, signature, at);
      }
    });
    log.info({ transaction: signature, slot }, 'a transaction is final in another slot than it was confirmed in');
  }
}
