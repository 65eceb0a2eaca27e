import type { Signature } from '@solana/kit';
import { address, signature as toSignature } from '@solana/kit';
import type { HistoryPosition } from '../../db/watcher.js';
import type { Chain } from '../chain.js';
import { ask } from '../ledgerRpc.js';

/** A transaction that names the program, as the ledger lists it. */
export interface HistoryEntry extends HistoryPosition {
  failed: boolean;
  /** Whether nothing can be listed before it any more. */
  final: boolean;
}

const PAGE = 1000;

/**
 * The confirmed transactions that name the program, oldest first.
 *
 * @param after those up to this one are left out; undefined: all there are
 */
export async function historySince(chain: Chain, after: HistoryPosition | undefined): Promise<HistoryEntry[]> {
  const newestFirst: HistoryEntry[] = [];
  let before: Signature | undefined;
  for (;;) {
    const page = await ask(
      chain.rpc.getSignaturesForAddress(address(chain.programAddress), {
        commitment: 'confirmed',
        limit: PAGE,
        ...(after !== undefined && { until: toSignature(after.signature) }),
        ...(before !== undefined && { before }),
      }),
    );
    for (const { signature, slot, err, confirmationStatus } of page) {
      // A node that has lost the transaction to stop at lists everything it has.
      if (after !== undefined && slot < after.slot) return newestFirst.reverse();
      newestFirst.push({ signature, slot, failed: err !== null, final: confirmationStatus === 'finalized' });
    }
    before = page.at(-1)?.signature;
    if (page.length < PAGE || before === undefined) return newestFirst.reverse();
  }
}
