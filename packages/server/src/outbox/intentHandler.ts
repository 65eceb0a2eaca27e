import type { Returning } from '@legwork/program-client';
import type { AppContext } from '../context.js';
import { findTask } from '../tasks/taskRows.js';
import { finishIntent, type LeasedIntent, postponeIntent, swarmIdOf } from '../db/outbox.js';
import { findPackage } from '../packages/packageRows.js';
import type { DigitalTaskRow, PackageRow } from '../db/schema.js';
import { listingOf } from '../db/listings.js';
import { findSwarm, type SwarmWithLegs } from '../packages/swarmRows.js';
import { inTransaction } from '../db/transaction.js';
import type { TransactionFailure } from '../ledger/submitTransaction.js';

/** The work of one kind of intent on the ledger. The mirror writes the consequences of its landing. */
export interface IntentHandler {
  policy: RetryPolicy;
  /** Returns the instructions to sign, as if they were about SOL, and the listing by whose asset they pay; undefined when there is nothing left to do. */
  instructions: (context: AppContext, intent: LeasedIntent) => Promise<ToSign | undefined>;
  /**
   * The program said no, or the tries that `policy` grants are used up, and all that the ledger shows of the listing is
   * applied. Ends the intent in the same database transaction as the effects of that, or postpones it.
   */
  refused: (context: AppContext, intent: LeasedIntent, failure: TransactionFailure) => Promise<void>;
}

/** The instructions that an intent asks the ledger to run. */
export interface ToSign {
  about: { asset: number };
  instructions: readonly Returning[];
}

/** When an intent is given up; both limits count its `attempts`. */
export interface RetryPolicy {
  /** After this many tries that came to nothing (expired, failed or refused for a reason that might pass) it is refused. */
  tries: number;
  /** After this many tries ended by an unexpected error it stops, visibly: an operator has to look. */
  surprises: number;
}

/** For what is owed, or what others wait behind: it is tried for as long as it takes. */
export const UNTIL_DONE: RetryPolicy = { tries: Infinity, surprises: Infinity };

const LONGEST_PAUSE_SEC = 60;

/** Returns the pause before the next try, in seconds: it doubles up to a minute. */
export function pauseAfter(tries: number): number {
  return Math.min(LONGEST_PAUSE_SEC, 2 ** tries);
}

/** Does not take no for an answer: logs the refusal and asks the ledger again after a pause. */
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
  await postponeIntent(db, intent, { pauseSec: pauseAfter(attempts), attempts, reason });
}

/** Ends an intent that has nothing left to do: it is void, or the ledger has shown it already. */
export async function nothingLeft({ db }: AppContext, intent: LeasedIntent): Promise<void> {
  await inTransaction(db, (trx) => finishIntent(trx, intent, 'there was nothing left to do'));
}

/** Returns the package that the intent is about. */
export async function packageOf({ db }: Pick<AppContext, 'db'>, { id, subject }: LeasedIntent): Promise<PackageRow> {
  const listing = listingOf(subject);
  const parcel = 'packageId' in listing ? await findPackage(db, listing.packageId) : undefined;
  if (!parcel) throw new Error(`intent ${id} names a package that does not exist`);
  return parcel;
}

/** Returns the digital task that the intent is about, or one of its legs. */
export async function taskOf({ db }: Pick<AppContext, 'db'>, { id, subject }: LeasedIntent): Promise<DigitalTaskRow> {
  const listing = listingOf(subject);
  const task = 'taskId' in listing ? await findTask(db, listing.taskId) : undefined;
  if (!task) throw new Error(`intent ${id} names a digital task that does not exist`);
  return task;
}

/** Returns the swarm that the intent is about. */
export async function swarmOf({ db }: Pick<AppContext, 'db'>, intent: LeasedIntent): Promise<SwarmWithLegs> {
  const swarm = await findSwarm(db, swarmIdOf(intent));
  if (!swarm) throw new Error(`intent ${intent.id} names a swarm that does not exist`);
  return swarm;
}
