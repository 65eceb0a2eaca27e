import { hasTimeForLeg, type ReleaseReason } from '@agent-relay/protocol';
import type { Trx } from '../../db/connect.js';
import { type LegWithoutResult, markReleaseDecided, voidClaim } from '../../db/digitalLegs.js';
import { addIntent, isDecided } from '../../db/outbox.js';
import type { DigitalTaskRow } from '../../db/schema.js';
import { appendEvent } from '../../events/appendEvent.js';

/** What every intent and event about a task is filed under, so that its intents run in the order they were decided in. */
export function taskSubject(taskId: string): string {
  return `task:${taskId}`;
}

type LegIntentKind = 'assign_task_leg' | 'release_task_leg' | 'confirm_task_leg';

const intentKey = (kind: LegIntentKind, { id, claim }: LegWithoutResult) => `${kind}:${id}:${claim}`;

async function decide(trx: Trx, kind: LegIntentKind, leg: LegWithoutResult): Promise<void> {
  const { id: legId, claim, task_id: taskId } = leg;
  await addIntent(trx, { kind, subject: taskSubject(taskId), key: intentKey(kind, leg), legId, claim });
}

/** Whether the claim goes to the ledger; what does not is a reservation. Rules M-55, M-56. */
export function isAssignmentDecided(trx: Trx, leg: LegWithoutResult): Promise<boolean> {
  return isDecided(trx, intentKey('assign_task_leg', leg));
}

/** The leg that can be worked on while the task is open: the first that is not completed. Rule M-56. */
export function workableLeg(legs: readonly LegWithoutResult[]): LegWithoutResult | undefined {
  return legs.find((leg) => leg.status !== 'completed');
}

/**
 * Tells that an agent does not have a leg any more.
 *
 * @param signature of its release on the ledger; undefined: it was never assigned there
 */
export async function announceReleased(
  trx: Trx,
  { id: legId, task_id: taskId, leg_index: legIndex, agent_pubkey: agentPubkey }: LegWithoutResult,
  reason: ReleaseReason,
  signature?: string,
): Promise<void> {
  if (agentPubkey === null) throw new Error(`nobody had leg ${legId}`);
  await appendEvent(trx, 'TASK_LEG_RELEASED', taskSubject(taskId), {
    taskId,
    legId,
    legIndex,
    agentPubkey,
    reason,
    ...(signature !== undefined && { signature }),
  });
}

/** Ends a claim that the ledger never took and tells so; false when there is none such any more. Rules M-55, M-56, M-61. */
export async function endClaim(
  trx: Trx,
  leg: LegWithoutResult,
  reason: Extract<ReleaseReason, 'withdrawn' | 'lapsed' | 'refused'>,
): Promise<boolean> {
  if (!(await voidClaim(trx, leg))) return false;
  await announceReleased(trx, leg, reason);
  return true;
}

/** Whether a leg of the task may be given to an agent now. Rules M-54, M-56. */
export function isInTime(task: DigitalTaskRow, now: Date): boolean {
  const { claim_timeout_sec: claimTimeoutSec, deadline } = task;
  return hasTimeForLeg({ claimTimeoutSec, deadlineMs: deadline.getTime() }, now.getTime());
}

/**
 * Decides the assignment of the workable leg if an agent has it and that was not decided before; a reservation that comes due
 * too near the deadline lapses instead. The caller holds the task's lock and has read `legs` under it. Rule M-56.
 */
export async function giveWork(
  trx: Trx,
  task: DigitalTaskRow,
  legs: readonly LegWithoutResult[],
  now: Date,
): Promise<void> {
  const leg = workableLeg(legs);
  if (leg?.status !== 'pending' || leg.agent_pubkey === null) return;
  if (await isAssignmentDecided(trx, leg)) return;
  if (isInTime(task, now)) await decide(trx, 'assign_task_leg', leg);
  else await endClaim(trx, leg, 'lapsed');
}

/** Decides the confirmation of a leg whose result is stored in the same transaction. The caller holds the task's lock. Rule M-58. */
export async function decideConfirmation(trx: Trx, leg: LegWithoutResult): Promise<void> {
  await decide(trx, 'confirm_task_leg', leg);
}

/**
 * Decides that the claim of a leg whose assignment is decided is released on the ledger; false when a result or a decision
 * came before. The caller holds the task's lock. Rule M-57.
 */
export async function decideRelease(
  trx: Trx,
  leg: LegWithoutResult,
  reason: Extract<ReleaseReason, 'released' | 'timeout'>,
): Promise<boolean> {
  if (!(await markReleaseDecided(trx, leg, reason))) return false;
  await decide(trx, 'release_task_leg', leg);
  return true;
}
