import { relayErrorFromCode, type RelayErrorName } from '@legwork/program-client';
import { SYSTEM_ERROR__RESULT_WITH_NEGATIVE_LAMPORTS } from '@solana-program/system';
import {
  getSolanaErrorFromTransactionError,
  isSolanaError,
  SOLANA_ERROR__INSTRUCTION_ERROR__CUSTOM,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE,
  SOLANA_ERROR__TRANSACTION_ERROR__ACCOUNT_NOT_FOUND,
  SOLANA_ERROR__TRANSACTION_ERROR__BLOCKHASH_NOT_FOUND,
  SOLANA_ERROR__TRANSACTION_ERROR__INSUFFICIENT_FUNDS_FOR_FEE,
  type TransactionError,
} from '@solana/kit';

/** Why the ledger refused a transaction, as far as it can be told. */
export interface TransactionFailure {
  /** For people: "Paused: …" or what the runtime said. */
  reason: string;
  /** The program's error, when it was a custom one of its own. */
  relayError: RelayErrorName | undefined;
  /** Index of the instruction that failed; undefined when the transaction as a whole was refused. */
  instructionIndex: number | undefined;
}

/** The refusals that wallets meet most, with what would be right; for the others the runtime's words have to do. */
function inWords(error: unknown): string | undefined {
  if (isSolanaError(error, SOLANA_ERROR__TRANSACTION_ERROR__BLOCKHASH_NOT_FOUND)) {
    return 'its blockhash is too old, or of another ledger; build the transaction again and sign that one';
  }
  return isOutOfFunds(error)
    ? 'the wallet that pays holds too little SOL for it; put in more and try again'
    : undefined;
}

function isOutOfFunds(error: unknown): boolean {
  return (
    isSolanaError(error, SOLANA_ERROR__TRANSACTION_ERROR__ACCOUNT_NOT_FOUND) ||
    isSolanaError(error, SOLANA_ERROR__TRANSACTION_ERROR__INSUFFICIENT_FUNDS_FOR_FEE) ||
    // Of the system program, which the relay program calls: its own codes are above those.
    (isSolanaError(error, SOLANA_ERROR__INSTRUCTION_ERROR__CUSTOM) &&
      error.context.code === SYSTEM_ERROR__RESULT_WITH_NEGATIVE_LAMPORTS)
  );
}

function describe(error: unknown): TransactionFailure {
  if (isSolanaError(error, SOLANA_ERROR__INSTRUCTION_ERROR__CUSTOM)) {
    const known = relayErrorFromCode(error.context.code);
    return {
      reason: known ? `${known.name}: ${known.message}` : (inWords(error) ?? error.message),
      relayError: known?.name,
      instructionIndex: error.context.index,
    };
  }
  const context = isSolanaError(error) ? error.context : {};
  return {
    reason: inWords(error) ?? (error instanceof Error ? error.message : 'the ledger gave no reason'),
    relayError: undefined,
    instructionIndex: 'index' in context && typeof context.index === 'number' ? context.index : undefined,
  };
}

/** Reads the error of a transaction that ran, or was simulated, and failed. */
export function describeTransactionError(error: TransactionError): TransactionFailure {
  return describe(getSolanaErrorFromTransactionError(error));
}

/** The failure that a refused sendTransaction carries; undefined when the error is of another kind. */
export function preflightFailure(error: unknown): TransactionFailure | undefined {
  if (!isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE)) return undefined;
  return describe(error.cause ?? error);
}
