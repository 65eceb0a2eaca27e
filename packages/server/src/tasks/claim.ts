import { assetOf, inAsset, lamportsOf, requireSaidIn, solOf } from '../ledger/assets.js';
import type { LegWithoutResult } from '../db/schema/tasks.js';
import { type AnswerOf, amountOf, operations, type Lamports, LegworkError } from '@legwork/protocol/contract';
import { legShare, checkClaim } from '@legwork/protocol/rules';
import { clientKey } from '../api/limits.js';
import type { AppContext } from '../context.js';
import { readResult, barredAgents, type LegClaim } from './taskLegRows.js';
import { requireDocument, requirePlainAccount, requireWallet } from '../operations/guards.js';
import { TASK } from '../listings/kinds.js';
import type { Caller, In, Out } from '../operations/run.js';
import { callToKeep, keepBindingCalls, type KeptCall } from '../identity/signedCalls.js';
import {
  isLegWorkable,
  type LegInTask,
  requireHolder,
  requireLegOf,
  type Holder,
  lockLegOf,
  requireKept,
  timeOf,
} from './guards.js';
import { isAtWork, resourceUriOf } from './read.js';
import { newcomerBudget, unprovenBudget } from '../coordinator/newcomers.js';
import { giveWork } from '../coordinator/taskWork.js';
import { findLastError } from '../db/outbox.js';
import type { Db, Trx } from '../db/connect.js';
import { type ClaimState, markSigned, readClaim, takeLeg } from './claimRows.js';
import { taskSubject } from '../db/listings.js';
import { inOrder, inTransaction, lineUpAtAgents } from '../db/transaction.js';
import { appendEvent } from '../db/events.js';
import { poll } from '../waiting.js';
import { requireQualified } from '../agents/qualified.js';
import { warm } from '../ledger/ledger.js';

export async function bidDigitalLeg(
  context: AppContext,
  input: In<'bidDigitalLeg'>,
  caller: Caller,
): Out<'bidDigitalLeg'> {
  const { agentPubkey, taskId, legId } = input;
  requireWallet(context, 'agentPubkey', agentPubkey);
  const bidLamports = amountOf(input.bidSol, input.bid);
  const call = callToKeep(caller, operations.bidDigitalLeg, input);
  const signed = call !== undefined;
  const claiming = { taskId, legId, agentPubkey, bidLamports, signed, call, client: clientKey(caller.ip) };
  const seen = await requireLegOf(context.db, claiming);
  const asset = assetOf(context.ledger.assets, seen.task);
  requireSaidIn(asset, 'bid', input.bidSol);
  await lookFirst(context, seen, claiming);
  const claimed = await claimLeg(context, claiming);
  const isReserved = !isLegWorkable(seen.task, seen.legs, seen.leg.leg_index);
  if (!isReserved) caller.tell?.('The leg is yours; the ledger is to show its assignment.');
  await awaitClaim(context, claimed, ({ status }) => isReserved || status !== 'pending');
  const found = await requireLegOf(context.db, claiming);
  requireHolder(found, claiming);
  return { answer: await answerTo(context, found, claimed, claiming) };
}

/** Checks without a lock first, so that a refused claim waits for no other call. @throws LegworkError */
async function lookFirst(context: AppContext, found: LegInTask, claiming: Claiming): Promise<void> {
  if (found.leg.agent_pubkey === claiming.agentPubkey) return;
  await requireClaimable(context, context.db, found, claiming);
  await requirePlainAccount(context, claiming.agentPubkey);
  const isWorkable = isLegWorkable(found.task, found.legs, found.leg.leg_index);
  if (isWorkable && !(await context.funds.isAboveReserve())) throw assigningPaused();
}

/** The result of the leg before; null for the first leg, and until it is confirmed. */
async function previousResult({ db }: AppContext, { legs, leg }: LegInTask): Promise<string | null> {
  const before = legs.find((other) => other.leg_index === leg.leg_index - 1);
  if (before?.status !== 'completed') return null;
  return readResult(db, before.id);
}

async function answerTo(
  context: AppContext,
  found: LegInTask,
  { bid_lamports: bidLamports }: LegWithoutResult,
  { agentPubkey }: Claiming,
): Promise<AnswerOf<typeof operations.bidDigitalLeg>> {
  const { task, legs, leg } = found;
  if (bidLamports === null) throw new Error(`leg ${leg.id} was claimed without a bid`);
  const share = legShare(task.max_budget_lamports, task.num_legs);
  return {
    taskId: task.id,
    legId: leg.id,
    legIndex: leg.leg_index,
    agentPubkey,
    status: leg.status,
    isWorkable: isLegWorkable(task, legs, leg.leg_index),
    instruction: leg.instruction,
    ...inAsset(context.ledger.assets, task),
    bid: bidLamports,
    bidSol: solOf(task, bidLamports),
    bidLamports: lamportsOf(task, bidLamports),
    paymentPerLeg: share,
    paymentPerLegSol: solOf(task, share),
    paymentPerLegLamports: lamportsOf(task, share),
    claimTimeoutSec: task.claim_timeout_sec,
    dueAt: isAtWork(leg) ? leg.due_at : null,
    assignSignature: leg.assign_signature,
    previousResult: await previousResult(context, found),
    resourceUri: resourceUriOf(task.id),
  };
}

/** A claim, not checked yet. */
interface Claiming extends Holder {
  taskId: string;
  legId: string;
  bidLamports: Lamports;
  /** The signed request, to be kept; undefined: nobody signed it. */
  call?: KeptCall | undefined;
  /** The caller's address, as limits count it. */
  client: string;
}

/**
 * Gives the leg to the agent and decides its assignment if it is workable, in one transaction. For an agent that has the leg
 * already, nothing changes, except that a signed call makes the claim a signed one. Rules M-55, M-56, S-60.
 *
 * @returns the leg with the claim
 * @throws LegworkError when a rule of claims refuses it
 */
export async function claimLeg(context: AppContext, claiming: Claiming): Promise<LegWithoutResult> {
  warm(context.ledger);
  const { leg, isNew } = await inTransaction(context.db, async (trx) => {
    const found = await lockLegOf(trx, claiming);
    const isHolder = found.leg.agent_pubkey === claiming.agentPubkey;
    // A repeat of a signed claim changes nothing.
    const call = isHolder && found.leg.call_signature !== null ? undefined : claiming.call;
    const kept = call && keepBindingCalls(trx, [call]);
    if (!isHolder) {
      // Of claims that race, each sees the legs that those before it won.
      if (found.task.terms !== null) await Promise.all([kept, lineUpAtAgents(trx, [claiming.agentPubkey])]);
      await Promise.all([kept, requireClaimable(context, trx, found, claiming)]);
      return { leg: await takeUnderLock(context, trx, found, claiming), isNew: true };
    }
    await kept;
    requireKept(found);
    if (call) await markSigned(trx, found.leg, call.signature);
    return { leg: found.leg, isNew: false };
  });
  if (isNew) context.wakers.sequencer.wake();
  return leg;
}

/** @throws LegworkError when a rule of claims refuses it. Rules M-52, M-54, T-94 */
async function requireClaimable(
  context: Pick<AppContext, 'config' | 'clock' | 'ledger'>,
  db: Db | Trx,
  { task, legs, leg }: LegInTask,
  claim: Pick<Claiming, 'agentPubkey' | 'bidLamports' | 'signed'>,
): Promise<void> {
  requireDocument(task, TASK);
  const [, barred] = await inOrder(db, (on) =>
    Promise.all([requireQualified(context, on, task, claim), barredAgents(on, task.id)]),
  );
  const fault = checkClaim(
    claim,
    {
      taskStatus: task.status,
      legStatus: leg.status,
      shipperPubkey: task.shipper_pubkey,
      holderPubkey: leg.agent_pubkey ?? leg.held_elsewhere,
      otherAgents: legs.flatMap((other) => (other.id === leg.id ? [] : (other.agent_pubkey ?? []))),
      barredAgents: barred,
      shareLamports: legShare(task.max_budget_lamports, task.num_legs),
      asset: assetOf(context.ledger.assets, task),
      ...timeOf(task),
    },
    context.clock().getTime(),
  );
  if (fault) throw LegworkError.field(fault.code, fault.field, fault.message);
}

async function takeUnderLock(
  context: AppContext,
  trx: Trx,
  { task, legs, leg }: LegInTask,
  claiming: Claiming,
): Promise<LegWithoutResult> {
  const taken = await takeLeg(trx, leg.id, claiming);
  if (!taken) throw new Error(`leg ${leg.id} is open and was not to be had`);
  const now = legs.map((other) => (other.id === taken.id ? taken : other));
  appendEvent(trx, 'TASK_LEG_CLAIMED', taskSubject(task.id), {
    taskId: task.id,
    legId: leg.id,
    legIndex: leg.leg_index,
    agentPubkey: claiming.agentPubkey,
    isWorkable: isLegWorkable(task, legs, leg.leg_index),
  });
  await requireGiven(context, trx, task, now);
  return taken;
}

/**
 * Decides the assignment of the workable leg, if an agent has it. The caller holds the task's lock. Rule M-61.
 *
 * @throws LegworkError `assigning_paused`, `newcomer_budget`, `not_your_leg` when it is a reservation that lapses now
 */
export async function requireGiven(
  context: AppContext,
  trx: Trx,
  task: LegInTask['task'],
  legs: readonly LegWithoutResult[],
): Promise<void> {
  const { given, leg } = await giveWork(context, trx, task, legs);
  if (given === 'no_means') throw assigningPaused();
  if (given === 'lapsed')
    throw LegworkError.field('not_your_leg', 'legId', 'was reserved, and the reservation has lapsed');
  if (given !== 'over_budget') return;
  throw task.terms === null ? newcomerBudget(leg?.agent_pubkey ?? '') : unprovenBudget();
}

/** @returns LegworkError `assigning_paused` */
function assigningPaused(): LegworkError {
  return new LegworkError(
    'assigning_paused',
    'The funds of the coordinator are low, and it assigns no workable leg for now. Legs can still be reserved, and what is under way goes on.',
  );
}

/** How long an answer waits for the ledger. Rules S-57, S-58. */
const ANSWER_WITHIN_MS = 5_000;

/**
 * Waits until `isDone` accepts the claim, for 5 seconds at most. After that it goes on by itself: nothing is lost.
 *
 * @throws LegworkError `transaction_failed` when the ledger refused the assignment for good, so that the claim is void;
 *   `not_your_leg` when it was released meanwhile, or its time ran out
 */
export async function awaitClaim(
  { db, mirrored }: Pick<AppContext, 'db' | 'mirrored'>,
  claim: LegClaim,
  isDone: (state: ClaimState) => boolean,
): Promise<void> {
  const state = await poll(
    () => readClaim(db, claim),
    (reading) => reading === undefined || isDone(reading),
    ANSWER_WITHIN_MS,
    { of: mirrored, name: taskSubject(claim.task_id) },
  );
  if (state === undefined) throw await ending(db, claim);
}

async function ending(db: Db, { id, claim }: LegClaim): Promise<LegworkError> {
  const refusal = await findLastError(db, `assign_task_leg:${id}:${claim}`);
  if (refusal === undefined) {
    return LegworkError.field('not_your_leg', 'legId', 'was given back meanwhile, or the time for it ran out');
  }
  return LegworkError.field(
    'transaction_failed',
    'legId',
    `was claimed, and the ledger refused the assignment (${refusal}); the claim has ended, choose another leg`,
  );
}
