import { relayErrorFromCode } from '@legwork/program-client';
import { isForbidden, isLedgerAnswer } from '@legwork/program-client/history';
import {
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  isSolanaError,
  SOLANA_ERROR__INSTRUCTION_ERROR__CUSTOM,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE,
  unwrapSimulationError,
} from '@solana/kit';
import type {
  GetBalanceApi,
  GetBlockHeightApi,
  GetSignatureStatusesApi,
  Rpc,
  SendTransactionApi,
  Signature,
} from '@solana/kit';
import { LedgerRefusedError, LegworkNetworkError } from '../errors.js';
import { hasLanded } from '../landed.js';
import { pause } from '../pause.js';
import { neverLeft } from '../transport.js';
import { decodeWire } from './readTransaction.js';

/** The RPC methods that sending needs; `ledgerRpc(url)` has them. */
export type SendRpc = Rpc<SendTransactionApi & GetSignatureStatusesApi & GetBlockHeightApi & GetBalanceApi>;

const FIRST_PAUSE_MS = 40;
const LONGEST_PAUSE_MS = 1_000;
const RESEND_AFTER_MS = 2_000;
/** So long a ledger that has the transaction, or may have it, may be silent. */
const SILENT_MS = 20_000;
/** No transaction lives longer, whatever its builder says: so many blocks from the newest blockhash. */
const LIFE_BLOCKS = 150n;

/**
 * Sends a signed transaction and waits until the ledger has confirmed it. The same bytes are sent again while they are
 * valid, so a lost packet does not matter, and a transaction that was sent before is only waited for.
 *
 * @param base64 the signed wire transaction
 * @param lastValidBlockHeight the height after which it can no longer land; it bounds the wait
 * @returns its signature
 * @throws {LedgerRefusedError} when the ledger refuses it or it expires
 * @throws {LegworkNetworkError} when the ledger has it, or may have it, and does not answer for 20 seconds; with `ledgerRpc`, also when
 * nothing listens there, so that nothing was sent
 */
export async function sendTransaction(
  rpc: SendRpc,
  base64: string,
  lastValidBlockHeight: number,
  signal?: AbortSignal,
): Promise<Signature> {
  const transaction = decodeWire(base64);
  const signature = getSignatureFromTransaction(transaction);
  const bytes = getBase64EncodedWireTransaction(transaction);
  const call = signal === undefined ? {} : { abortSignal: signal };
  const broadcast = (skipPreflight: boolean) =>
    rpc.sendTransaction(bytes, { encoding: 'base64', maxRetries: 0n, skipPreflight }).send(call);
  await broadcast(false).catch((error: unknown) => {
    const isOver = signal?.aborted === true || isLedgerAnswer(error) || isForbidden(error) || neverLeft(error);
    // Without an answer it may have come through: what becomes of it is asked for below.
    if (isOver) throw toLedgerError(error);
  });
  const look = () => lookFor(rpc, signature, call);
  const resend = () => broadcast(true).catch(() => undefined);
  await untilConfirmed({ signature, lastHeight: BigInt(lastValidBlockHeight), look, resend }, signal);
  return signature;
}

/** A transaction that the ledger has, or may have. */
interface Sent {
  readonly signature: Signature;
  /** The height after which it can no longer land. */
  readonly lastHeight: bigint;
  readonly look: () => Promise<Seen>;
  readonly resend: () => Promise<unknown>;
}

/** The ledger has confirmed it, or processed it, or had this height after it showed nothing of it. */
type Seen = 'confirmed' | 'processed' | bigint;

async function lookFor(rpc: SendRpc, signature: Signature, call: { abortSignal?: AbortSignal }): Promise<Seen> {
  const isThere = await hasLanded(rpc, signature, call);
  if (isThere !== undefined) return isThere ? 'confirmed' : 'processed';
  return rpc.getBlockHeight({ commitment: 'confirmed' }).send(call);
}

async function untilConfirmed({ signature, look, resend, ...sent }: Sent, signal: AbortSignal | undefined) {
  let { lastHeight } = sent;
  let [sentAt, heardAt] = [Date.now(), Date.now()];
  let isOver = false;
  for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
    const seen = await look().catch((error: unknown) => {
      // It may have landed: a ledger that is silent for a moment says nothing about that.
      const isSilent = !(error instanceof LedgerRefusedError) && signal?.aborted !== true;
      if (isSilent && Date.now() - heardAt < SILENT_MS) return undefined;
      throw isSilent ? silent(signature, error) : error;
    });
    if (seen === 'confirmed') return;
    if (seen !== undefined) heardAt = Date.now();
    if (typeof seen === 'bigint') {
      if (isOver) throw new LedgerRefusedError(`transaction ${signature} expired before the ledger took it`, undefined);
      if (lastHeight > seen + LIFE_BLOCKS) lastHeight = seen + LIFE_BLOCKS;
      isOver = seen > lastHeight;
      // What landed before this height was read is found by one more look.
      if (isOver) continue;
    }
    await pause(wait, signal);
    if (Date.now() - sentAt > RESEND_AFTER_MS) {
      // Only the status decides: a resend that is refused as already processed is no failure.
      await resend();
      sentAt = Date.now();
    }
  }
}

/** Nobody knows whether it landed; who repeats the call finds out. */
function silent(signature: Signature, cause: unknown): LegworkNetworkError {
  const text = `the ledger has transaction ${signature}, or may have it, and does not answer: whether it landed is not known yet; call again`;
  return new LegworkNetworkError(text, { cause });
}

/** The ledger's own refusal in words; any other error stays as it is. */
function toLedgerError(error: unknown): unknown {
  if (!isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE)) return error;
  const reason = unwrapSimulationError(error);
  const known = isSolanaError(reason, SOLANA_ERROR__INSTRUCTION_ERROR__CUSTOM)
    ? relayErrorFromCode(reason.context.code)
    : undefined;
  const words = known ? `${known.name}: ${known.message}` : reason instanceof Error ? reason.message : String(reason);
  return new LedgerRefusedError(`the ledger refused the transaction: ${words}`, known?.name, { cause: error });
}
