/*
 * The outbox carries what the coordinator decided to the ledger.
 *
 * A decision and its intent are written in one database transaction (coordinator/decisions). From then on a crash forgets nothing: the
 * intent is a row, and the worker that leases it goes on where the last one stopped.
 *
 *   decided → leased → signed → stored → sent → certain → mirrored
 *
 * - One intent of a subject is under way at a time, in the order of the decisions: two formations of one package never race.
 * - A lease lasts a few seconds and is renewed while its worker lives. It is fenced: a worker that has lost it can write nothing any more.
 * - Before it signs, `verifyDecision` proves that this coordinator decided exactly this. The database is not the coordinator: somebody who can
 *   write rows must not be able to spend its money (decision 0021).
 * - The signed bytes are stored before they are sent. The same bytes are sent until the ledger shows them, or until they can
 *   provably never land; only then are others signed. That is why nothing is ever paid twice.
 * - Unknown is not failed. A ledger that does not answer postpones the intent, and counts as no try.
 * - What landed is written by the mirror alone, in the transaction that ends the intent. A handler says which instructions an intent
 *   takes and what a refusal means; it never writes what a landing means.
 *
 * Polling finds every intent that is due. The hand-off only spares the look for one that is leased as it is written, and the waker
 * the wait; both may be lost without harm.
 *
 * Invariants: decision and intent in one transaction, bytes before sending, fenced leases, one writer of what landed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { AppContext } from '../context.js';
import {
  failIntent,
  type LeasedIntent,
  LeaseLostError,
  leaseNext,
  postponeIntent,
  releaseLease,
} from '../db/outbox.js';
import { listingOf } from '../db/listings.js';
import { type Loop, startLoop } from '../loop.js';
import { deliverIntent } from './deliverIntent.js';
import { LEASE_SEC } from './handOff.js';
import { HANDLERS } from './handlers.js';
import { pauseAfter } from './intentHandler.js';
import { type Start, trace } from '../tracing/spans.js';

/** Intents that one replica carries at a time. */
const CONCURRENCY = 8;
const POLL_MS = 500;
const DRAIN_MS = 5_000;

/** Starts carrying intents to the ledger. Stopping gives every lease back. */
export function startOutboxWorker(context: AppContext): Loop {
  const waker = context.wakers.outbox;
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();

  let rounds = 0;

  const hasRoom = () => running.size < CONCURRENCY;

  /** @param waits whether others may wait for this one; what is decided later begins a round */
  function begin(intent: LeasedIntent, waits: boolean): void {
    const begunIn = rounds;
    const delivery = carry(context, intent, stopping.signal)
      .catch((error: unknown) => context.log.error({ err: error, intent: intent.id }, 'intent left to its lease'))
      .finally(() => {
        running.delete(delivery);
        // The subject's next intent may be due now, or a reservation.
        if (waits || rounds !== begunIn) waker.wake();
        if ('taskId' in listingOf(intent.subject)) context.wakers.taskClaims.wake();
      });
    running.add(delivery);
  }

  context.handOff.to({ hasRoom, carry: (intent) => begin(intent, false) });
  const loop = startLoop({
    name: 'outbox',
    log: context.log,
    pollMs: POLL_MS,
    waker,
    async round() {
      rounds += 1;
      if (!hasRoom()) return false;
      const intent = await leaseNext(context.db, LEASE_SEC);
      if (intent) begin(intent, true);
      return intent !== undefined;
    },
  });

  return {
    async stop() {
      stopping.abort();
      context.handOff.to(undefined);
      await loop.stop();
      await Promise.race([Promise.allSettled(running), sleep(DRAIN_MS, undefined, { ref: false })]);
    },
  };
}

/** Goes on the trace of the call that decided it, in whichever replica that was. Rule S-271. */
function startOf({ id, kind, subject, attempts, trace: traceparent }: LeasedIntent): Start {
  const named = { 'legwork.intent.id': String(id), 'legwork.intent.kind': kind, 'legwork.subject': subject };
  return {
    name: `intent ${kind}`,
    kind: 'consumer',
    from: { traceparent: traceparent ?? undefined },
    attributes: { ...named, 'legwork.intent.attempts': attempts },
  };
}

async function carry(context: AppContext, intent: LeasedIntent, stopping: AbortSignal): Promise<void> {
  try {
    await trace(context.tracing, startOf(intent), () => deliverIntent(context, intent, stopping));
  } catch (error) {
    if (error instanceof LeaseLostError) return;
    if (stopping.aborted) return releaseLease(context.db, intent);
    await recoverFrom(context, intent, error);
  }
}

async function recoverFrom(context: AppContext, intent: LeasedIntent, error: unknown): Promise<void> {
  const { db, log } = context;
  const reason = error instanceof Error ? error.message : String(error);
  const attempts = intent.attempts + 1;
  log.error({ err: error, intent: intent.id, kind: intent.kind, attempts }, 'intent interrupted');
  if (attempts >= HANDLERS[intent.kind].policy.surprises) return failIntent(db, intent, reason);
  return postponeIntent(db, intent, { pauseSec: pauseAfter(attempts), attempts, reason });
}
