import type { Instruction } from '@solana/kit';
import type { AppContext } from '../context.js';
import type { LeasedIntent } from '../db/outbox.js';
import type { TransactionFailure } from '../ledger/transactionFailure.js';

/**
 * What one kind of intent does on the ledger and what follows from it. `landed` and `refused` end the intent in the
 * same database transaction as their effects, so that they happen exactly once.
 */
export interface IntentHandler {
  /** The instructions to sign; undefined when there is nothing left to do and the intent has been ended. */
  instructions: (context: AppContext, intent: LeasedIntent) => Promise<Instruction[] | undefined>;
  /** The transaction is confirmed. */
  landed: (context: AppContext, intent: LeasedIntent, signature: string) => Promise<void>;
  /** The program, or the last of many tries, said no. */
  refused: (context: AppContext, intent: LeasedIntent, failure: TransactionFailure) => Promise<void>;
}
