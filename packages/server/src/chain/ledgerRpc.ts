import { RelayError } from '@agent-relay/protocol';
import { createSolanaRpc, isSolanaError, type PendingRpcRequest, type Rpc, type SolanaRpcApi } from '@solana/kit';

export type LedgerRpc = Rpc<SolanaRpcApi>;

/** A request without an answer after this long counts as unanswered: its effect is unknown, not failed. */
const ANSWER_WITHIN_MS = 10_000;

export function createLedgerRpc(url: string): LedgerRpc {
  return createSolanaRpc(url);
}

/** Whether the ledger answered with an error of its own, as opposed to not answering. */
export function isLedgerAnswer(error: unknown): boolean {
  // JSON-RPC error codes are negative; transport failures are not.
  return isSolanaError(error) && error.context.__code < 0;
}

/**
 * Sends a request with a bound on the wait.
 *
 * @throws RelayError `ledger_unavailable` when no answer came; the ledger's own errors pass through as SolanaError
 */
export async function ask<T>(request: PendingRpcRequest<T>): Promise<T> {
  try {
    return await request.send({ abortSignal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
  } catch (error) {
    if (isLedgerAnswer(error)) throw error;
    const unavailable = new RelayError('ledger_unavailable', 'The ledger did not answer; try again in a moment.');
    unavailable.cause = error;
    throw unavailable;
  }
}
