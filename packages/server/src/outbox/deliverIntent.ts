import { RelayError } from '@legwork/protocol/contract';
import type { AppContext } from '../context.js';
import {
  discardSigned,
  type LeasedIntent,
  LeaseLost,
  persistSigned,
  postponeIntent,
  renewLease,
  type SignedIntent,
} from '../db/outbox.js';
import type { IntentKind } from '../db/schema.js';
import type { TransactionFailure } from '../ledger/transactionFailure.js';
import { assignTaskLegIntent } from './assignTaskLegIntent.js';
import { broadcast } from './broadcast.js';
import { confirmTaskLegIntent } from './confirmTaskLegIntent.js';
import { formSwarmIntent } from './formSwarmIntent.js';
import type { IntentHandler } from './intentHandler.js';
import { listPackageIntent } from './listPackageIntent.js';
import { listTaskIntent } from './listTaskIntent.js';
import { cancelPackageIntent, closePackageIntent, reclaimPackageIntent } from './packageExitIntents.js';
import { releaseTaskLegIntent } from './releaseTaskLegIntent.js';
import { settleIntent } from './settleIntent.js';
import { settleTaskIntent } from './settleTaskIntent.js';
import { signIntent } from './signIntent.js';
import { cancelTaskIntent, closeTaskIntent, reclaimTaskIntent } from './taskExitIntents.js';

const HANDLERS: Record<IntentKind, IntentHandler> = {
  form_swarm: formSwarmIntent,
  settle: settleIntent,
  list_package: listPackageIntent,
  cancel_package: cancelPackageIntent,
  reclaim_package: reclaimPackageIntent,
  close_package: closePackageIntent,
  list_task: listTaskIntent,
  assign_task_leg: assignTaskLegIntent,
  release_task_leg: releaseTaskLegIntent,
  confirm_task_leg: confirmTaskLegIntent,
  settle_task: settleTaskIntent,
  cancel_task: cancelTaskIntent,
  reclaim_task: reclaimTaskIntent,
  close_task: closeTaskIntent,
};

/** How long a worker holds an intent without a sign of life; another one takes it over after that. */
export const LEASE_SEC = 8;
const RENEW_EVERY_MS = 2_000;
/**
 * After this many attempts that came to nothing (expired, failed or refused for a reason that might pass) a formation is
 * given up: the package may find another chain. So is an assignment, and others may have the leg; and a listing, for which a
 * caller waits. What is not named here is owed, and tried for as long as it takes.
 */
const MAX_ATTEMPTS: Partial<Record<IntentKind, number>> = {
  form_swarm: 10,
  assign_task_leg: 10,
  list_package: 4,
  list_task: 4,
};
const LONGEST_PAUSE_SEC = 60;
const UNAVAILABLE_PAUSE_SEC = 1;
const WITHOUT_FUNDS_PAUSE_SEC = 2;

function signedPart(intent: LeasedIntent): SignedIntent | undefined {
  const { signature, transaction, last_valid_block_height: lastValidBlockHeight } = intent;
  if (signature === null || transaction === null || lastValidBlockHeight === null) return undefined;
  return { signature, transaction, lastValidBlockHeight };
}

/** A refusal by the program is final; one by the runtime (no funds for the fee, say) may pass and is tried again. */
async function refuse(context: AppContext, intent: LeasedIntent, failure: TransactionFailure): Promise<void> {
  if (failure.relayError !== undefined || intent.attempts + 1 >= (MAX_ATTEMPTS[intent.kind] ?? Infinity)) {
    await HANDLERS[intent.kind].refused(context, intent, failure);
    context.metrics.intents.inc({ kind: intent.kind, outcome: 'refused' });
    return;
  }
  context.metrics.intents.inc({ kind: intent.kind, outcome: 'retried' });
  context.log.warn(
    { intent: intent.id, kind: intent.kind, reason: failure.reason },
    'intent refused, will be tried again',
  );
  const pauseSec = Math.min(LONGEST_PAUSE_SEC, 2 ** intent.attempts);
  return postponeIntent(context.db, intent, { pauseSec, attempts: intent.attempts + 1, reason: failure.reason });
}

async function signAndPersist(context: AppContext, intent: LeasedIntent): Promise<SignedIntent | undefined> {
  const instructions = await HANDLERS[intent.kind].instructions(context, intent);
  if (instructions === undefined) {
    context.metrics.intents.inc({ kind: intent.kind, outcome: 'delivered' });
    return undefined;
  }
  const [signing, isOwedOrAffordable] = await Promise.all([
    signIntent(context.ledger, instructions),
    intent.cost_lamports === 0n || context.funds.isAboveFloorAfter(intent.cost_lamports),
  ]);
  if (!isOwedOrAffordable) {
    // What is left is for what is owed. Does not count as an attempt: whatever the ledger said, it was not asked to do it.
    const reason = 'the coordinator is too low on funds to begin anything';
    await postponeIntent(context.db, intent, { pauseSec: WITHOUT_FUNDS_PAUSE_SEC, reason });
    return undefined;
  }
  if ('refused' in signing) {
    await refuse(context, intent, signing.refused);
    return undefined;
  }
  await persistSigned(context.db, intent, signing.signed);
  return signing.signed;
}

async function carryOut(context: AppContext, intent: LeasedIntent, goOn: () => void): Promise<void> {
  const signed = signedPart(intent) ?? (await signAndPersist(context, intent));
  if (!signed) return;
  const outcome = await broadcast(context.ledger, signed, goOn);
  if (outcome.kind === 'landed') {
    await HANDLERS[intent.kind].landed(context, intent, signed.signature);
    context.metrics.intents.inc({ kind: intent.kind, outcome: 'delivered' });
    return;
  }
  // Only bytes that failed or expired may be replaced by others; both are final here.
  await discardSigned(context.db, intent, outcome.kind);
  const failure =
    outcome.kind === 'failed'
      ? outcome.failure
      : { reason: 'the transaction expired before it landed', relayError: undefined, instructionIndex: undefined };
  return refuse(context, intent, failure);
}

/** Keeps the lease while `work` runs; `goOn` throws once the lease is lost or the worker is stopping. */
async function underLease(
  context: AppContext,
  intent: LeasedIntent,
  stopping: AbortSignal,
  work: (goOn: () => void) => Promise<void>,
): Promise<void> {
  let lost: unknown;
  const renewal = setInterval(() => {
    renewLease(context.db, intent, LEASE_SEC).catch((error: unknown) => {
      if (error instanceof LeaseLost) lost = error;
      else context.log.warn({ err: error, intent: intent.id }, 'lease not renewed');
    });
  }, RENEW_EVERY_MS);
  try {
    await work(() => {
      stopping.throwIfAborted();
      if (lost !== undefined) throw lost;
    });
  } finally {
    clearInterval(renewal);
  }
}

/**
 * Carries one leased intent as far as it goes: sign, persist, send, wait for certainty, effects.
 * Whatever interrupts it leaves the row so that the next worker goes on at the same place.
 */
export async function deliverIntent(context: AppContext, intent: LeasedIntent, stopping: AbortSignal): Promise<void> {
  try {
    await underLease(context, intent, stopping, (goOn) => carryOut(context, intent, goOn));
  } catch (error) {
    if (!(error instanceof RelayError && error.code === 'ledger_unavailable')) throw error;
    // Unknown is not failed: the same bytes again when the ledger is back. Does not count as an attempt.
    await postponeIntent(context.db, intent, { pauseSec: UNAVAILABLE_PAUSE_SEC, reason: error.message });
  }
}
