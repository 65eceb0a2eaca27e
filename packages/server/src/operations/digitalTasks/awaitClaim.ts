import { RelayError } from '@legwork/protocol/contract';
import type { AppContext } from '../../context.js';
import type { Db } from '../../db/connect.js';
import { type ClaimState, readClaim } from '../../db/digitalClaims.js';
import type { LegClaim } from '../../db/digitalLegs.js';
import { findLastError } from '../../db/outbox.js';
import { poll } from '../poll.js';

/** An answer waits no longer than this for the ledger. Rules S-57, S-58. */
const ANSWER_WITHIN_MS = 5_000;

/**
 * Waits until the claim is as `isDone` says, for 5 seconds at most. Later it is as far as it is: nothing is lost.
 *
 * @throws RelayError `transaction_failed` when the ledger refused the assignment for good, so that the claim is void (rule M-61);
 *   `not_your_leg` when it was given back meanwhile, or its time ran out
 */
export async function awaitClaim(
  { db }: Pick<AppContext, 'db'>,
  claim: LegClaim,
  isDone: (state: ClaimState) => boolean,
): Promise<void> {
  const state = await poll(
    () => readClaim(db, claim),
    (reading) => reading === undefined || isDone(reading),
    ANSWER_WITHIN_MS,
  );
  if (state === undefined) throw await ending(db, claim);
}

async function ending(db: Db, { id, claim }: LegClaim): Promise<RelayError> {
  const refusal = await findLastError(db, `assign_task_leg:${id}:${claim}`);
  if (refusal === undefined) {
    return RelayError.field('not_your_leg', 'legId', 'was given back meanwhile, or the time for it ran out');
  }
  return RelayError.field(
    'transaction_failed',
    'legId',
    `was claimed, and the ledger refused the assignment (${refusal}); the claim has ended, choose another leg`,
  );
}
