import { LegworkError } from '@legwork/protocol/contract';
import {
  type Address,
  createSolanaRpc,
  isSolanaError,
  SOLANA_ERROR__JSON_RPC__INTERNAL_ERROR,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_BLOCK_NOT_AVAILABLE,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_BLOCK_STATUS_NOT_AVAILABLE_YET,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_LONG_TERM_STORAGE_UNREACHABLE,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_MIN_CONTEXT_SLOT_NOT_REACHED,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_NODE_UNHEALTHY,
  SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR,
  type PendingRpcRequest,
  type Rpc,
  type SolanaRpcApi,
} from '@solana/kit';

export type LedgerRpc = Rpc<SolanaRpcApi>;

/** The means of reading the program's history: no key. */
export interface ReadLedger {
  rpc: LedgerRpc;
  programAddress: Address;
}

/** A request without an answer after this long counts as unanswered: its effect is unknown, not failed. */
const ANSWER_WITHIN_MS = 10_000;

export function createLedgerRpc(url: string): LedgerRpc {
  return createSolanaRpc(url);
}

/** Errors of a node that is there and cannot say: behind, starting, or in trouble. Another moment, or node, may. */
const NO_ANSWER_CODES: ReadonlySet<number> = new Set([
  SOLANA_ERROR__JSON_RPC__INTERNAL_ERROR,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_BLOCK_NOT_AVAILABLE,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_BLOCK_STATUS_NOT_AVAILABLE_YET,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_LONG_TERM_STORAGE_UNREACHABLE,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_MIN_CONTEXT_SLOT_NOT_REACHED,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_NODE_UNHEALTHY,
]);

/** Returns whether the ledger answered with an error that says something about the request. */
export function isLedgerAnswer(error: unknown): boolean {
  // JSON-RPC error codes are negative; transport failures are not.
  return isSolanaError(error) && error.context.__code < 0 && !NO_ANSWER_CODES.has(error.context.__code);
}

/** Client errors of HTTP that pass: too slow, too early, too often. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 425, 429]);
const NOT_IMPLEMENTED = 501;

/** True if the node's HTTP server refuses what it is asked, and will the next time: not for whom does not pay, or not at all. */
export function isForbidden(cause: unknown): boolean {
  if (!isSolanaError(cause, SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR)) return false;
  const { statusCode } = cause.context;
  return (statusCode < 500 && !PASSING_STATUSES.has(statusCode)) || statusCode === NOT_IMPLEMENTED;
}

/**
 * Sends a request with a bound on the wait.
 *
 * @throws LegworkError `ledger_unavailable` when no answer came; the ledger's own errors pass through as SolanaError
 */
export async function ask<T>(request: PendingRpcRequest<T>): Promise<T> {
  // Not AbortSignal.timeout: it would hold what was answered long ago until its time is over.
  const waiting = new AbortController();
  const late = setTimeout(() => waiting.abort(new DOMException('no answer in time', 'TimeoutError')), ANSWER_WITHIN_MS);
  try {
    return await request.send({ abortSignal: waiting.signal });
  } catch (error) {
    if (isLedgerAnswer(error)) throw error;
    const unavailable = new LegworkError('ledger_unavailable', 'The ledger did not answer; try again in a moment.');
    unavailable.cause = error;
    throw unavailable;
  } finally {
    clearTimeout(late);
  }
}
