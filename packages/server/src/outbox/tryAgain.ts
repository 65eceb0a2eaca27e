import type { AppContext } from '../context.js';
import { type LeasedIntent, postponeIntent } from '../db/outbox.js';
import type { TransactionFailure } from '../ledger/transactionFailure.js';

const LONGEST_PAUSE_SEC = 60;

/** A refusal is no end: says so in the log and asks the ledger again after a pause, for as long as it takes. */
export async function tryAgain(
  { db, log }: AppContext,
  intent: LeasedIntent,
  { reason }: TransactionFailure,
): Promise<void> {
  const attempts = intent.attempts + 1;
  log.warn(
    { intent: intent.id, kind: intent.kind, reason, attempts },
    'the ledger refused for now what is still to be done',
  );
  await postponeIntent(db, intent, { pauseSec: Math.min(LONGEST_PAUSE_SEC, 2 ** attempts), attempts, reason });
}
