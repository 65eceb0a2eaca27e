import { MAX_DEADLINE_SEC, MIN_DEADLINE_SEC } from './deadline.js';
import type { RuleFault } from './fault.js';
import { type Asset, formatAmount, formatSol, isInSol, type Lamports, toLamports } from '../contract/money.js';
import type { DigitalLegStatus, TaskStatus } from '../contract/statuses.js';
import type { Terms } from '../contract/terms.js';

/** Seconds that an agent has for a leg once it is assigned, unless the poster says otherwise. */
export const DEFAULT_CLAIM_TIMEOUT_SEC = 1800;

/** Why a claim is refused. */
export type ClaimFaultCode =
  | 'self_dealing'
  | 'invalid_status'
  | 'agent_barred'
  | 'already_on_task'
  | 'leg_taken'
  | 'deadline_too_near'
  | 'bid_above_share';

/** A claim as it arrives; the key is a wallet's (checked before). */
export interface ClaimTerms {
  readonly agentPubkey: string;
  readonly bidLamports: Lamports;
}

/** The parts of a task and a leg that a claim is checked against. */
export interface ClaimTarget {
  readonly taskStatus: TaskStatus;
  readonly legStatus: DigitalLegStatus;
  readonly shipperPubkey: string;
  /** The agent that has the leg, or null. */
  readonly holderPubkey: string | null;
  /** The agents of the task's other legs. */
  readonly otherAgents: readonly string[];
  /** The agents that gave up a leg of this task, or let its time run out. */
  readonly barredAgents: readonly string[];
  readonly shareLamports: Lamports;
  readonly asset: Asset;
  readonly claimTimeoutSec: number;
  readonly terms: LegClocks | null;
  /** Milliseconds since 1970. */
  readonly deadlineMs: number;
}

/** The clocks of a task with terms, by which its legs take their time. */
type LegClocks = Pick<Terms, 'handoffSec' | 'carrySec' | 'reviewSec'>;
/** The fields that decide how long a leg takes. */
type LegTime = Pick<ClaimTarget, 'claimTimeoutSec' | 'terms'>;

/** The payment of every leg of a task: the budget by the number of legs, rounded down. Rule M-52. */
export function legShare(budgetLamports: Lamports, numLegs: number): Lamports {
  return toLamports(budgetLamports / BigInt(numLegs));
}

/** Seconds that an agent has from its assignment to its result; with terms, to its claim. */
const workSec = ({ claimTimeoutSec, terms }: LegTime) =>
  terms === null ? claimTimeoutSec : terms.handoffSec + terms.carrySec;

/** Seconds that must be left until the deadline when a leg is given to an agent. */
export const timeForLegSec = (time: LegTime) => workSec(time) + MIN_DEADLINE_SEC;

/**
 * Reports whether a leg may be given to an agent now: all the time that it has, and 10
 * minutes, are left until the deadline, after which the task may be reclaimed. Rule M-54.
 *
 * @param nowMs milliseconds since 1970
 */
export function hasTimeForLeg(
  { deadlineMs, ...time }: LegTime & { readonly deadlineMs: number },
  nowMs: number,
): boolean {
  return nowMs + timeForLegSec(time) * 1000 <= deadlineMs;
}

/** The first rule that the claim breaks, or undefined when the agent may have the leg. */
export function checkClaim(
  claim: ClaimTerms,
  target: ClaimTarget,
  nowMs: number,
): RuleFault<ClaimFaultCode> | undefined {
  return checkAgent(claim.agentPubkey, target) ?? checkLeg(target, nowMs) ?? checkBidOnLeg(claim, target);
}

/**
 * Refuses a task whose legs pay what an empty wallet could not receive: no one could claim one. A token account can receive any amount.
 */
export function checkShare(
  budgetLamports: Lamports,
  numLegs: number,
  rentMinimumLamports: Lamports,
  asset: Asset,
): RuleFault<'unreceivable_payment' | 'invalid_input'> | undefined {
  if (!isInSol(asset)) return checkTokenShare(budgetLamports, numLegs, asset);
  if (legShare(budgetLamports, numLegs) >= rentMinimumLamports) return undefined;
  const least = toLamports(rentMinimumLamports * BigInt(numLegs));
  return {
    code: 'unreceivable_payment',
    field: 'maxBudgetSol',
    message:
      `pays ${numLegs === 1 ? 'its leg' : `each of ${numLegs} legs`} ${legShare(budgetLamports, numLegs)} lamports, ` +
      `${rentMinimumLamports - legShare(budgetLamports, numLegs)} too little for an empty wallet to receive; ` +
      `give at least ${formatSol(least)} SOL`,
  };
}

function checkTokenShare(budget: Lamports, numLegs: number, asset: Asset): RuleFault<'invalid_input'> | undefined {
  if (legShare(budget, numLegs) > 0n) return undefined;
  const message = `pays each of ${numLegs} legs nothing; give at least ${formatAmount(BigInt(numLegs), asset)}`;
  return { code: 'invalid_input', field: 'maxBudget', message };
}

/**
 * Checks that a task may be listed now with this deadline: far enough for every leg to take its whole time. Rule M-53.
 *
 * @param nowMs milliseconds since 1970
 */
export function checkTaskDeadline(
  { deadlineMs, numLegs, ...time }: LegTime & { readonly deadlineMs: number; readonly numLegs: number },
  nowMs: number,
): RuleFault<'invalid_input'> | undefined {
  const seconds = (deadlineMs - nowMs) / 1000;
  const legSec = workSec(time) + (time.terms?.reviewSec ?? 0);
  const least = numLegs * legSec + MIN_DEADLINE_SEC;
  if (least > MAX_DEADLINE_SEC) {
    const message = `give ${numLegs} ${numLegs === 1 ? 'leg' : 'legs'} ${least} seconds, and a task lasts at most 180 days; give shorter clocks`;
    return { code: 'invalid_input', field: 'terms', message };
  }
  if (seconds >= least && seconds <= MAX_DEADLINE_SEC) return undefined;
  return {
    code: 'invalid_input',
    field: 'deadline',
    message:
      `must lie ${least} seconds (${numLegs} ${numLegs === 1 ? 'leg' : 'legs'} of ${legSec} seconds and 10 minutes) to 180 days after listing, ` +
      `from ${new Date(Math.ceil((nowMs + least * 1000) / 1000) * 1000).toISOString()} on`,
  };
}

function checkAgent(agentPubkey: string, target: ClaimTarget): RuleFault<ClaimFaultCode> | undefined {
  if (agentPubkey === target.shipperPubkey) {
    return {
      code: 'self_dealing',
      field: 'agentPubkey',
      message: 'posted this task; nobody works on a task of their own, claim it with another agent',
    };
  }
  if (target.barredAgents.includes(agentPubkey)) {
    return {
      code: 'agent_barred',
      field: 'agentPubkey',
      message: 'had a leg of this task and did not complete it; choose another task',
    };
  }
  if (target.otherAgents.includes(agentPubkey)) {
    return {
      code: 'already_on_task',
      field: 'agentPubkey',
      message: 'has another leg of this task; each leg goes to a different agent',
    };
  }
  return undefined;
}

function checkLeg(target: ClaimTarget, nowMs: number): RuleFault<ClaimFaultCode> | undefined {
  if (target.taskStatus !== 'listed' && target.taskStatus !== 'in_progress') {
    return {
      code: 'invalid_status',
      field: 'taskId',
      message: `names a task that is ${target.taskStatus}; legs are claimed while it is listed or in_progress`,
    };
  }
  if (target.legStatus !== 'pending' || target.holderPubkey !== null) {
    const holder = target.holderPubkey === null ? '' : ` and ${target.holderPubkey} has it`;
    return {
      code: 'leg_taken',
      field: 'legId',
      message: `names a leg that is ${target.legStatus}${holder}; claim one with isOpen`,
    };
  }
  if (hasTimeForLeg(target, nowMs)) return undefined;
  return {
    code: 'deadline_too_near',
    field: 'taskId',
    message:
      `names a task whose deadline is ${new Date(target.deadlineMs).toISOString()}; no leg is claimed in the last ` +
      `${timeForLegSec(target)} seconds before it`,
  };
}

function checkBidOnLeg({ bidLamports }: ClaimTerms, target: ClaimTarget): RuleFault<ClaimFaultCode> | undefined {
  if (bidLamports <= target.shareLamports) return undefined;
  return {
    code: 'bid_above_share',
    field: isInSol(target.asset) ? 'bidSol' : 'bid',
    message:
      `is ${formatAmount(bidLamports, target.asset)}; the leg pays exactly ${formatAmount(target.shareLamports, target.asset)} ` +
      `(${target.shareLamports} ${isInSol(target.asset) ? 'lamports' : 'base units'}), bid at most that`,
  };
}
