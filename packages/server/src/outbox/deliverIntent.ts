import { LegworkError } from '@legwork/protocol/contract';
import { getTransactionDecoder, type Instruction } from '@solana/kit';
import type { AppContext } from '../context.js';
import { readCursor } from '../db/ledgerTransactions.js';
import {
  discardSigned,
  failIntent,
  finishIntent,
  type LeasedIntent,
  LeaseLostError,
  persistSigned,
  postponeIntent,
  renewLease,
  type SignedIntent,
} from '../db/outbox.js';
import { findListingAccount } from '../db/listings.js';
import { instructionsAmong, instructionsIn } from '../ledger/compile.js';
import { assetOf } from '../ledger/assets.js';
import type { Ledger } from '../ledger/ledger.js';
import { paidIn } from '../ledger/tokens.js';
import type { TransactionFailure } from '../ledger/submitTransaction.js';
import { isForgotten } from '../mirror/finality.js';
import { applyLanded, catchUp, type Landed } from '../mirror/applyLanded.js';
import { broadcast, type BroadcastOutcome } from './broadcast.js';
import { LEASE_SEC } from './handOff.js';
import { HANDLERS } from './handlers.js';
import { nothingLeft, pauseAfter } from './intentHandler.js';
import { note } from '../tracing/spans.js';
import { signIntent } from './signIntent.js';
import { OutdatedDecisionError, UndecidedError } from './verifyDecision.js';

const RENEW_EVERY_MS = 2_000;
const UNAVAILABLE_PAUSE_SEC = 1;
const WITHOUT_FUNDS_PAUSE_SEC = 2;
const FORGOTTEN = 'the ledger does not show what goes before it';

/**
 * Carries one leased intent as far as it goes: sign, persist, send, wait for certainty, write the effects. An interruption
 * leaves the row so that the next worker goes on at the same place.
 */
export async function deliverIntent(context: AppContext, intent: LeasedIntent, stopping: AbortSignal): Promise<void> {
  try {
    await underLease(context, intent, stopping, (goOn) =>
      carryOut(context, intent, goOn).catch((error: unknown) => refuseToSign(context, intent, error)),
    );
  } catch (error) {
    if (!(error instanceof LegworkError && error.code === 'ledger_unavailable')) throw error;
    // Unknown is not failed: the same bytes are sent again when the ledger is back. This is no attempt.
    await postponeIntent(context.db, intent, { pauseSec: UNAVAILABLE_PAUSE_SEC, reason: error.message });
  }
}

/**
 * Refuses to sign what the coordinator did not decide, and calls an operator: the intent has failed, the money stays where it
 * is. A decision too old to be proven is refused as the ledger would refuse it.
 */
async function refuseToSign(context: AppContext, intent: LeasedIntent, error: unknown): Promise<void> {
  const { id, kind, subject } = intent;
  if (error instanceof OutdatedDecisionError) {
    const failure = { reason: error.message, relayError: undefined, instructionIndex: undefined };
    return refuse(context, intent, failure, true);
  }
  if (!(error instanceof UndecidedError)) throw error;
  const reason = error.message;
  context.log.error({ intent: id, kind, subject, reason }, 'refused to sign what the coordinator did not decide');
  context.metrics.intents.inc({ kind, outcome: 'undecided' });
  await failIntent(context.db, intent, reason);
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
      if (error instanceof LeaseLostError) lost = error;
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

/** Bytes that are persisted. */
interface Ours {
  signed: SignedIntent;
  /** The instructions they were made of, if it was just now. */
  instructions?: readonly Instruction[];
}

async function carryOut(context: AppContext, intent: LeasedIntent, goOn: () => void): Promise<void> {
  const persisted = signedPart(intent);
  const ours = persisted ? { signed: persisted } : await signAndPersist(context, intent);
  if (!ours) return;
  const { signed } = ours;
  note({ 'legwork.signature': signed.signature });
  context.landing.add(signed.signature);
  try {
    const isHeld = () => isForgotten(context, intent.subject);
    const known = { isHeld, isNew: persisted === undefined };
    await land(context, intent, ours, await broadcast(context.ledger, signed, goOn, known));
  } finally {
    context.landing.delete(signed.signature);
  }
}

/** Writes what became of the bytes. */
async function land(context: AppContext, intent: LeasedIntent, ours: Ours, outcome: BroadcastOutcome): Promise<void> {
  if (outcome.kind === 'landed') {
    await applyLanded(context, landedFrom(context.ledger, ours, outcome), (trx) => finishIntent(trx, intent));
    context.metrics.intents.inc({ kind: intent.kind, outcome: 'delivered' });
    return;
  }
  if (outcome.kind === 'held') return holdBack(context, intent);
  // Only bytes that failed or expired may be replaced by others; both are final here.
  await discardSigned(context.db, intent, outcome.kind);
  const failure =
    outcome.kind === 'failed'
      ? outcome.failure
      : { reason: 'the transaction expired before it landed', relayError: undefined, instructionIndex: undefined };
  return refuse(context, intent, failure);
}

/** Waits until the transactions before it are sent again, or its listing halts. This is no attempt. Rule S-105. */
function holdBack({ db }: AppContext, intent: LeasedIntent): Promise<void> {
  return postponeIntent(db, intent, { pauseSec: UNAVAILABLE_PAUSE_SEC, reason: FORGOTTEN });
}

/** The effect of our own bytes: the program's instructions in them are all that it ran. */
function landedFrom(
  { programAddress }: Ledger,
  { signed, instructions: known }: Ours,
  { slot, isFinal }: Pick<Landed, 'slot' | 'isFinal'>,
): Landed {
  const { signature, transaction: bytes, lastValidBlockHeight } = signed;
  const instructions = known
    ? instructionsAmong(programAddress, known)
    : instructionsIn(programAddress, getTransactionDecoder().decode(bytes));
  return { signature, slot, isFinal, instructions, kept: { bytes, lastValidBlockHeight } };
}

function signedPart(intent: LeasedIntent): SignedIntent | undefined {
  const { signature, transaction, last_valid_block_height: lastValidBlockHeight } = intent;
  if (signature === null || transaction === null || lastValidBlockHeight === null) return undefined;
  return { signature, transaction, lastValidBlockHeight };
}

async function signAndPersist(context: AppContext, intent: LeasedIntent): Promise<Ours | undefined> {
  const [toSign, final] = await Promise.all([
    HANDLERS[intent.kind].instructions(context, intent),
    readCursor(context.db),
  ]);
  if (toSign === undefined) {
    await nothingLeft(context, intent);
    context.metrics.intents.inc({ kind: intent.kind, outcome: 'delivered' });
    return undefined;
  }
  const { ledger } = context;
  const asset = assetOf(ledger.assets, toSign.about);
  const instructions = await paidIn(ledger, ledger.coordinator.address, asset, toSign.instructions);
  const sign = (notOn?: string) =>
    signIntent(context.ledger, instructions, {
      attempts: intent.attempts,
      finalSlot: final?.slot,
      ...(notOn !== undefined && { notOn }),
    });
  const [first, isOwedOrAffordable] = await Promise.all([
    sign(),
    intent.cost_lamports === 0n || context.funds.isAboveFloorAfter(intent.cost_lamports),
  ]);
  if (!isOwedOrAffordable) {
    // The remaining funds are for what is owed. This is no attempt: the ledger was not asked to do it.
    const reason = 'the coordinator is too low on funds to begin anything';
    await postponeIntent(context.db, intent, { pauseSec: WITHOUT_FUNDS_PAUSE_SEC, reason });
    return undefined;
  }
  for (let signing = first; ; signing = await sign(signing.blockhash)) {
    if ('refused' in signing) {
      await refuse(context, intent, signing.refused);
      return undefined;
    }
    const { signed } = signing;
    // The last look before they are sent. While they are stored it costs no time.
    const [isStored, isHeld] = await Promise.all([
      persistSigned(context.db, intent, signed),
      isForgotten(context, intent.subject),
    ]);
    if (isStored && !isHeld) return { signed, instructions };
    if (isStored) {
      await holdBack(context, intent);
      return undefined;
    }
  }
}

/**
 * A refusal by the program is final; one by the runtime (no funds for the fee, say) may pass and is tried again. So may one for an
 * account that is not there: a node that is behind, or comes back from a fork, does not show yet what is applied here. Either may
 * come from something that the mirror has missed: bytes that looked expired may have landed all the same.
 */
async function refuse(
  context: AppContext,
  intent: LeasedIntent,
  failure: TransactionFailure,
  isFinal = failure.relayError !== undefined && failure.relayError !== 'InvalidAccountOwner',
): Promise<void> {
  const { policy, refused } = HANDLERS[intent.kind];
  if (await isForgotten(context, intent.subject)) return holdBack(context, intent);
  const account = await findListingAccount(context.db, intent.subject);
  if (account !== undefined) await catchUp(context, account);
  const attempts = intent.attempts + 1;
  if (isFinal || attempts >= policy.tries) {
    await refused(context, intent, failure);
    context.wakers.sequencer.wake();
    context.metrics.intents.inc({ kind: intent.kind, outcome: 'refused' });
    return;
  }
  context.metrics.intents.inc({ kind: intent.kind, outcome: 'retried' });
  context.log.warn(
    { intent: intent.id, kind: intent.kind, reason: failure.reason },
    'intent refused, will be tried again',
  );
  const pauseSec = pauseAfter(intent.attempts);
  return postponeIntent(context.db, intent, { pauseSec, attempts, reason: failure.reason });
}
