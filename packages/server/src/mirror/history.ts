import type { HistoryPosition } from '../db/appliedInstructions.js';
import type { Ledger } from '../ledger/ledger.js';
import { signaturePages } from '@legwork/program-client/history';

/** A transaction that names the program, as the ledger lists it. */
export interface HistoryEntry extends HistoryPosition {
  failed: boolean;
  /** Whether nothing can be listed before it any more. */
  final: boolean;
}

/**
 * The confirmed transactions that name the program, oldest first.
 *
 * @param after those up to this one are left out; undefined: all there are
 */
export async function historySince(ledger: Ledger, after: HistoryPosition | undefined): Promise<HistoryEntry[]> {
  const newestFirst: HistoryEntry[] = [];
  for await (const page of signaturePages(ledger, ledger.programAddress, after?.signature)) {
    for (const { signature, slot, err, confirmationStatus } of page) {
      // A node that has lost the transaction to stop at lists everything it has.
      if (after !== undefined && slot < after.slot) return newestFirst.reverse();
      newestFirst.push({ signature, slot, failed: err !== null, final: confirmationStatus === 'finalized' });
    }
  }
  return newestFirst.reverse();
}
