import type { LegWithoutResult } from '../db/schema/tasks.js';
import type { Lamports, ReleaseReason } from '@legwork/protocol/contract';
import { hasTimeForLeg } from '@legwork/protocol/rules';
import type { AppContext } from '../context.js';
import type { Trx } from '../db/connect.js';
import { markReleaseDecided, voidClaim } from '../tasks/claimRows.js';
import {
  clearTurn,
  dueClaims,
  type DueReservation,
  dueReservations,
  findDigitalLeg,
  type LegClaim,
  legsOf,
} from '../tasks/taskLegRows.js';
import { lockTask } from '../tasks/taskRows.js';
import { chargeNewcomers } from '../agents/newcomerRows.js';
import { lastMove } from '../legs/moveRows.js';
import { isDecided, isNext } from '../db/outbox.js';
import { findReputation } from '../agents/reputationRows.js';
import type { DigitalTaskRow } from '../db/schema.js';
import { requiresSignature } from '../identity/signingKeys.js';
import { taskSubject } from '../db/listings.js';
import { inTransaction } from '../db/transaction.js';
import { appendEvent } from '../db/events.js';
import { type Loop, startLoop } from '../loop.js';
import { claimOfLeg, decideIntent } from './decisions.js';
import { assignmentCost, holdFunds, mayDecide, spend } from './funds.js';
import { mayAdvanceRent, withinBudget } from './newcomers.js';

const POLL_MS = 1_000;
const BATCH = 50;

/** The parts of the context that a decision about a leg takes. */
type Deciding = Pick<AppContext, 'ledger' | 'handOff' | 'clock'>;

type LegIntentKind = 'assign_task_leg' | 'release_task_leg' | 'confirm_task_leg';

const intentKey = (kind: LegIntentKind, { id, claim }: LegWithoutResult) => `${kind}:${id}:${claim}`;

async function decide(
  context: Deciding,
  trx: Trx,
  kind: LegIntentKind,
  leg: LegWithoutResult,
  { cost, isFirst }: { cost?: Lamports; isFirst?: boolean } = {},
): Promise<void> {
  const { id: legId, claim, task_id: taskId } = leg;
  const subject = taskSubject(taskId);
  const intent = { kind, subject, key: intentKey(kind, leg), legId, claim };
  const decided = { chosen: claimOfLeg(kind, leg), at: context.clock() };
  await decideIntent(
    context,
    trx,
    { ...intent, ...(cost && { costLamports: cost }) },
    decided,
    isFirst ?? (await isNext(trx, subject)),
  );
}

/** Returns whether the claim goes to the ledger; one that does not is a reservation. Rule M-55. */
export function isAssignmentDecided(trx: Trx, leg: LegWithoutResult): Promise<boolean> {
  return isDecided(trx, intentKey('assign_task_leg', leg));
}

/** The leg that can be worked on while the task is open: the first that is not completed. Rule M-56. */
export function workableLeg(legs: readonly LegWithoutResult[]): LegWithoutResult | undefined {
  return legs.find((leg) => leg.status !== 'completed');
}

/**
 * Announces that an agent no longer has a leg.
 *
 * @param signature of its release on the ledger; undefined: it was never assigned there
 */
export function announceReleased(
  trx: Trx,
  { id: legId, task_id: taskId, leg_index: legIndex, agent_pubkey: agentPubkey }: LegWithoutResult,
  reason: ReleaseReason,
  signature?: string,
): void {
  if (agentPubkey === null) throw new Error(`nobody had leg ${legId}`);
  appendEvent(trx, 'TASK_LEG_RELEASED', taskSubject(taskId), {
    taskId,
    legId,
    legIndex,
    agentPubkey,
    reason,
    ...(signature !== undefined && { signature }),
  });
}

/** Ends a claim that the ledger never took, and announces it. @returns false when there is no such claim any more. Rule M-61. */
export async function endClaim(
  trx: Trx,
  leg: LegWithoutResult,
  reason: Extract<ReleaseReason, 'withdrawn' | 'lapsed' | 'refused'>,
): Promise<boolean> {
  if (!(await voidClaim(trx, leg))) return false;
  announceReleased(trx, leg, reason);
  return true;
}

/** Returns whether a leg of the task may be given to an agent now. Rule M-54. */
export function isInTime(task: DigitalTaskRow, now: Date): boolean {
  const { claim_timeout_sec: claimTimeoutSec, terms, deadline } = task;
  return hasTimeForLeg({ claimTimeoutSec, terms, deadlineMs: deadline.getTime() }, now.getTime());
}

/** The outcome for the workable leg; `none`: there was nothing to decide. */
export type Giving = 'given' | 'none' | 'lapsed' | 'no_means' | 'over_budget';

/**
 * Decides the assignment of the workable leg if an agent has it, that was not decided before, and the coordinator can pay
 * for it. A reservation lapses when it comes due too near the deadline, or was made without a signature in the name of a key
 * that has signed since. The caller holds the task's lock and has read `legs` under it.
 */
export async function giveWork(
  context: AppContext,
  trx: Trx,
  task: DigitalTaskRow,
  legs: readonly LegWithoutResult[],
): Promise<{ given: Giving; leg?: LegWithoutResult }> {
  const leg = workableLeg(legs);
  if (leg?.status !== 'pending' || leg.agent_pubkey === null) return { given: 'none' };
  if (await isAssignmentDecided(trx, leg)) return { given: 'none' };
  const { config, clock } = context;
  const isDisowned = !leg.signed && (await requiresSignature(trx, config.unsignedCalls, leg.agent_pubkey));
  if (isDisowned || !isInTime(task, clock())) {
    await endClaim(trx, leg, 'lapsed');
    return { given: 'lapsed', leg };
  }
  return { given: await assign(context, trx, { ...leg, agent_pubkey: leg.agent_pubkey }, task.terms), leg };
}

async function assign(
  context: AppContext,
  trx: Trx,
  leg: LegWithoutResult & { agent_pubkey: string },
  terms: DigitalTaskRow['terms'],
): Promise<Giving> {
  const cost = assignmentCost(context.ledger, terms);
  const [isFirst, reputation] = await Promise.all([
    isNext(trx, taskSubject(leg.task_id)),
    findReputation(trx, leg.agent_pubkey),
  ]);
  const agent = { ...leg, is_newcomer: reputation === undefined };
  // Those who have completed nothing have budgets of their own, which are sums too.
  if (agent.is_newcomer || (terms !== null && reputation?.legs_completed === 0n)) await holdFunds(context, trx);
  if ((await withinBudget(context, trx, [agent])).length === 0) return 'over_budget';
  const asking = { reputation, client: leg.client };
  if (terms !== null && !(await mayAdvanceRent(context, trx, asking, terms))) return 'over_budget';
  const allowance = await mayDecide(context, trx, cost);
  if (allowance === undefined) return 'no_means';
  await Promise.all([
    spend(trx, allowance, cost),
    agent.is_newcomer && chargeNewcomers(trx, [agent]),
    decide(context, trx, 'assign_task_leg', leg, { cost, isFirst }),
    leg.turn_at !== null && clearTurn(trx, leg.id),
  ]);
  // Handed in before the ledger took the assignment back.
  if (leg.result_hash !== null) await decideConfirmation(context, trx, leg, leg.result_hash);
  return 'given';
}

/**
 * Decides the confirmation of a leg whose result, of this hash, is stored in the same transaction. The caller holds the task's
 * lock. Rule M-58.
 */
export async function decideConfirmation(
  context: Deciding,
  trx: Trx,
  leg: LegWithoutResult,
  resultHash: string,
): Promise<void> {
  await decide(context, trx, 'confirm_task_leg', { ...leg, result_hash: resultHash });
}

/**
 * Decides that the claim of a leg whose assignment is decided is released on the ledger; false when a result or a decision
 * came before. The caller holds the task's lock. Rule M-57.
 */
export async function decideRelease(
  context: Deciding,
  trx: Trx,
  leg: LegWithoutResult,
  reason: Extract<ReleaseReason, 'released' | 'timeout' | 'rejected'>,
): Promise<boolean> {
  if (!(await markReleaseDecided(trx, leg, reason))) return false;
  await decide(context, trx, 'release_task_leg', leg);
  return true;
}

/** Why a leg with terms is vacant. Rule T-96. */
export async function vacatedBy(trx: Trx, legId: string): Promise<'released' | 'timeout' | 'rejected'> {
  const move = await lastMove(trx, legId);
  if (move === 'reject') return 'rejected';
  return move === 'leave' ? 'released' : 'timeout';
}

/** @returns whether the release was decided: during the wait for the task's lock the claim may have ended, or its result come */
async function timeOut(context: AppContext, due: LegClaim): Promise<boolean> {
  return inTransaction(context.db, async (trx) => {
    await lockTask(trx, due.task_id);
    const leg = await findDigitalLeg(trx, due.id);
    if (leg?.status !== 'in_progress' || leg.claim !== due.claim) return false;
    return decideRelease(context, trx, leg, leg.stage === null ? 'timeout' : await vacatedBy(trx, leg.id));
  });
}

/** Decides the release of legs whose agents handed in nothing in time, or with terms have left. @returns whether there may be more */
export async function releaseOverdue(context: AppContext): Promise<boolean> {
  const due = await dueClaims(context.db, BATCH);
  let released = 0;
  for (const claim of due) if (await timeOut(context, claim)) released += 1;
  if (released > 0) context.log.info({ released }, 'legs are taken from agents whose time is up');
  return due.length === BATCH;
}

/** @returns whether the reservation is settled: its agent has the work, or lost it. One that the funds do not cover waits */
async function comeDue(context: AppContext, { task_id: taskId }: DueReservation): Promise<boolean> {
  return inTransaction(context.db, async (trx) => {
    const task = await lockTask(trx, taskId);
    if (!task) return false;
    const legs = await legsOf(trx, taskId);
    const { given, leg } = await giveWork(context, trx, task, legs);
    if (given === 'over_budget' && leg !== undefined) await endClaim(trx, leg, 'lapsed');
    return given !== 'no_means';
  });
}

/** Gives reserved legs whose turn has come to their agents. @returns whether there may be more at once */
export async function giveDueWork(context: AppContext): Promise<boolean> {
  const due = await dueReservations(context.db, BATCH);
  let waiting = 0;
  for (const reservation of due) if (!(await comeDue(context, reservation))) waiting += 1;
  if (waiting < due.length) context.wakers.sequencer.wake();
  return due.length === BATCH && waiting === 0;
}

/** Starts watching claims: agents whose time is up, legs whose turn has come. What is due follows from the database alone. */
export function startTaskClaims(context: AppContext): Loop {
  return startLoop({
    name: 'task claims',
    log: context.log,
    pollMs: POLL_MS,
    waker: context.wakers.taskClaims,
    async round() {
      const [released, given] = [await releaseOverdue(context), await giveDueWork(context)];
      return released || given;
    },
  });
}
