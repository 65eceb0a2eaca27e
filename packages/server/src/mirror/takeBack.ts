import type { AppContext } from '../context.js';
import { appendEvent } from '../db/events.js';
import { markReverted, type OpenTransaction } from '../db/finality.js';
import { lockListing } from '../legs/moveRows.js';
import { agentsOf, mirrorReputations } from '../agents/reputationRows.js';
import { listingOf } from '../db/listings.js';
import { inTransaction } from '../db/transaction.js';
import { readReputations } from '../ledger/reputation.js';

/**
 * Halts the listings that the transaction is about, and tells: it is certain that the ledger has taken it back. What it did
 * stays as it was shown; only the reputations are read again. Rule S-107.
 */
export async function takeBack(
  { db, ledger, log, metrics, wakers }: AppContext,
  { signature, subjects, instructions }: OpenTransaction,
): Promise<void> {
  const agents = await agentsOf(db, subjects);
  const readings = agents.length === 0 ? [] : await readReputations(ledger, agents);
  const isNew = await inTransaction(db, async (trx) => {
    for (const subject of [...subjects].sort()) await lockListing(trx, subject);
    if (!(await markReverted(trx, signature))) return false;
    await mirrorReputations(trx, readings);
    for (const subject of subjects) {
      for (const name of new Set(instructions)) {
        const instruction = asInProgram(name);
        appendEvent(trx, 'LEDGER_REVERTED', subject, { ...listingOf(subject), instruction, signature });
      }
    }
    return true;
  });
  if (!isNew) return;
  metrics.revertedTransactions.inc();
  const details = { transaction: signature, subjects, instructions };
  log.error(details, 'the ledger took a transaction back: its listings halt');
  wakers.sequencer.wake();
}

/** `confirmLeg` as the program and the wire have it: `confirm_leg`. */
function asInProgram(instruction: string): string {
  return instruction.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
