import { setTimeout as sleep } from 'node:timers/promises';
import { type RelayInstruction, relayErrorFromCode, type RelayErrorName } from '@legwork/program-client';
import { LegworkError } from '@legwork/protocol/contract';
import {
  assertIsFullySignedTransaction,
  getBase64Encoder,
  getSignatureFromTransaction,
  getTransactionDecoder,
  isSolanaError,
  SOLANA_ERROR__TRANSACTION_ERROR__ALREADY_PROCESSED,
  type Base64EncodedWireTransaction,
  type Signature,
  getSolanaErrorFromTransactionError,
  SOLANA_ERROR__INSTRUCTION_ERROR__CUSTOM,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE,
  SOLANA_ERROR__TRANSACTION_ERROR__ACCOUNT_NOT_FOUND,
  SOLANA_ERROR__TRANSACTION_ERROR__BLOCKHASH_NOT_FOUND,
  SOLANA_ERROR__TRANSACTION_ERROR__INSUFFICIENT_FUNDS_FOR_FEE,
  type TransactionError,
} from '@solana/kit';
import { instructionsIn } from './compile.js';
import type { Ledger } from './ledger.js';
import { ask, isLedgerAnswer } from '@legwork/program-client/history';
import { SYSTEM_ERROR__RESULT_WITH_NEGATIVE_LAMPORTS } from '@solana-program/system';

/** A transaction that a wallet signed and gave to the service. */
export interface WalletTransaction {
  wire: Base64EncodedWireTransaction;
  signature: Signature;
  /** The program's instructions in it. */
  instructions: RelayInstruction[];
}

const CONFIRM_WITHIN_MS = 30_000;
const POLL_MS = 100;

/** Decodes a base64 wire transaction. @throws LegworkError `wrong_transaction` when it is not one, or not fully signed */
export function decodeWalletTransaction(ledger: Ledger, base64: string): WalletTransaction {
  const transaction = readable(() => getTransactionDecoder().decode(getBase64Encoder().encode(base64)));
  const unsigned = Object.entries(transaction.signatures).flatMap(([key, bytes]) => (bytes === null ? [key] : []));
  if (unsigned.length > 0) {
    const message = `is not fully signed: the signature of ${unsigned.join(', ')} is missing`;
    throw LegworkError.field('wrong_transaction', 'transaction', message);
  }
  assertIsFullySignedTransaction(transaction);
  return {
    wire: base64 as Base64EncodedWireTransaction,
    signature: readable(() => getSignatureFromTransaction(transaction)),
    instructions: readable(() => instructionsIn(ledger.programAddress, transaction)),
  };
}

/** Reads bytes from outside; a codec's own error about them would not help their sender. @throws LegworkError `wrong_transaction` */
function readable<T>(read: () => T): T {
  try {
    return read();
  } catch {
    const message = 'is no transaction: send the one that was built for you, signed and in base64';
    throw LegworkError.field('wrong_transaction', 'transaction', message);
  }
}

/**
 * Sends signed bytes, new ones or the same again. What the ledger says to that its status says better.
 *
 * @param skipPreflight false: only if they would succeed as things stand
 */
export async function sendSigned(
  { rpc }: Pick<Ledger, 'rpc'>,
  bytes: Buffer,
  { skipPreflight } = { skipPreflight: true },
): Promise<void> {
  const wire = bytes.toString('base64') as Base64EncodedWireTransaction;
  const options = { encoding: 'base64', maxRetries: 0n, preflightCommitment: 'confirmed', skipPreflight } as const;
  try {
    await ask(rpc.sendTransaction(wire, options));
  } catch (error) {
    if (!isLedgerAnswer(error)) throw error;
  }
}

/**
 * Sends a wallet's transaction and waits until the ledger shows it confirmed. Sending the same bytes again is harmless.
 *
 * @returns the signature
 * @throws LegworkError `transaction_failed` when the ledger refused it, `not_confirmed_on_chain` when it is still unknown
 */
export async function submitAndConfirm(ledger: Ledger, transaction: WalletTransaction): Promise<string> {
  const { signature, wire } = transaction;
  try {
    await ask(ledger.rpc.sendTransaction(wire, { encoding: 'base64', preflightCommitment: 'confirmed' }));
  } catch (error) {
    if (!isLedgerAnswer(error)) throw error;
    if (!isAlreadyProcessed(error)) {
      // Bytes whose blockhash has expired are refused even if they landed in time and the answer was lost.
      if (await hasLanded(ledger, signature)) return signature;
      const reason = preflightFailure(error)?.reason ?? (error instanceof Error ? error.message : String(error));
      throw LegworkError.field('transaction_failed', 'transaction', reason);
    }
  }
  const until = Date.now() + CONFIRM_WITHIN_MS;
  for (;;) {
    if (await hasLanded(ledger, signature)) return signature;
    if (Date.now() > until) {
      throw LegworkError.field(
        'not_confirmed_on_chain',
        'transaction',
        `${signature} was sent and is not confirmed yet; repeat the call`,
      );
    }
    await sleep(POLL_MS);
  }
}

/** Returns whether the ledger shows it confirmed. @throws LegworkError `transaction_failed` when it shows that it failed */
async function hasLanded(ledger: Ledger, signature: Signature): Promise<boolean> {
  const { value } = await ask(ledger.rpc.getSignatureStatuses([signature], { searchTransactionHistory: true }));
  const status = value[0];
  if (!status || status.confirmationStatus === 'processed') return false;
  if (status.err === null) return true;
  throw LegworkError.field('transaction_failed', 'transaction', describeTransactionError(status.err).reason);
}

function isAlreadyProcessed(error: unknown): boolean {
  return error instanceof Error && isSolanaError(error.cause, SOLANA_ERROR__TRANSACTION_ERROR__ALREADY_PROCESSED);
}

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
function preflightFailure(error: unknown): TransactionFailure | undefined {
  if (!isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE)) return undefined;
  return describe(error.cause ?? error);
}
