import { type AnswerOf, type operations, LegworkError } from '@legwork/protocol/contract';
import type { AppContext } from '../context.js';
import { decideRelease, endClaim, isAssignmentDecided } from '../coordinator/taskWork.js';
import type { Trx } from '../db/connect.js';
import { inTransaction } from '../db/transaction.js';
import type { Caller, In, Out } from '../operations/run.js';
import {
  type Holder,
  type LegInTask,
  lockLegOf,
  requireHolder,
  requireLegOf,
  requireOpenTask,
  requireSameHand,
} from './guards.js';

type Answer = AnswerOf<typeof operations.releaseDigitalLeg>;

export async function releaseDigitalLeg(
  context: AppContext,
  input: In<'releaseDigitalLeg'>,
  caller: Caller,
): Out<'releaseDigitalLeg'> {
  const { agentPubkey } = input;
  const holder = { ...input, signed: caller.pubkey === agentPubkey };
  const seen = await requireLegOf(context.db, input);
  // Checked without a lock first: a refusal waits for no other call.
  requireReleasable(seen, holder);
  const answer = await inTransaction(context.db, (trx) => giveBack(context, trx, holder));
  context.wakers.sequencer.wake();
  return { answer };
}

/** @throws LegworkError `not_your_leg`, `signed_before`, `result_submitted`, `invalid_status` */
function requireReleasable(found: LegInTask, holder: Holder): void {
  requireHolder(found, holder);
  requireSameHand(found, holder);
  if (found.leg.result_hash !== null) {
    throw LegworkError.field(
      'result_submitted',
      'legId',
      'names a leg whose result was handed in; it cannot be given back',
    );
  }
  requireOpenTask(found);
  if (found.task.terms === null || found.leg.status !== 'in_progress') return;
  throw LegworkError.field(
    'invalid_status',
    'legId',
    'is bound by terms: leave it with the move vacate (POST /turns/build-tx), which costs nothing before its clock ends',
  );
}

/** A reservation ends at once, without a trace; an assignment ends on the ledger. Rules M-55, M-57, S-59. */
async function giveBack(
  context: AppContext,
  trx: Trx,
  path: { taskId: string; legId: string } & Holder,
): Promise<Answer> {
  const found = await lockLegOf(trx, path);
  requireReleasable(found, path);
  const { task, leg } = found;
  const about = { taskId: task.id, legId: leg.id };
  if (task.terms !== null && (await isAssignmentDecided(trx, leg))) {
    throw LegworkError.field('invalid_status', 'legId', 'is being assigned; leave it with the move vacate in a moment');
  }
  if (leg.status === 'in_progress' || (await isAssignmentDecided(trx, leg))) {
    await decideRelease(context, trx, leg, 'released');
    return { ...about, status: 'in_progress', isBarred: true };
  }
  await endClaim(trx, leg, 'withdrawn');
  return { ...about, status: 'pending', isBarred: false };
}
