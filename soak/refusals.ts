import { LedgerRefusedError, LegworkApiError, LegworkNetworkError, TransactionRefusedError } from '@legwork/sdk';
import { isSolanaError, SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR } from '@solana/kit';

/** Refusals that say "not now"; a node from behind does not show yet what is confirmed, and what is halted is healed. */
const NOT_YET: ReadonlySet<Refusal> = new Set([
  'idempotency_in_progress',
  'rate_limited',
  'not_confirmed_on_chain',
  'ledger_reverted',
]);

/** Refusals of what cannot be sent, or be paid for, while an account of a token is frozen, or not any more. */
export const FROZEN: ReadonlySet<Refusal> = new Set(['transaction_failed', 'wrong_transaction']);

/** No answer, or an answer that says "not now": the same again. */
export function isTransient(error: unknown): boolean {
  if (error instanceof LegworkNetworkError) return true;
  if (error instanceof LegworkApiError) {
    return error.status >= 500 || NOT_YET.has(error.code);
  }
  // A transaction that expired while nobody answered; the program's own refusals are final.
  if (error instanceof LedgerRefusedError) return error.programError === undefined;
  // The agents' own way to the ledger.
  return error instanceof TypeError || isSolanaError(error, SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR);
}

/** The services show a leg of a fork, which they bring to the ledger once they have left that. */
export const isAhead = (error: unknown): boolean =>
  error instanceof TransactionRefusedError && error.message.startsWith('the ledger has no leg');

/** The code of a refusal. */
export type Refusal = LegworkApiError['code'];
