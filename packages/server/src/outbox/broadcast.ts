import { setTimeout as sleep } from 'node:timers/promises';
import { signature as toSignature } from '@solana/kit';
import type { SignedIntent } from '../db/outbox.js';
import type { Ledger } from '../ledger/ledger.js';
import { ask } from '@legwork/program-client/history';
import { sendSigned, describeTransactionError, type TransactionFailure } from '../ledger/submitTransaction.js';

/** The outcome of signed bytes. Unknown is not an outcome: broadcasting goes on until one of these is certain. */
export type BroadcastOutcome =
  | { kind: 'landed'; slot: bigint; isFinal: boolean }
  | { kind: 'failed'; failure: TransactionFailure }
  | { kind: 'expired' }
  /** They are not sent now, lest they land before what goes before them; those that were sent may land all the same. */
  | { kind: 'held' };

/** The known facts about bytes before they are sent. */
export interface Known {
  /** They were signed just now: nobody has sent them yet, and what goes before them was there. */
  isNew?: boolean;
  /** Asked before they are sent, other than for the first time: whether the ledger does not show now what goes before them. */
  isHeld?: () => Promise<boolean>;
}

const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 500;
const REBROADCAST_EVERY_MS = 2_000;

async function outcomeOf(
  ledger: Ledger,
  signed: SignedIntent,
  searchHistory: boolean,
): Promise<BroadcastOutcome | undefined> {
  const { value } = await ask(
    ledger.rpc.getSignatureStatuses([toSignature(signed.signature)], { searchTransactionHistory: searchHistory }),
  );
  const status = value[0];
  if (!status || status.confirmationStatus === 'processed') return undefined;
  return status.err === null
    ? { kind: 'landed', slot: status.slot, isFinal: status.confirmationStatus === 'finalized' }
    : { kind: 'failed', failure: describeTransactionError(status.err) };
}

/** Returns `expired` once the bytes can never land: their last valid block is final and no history shows them. */
async function settleExpiry(ledger: Ledger, signed: SignedIntent): Promise<BroadcastOutcome | undefined> {
  const height = await ask(ledger.rpc.getBlockHeight({ commitment: 'finalized' }));
  if (height <= signed.lastValidBlockHeight) return undefined;
  return (await outcomeOf(ledger, signed, true)) ?? { kind: 'expired' };
}

/**
 * Sends the same bytes, again and again, until the ledger shows them confirmed or failed, or until they have provably
 * expired. While the ledger does not show what goes before them they are not sent, lest they land first. `goOn` is asked between
 * the polls and throws to stop. Rule S-104.
 *
 * @throws LegworkError `ledger_unavailable` when the ledger does not answer: the outcome is then still unknown
 */
export async function broadcast(
  ledger: Ledger,
  signed: SignedIntent,
  goOn: () => void,
  { isNew = false, isHeld }: Known = {},
): Promise<BroadcastOutcome> {
  let sentAt = 0;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    if (Date.now() - sentAt >= REBROADCAST_EVERY_MS) {
      const isFirst = sentAt === 0;
      // A restarted worker finds bytes that may have landed long ago: ask before sending.
      const known = isFirst ? !isNew && (await outcomeOf(ledger, signed, true)) : await settleExpiry(ledger, signed);
      if (known) return known;
      if (!(isFirst && isNew) && (await isHeld?.()) === true) return { kind: 'held' };
      await sendSigned(ledger, signed.transaction);
      sentAt = Date.now();
    }
    const outcome = await outcomeOf(ledger, signed, false);
    if (outcome) return outcome;
    goOn();
    await sleep(pause);
  }
}
