import { RelayError } from '@agent-relay/protocol';
import type { RelayInstruction } from '@agent-relay/program-client';
import type { Chain } from '../chain/chain.js';
import { findLanded } from '../chain/landedTransaction.js';
import { describeTransactionError } from '../chain/transactionFailure.js';

/**
 * The program's instructions in the confirmed transaction that a caller names by its signature.
 *
 * @param builtBy the route that builds such a transaction, for callers who need another one
 * @throws RelayError `not_confirmed_on_chain`, or `transaction_failed` when it is confirmed to have failed
 */
export async function requireLanded(
  chain: Chain,
  signature: string,
  builtBy: string,
): Promise<readonly RelayInstruction[]> {
  const landed = await findLanded(chain, signature);
  if (!landed) {
    throw RelayError.field(
      'not_confirmed_on_chain',
      'signature',
      `the ledger does not show this transaction as confirmed; wait until it is and repeat the call, or build a new one with ${builtBy} when its lastValidBlockHeight has passed`,
    );
  }
  if (landed.error !== null) {
    throw RelayError.field(
      'transaction_failed',
      'signature',
      `is of a transaction that failed on the ledger (${describeTransactionError(landed.error).reason}); build a new one with ${builtBy}`,
    );
  }
  return landed.instructions;
}
