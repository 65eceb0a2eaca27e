import { PRIVATE_MIN_COMPLETED } from '../contract/operations/personalData.js';
import type { Requirements } from '../contract/terms.js';

/** An agent's record and capabilities. */
export interface Qualified {
  readonly agentPubkey: string;
  /** Percent. */
  readonly reliabilityScore: number;
  readonly legsCompleted: number;
  /** The capabilities that it claims. */
  readonly capabilities: readonly string[];
  /** Legs with terms that it won, reserved or was assigned, and has not accepted. */
  readonly legsWaiting: number;
  /** When it let the time to accept a leg pass, of the last day, in any order. */
  readonly lapses: readonly Date[];
  /** When it first read private parts of packages that it has not carried, of the last 30 days, in any order. */
  readonly uncarried: readonly Date[];
}

/** Packages of which a courier may read private parts that it has not carried, within {@link READING_COUNTS_MS}. */
const MAX_UNCARRIED = 3;
/** How long a reading counts, milliseconds. */
const READING_COUNTS_MS = 30 * 86_400_000;

/** Legs that a key without a completed one may have before it accepts one of them. */
export const FREE_WAITING_LEGS = 3;
/** So many lapses within {@link LAPSE_WAIT_MS} make a key wait. */
const LAPSES_TO_WAIT = 2;
/** How long a lapse counts, milliseconds. */
export const LAPSE_WAIT_MS = 86_400_000;

/**
 * How many legs with terms an agent may have that it has not accepted yet. Rule T-110.
 *
 * @param most whatever it completed; 0: no limit
 */
export function waitingLegsAllowed(legsCompleted: number, most: number): number {
  return most === 0 ? Infinity : Math.min(FREE_WAITING_LEGS + legsCompleted, most);
}

/** The lapses that still count. */
const liveLapses = (lapses: readonly Date[], nowMs: number) =>
  lapses.filter((at) => at.getTime() + LAPSE_WAIT_MS > nowMs);

/** Until when an agent waits that let the time to accept pass; undefined: it does not. */
export function lapseWaitEnd(lapses: readonly Date[], nowMs: number): Date | undefined {
  const live = liveLapses(lapses, nowMs);
  const first = Math.min(...live.map((at) => at.getTime()));
  return live.length < LAPSES_TO_WAIT ? undefined : new Date(first + LAPSE_WAIT_MS);
}

/**
 * Reports whether a leg's agent, who gives it up before it accepted it, has kept others from it for long: from half of handoff on.
 */
export function isLapse(since: Date, at: Date, handoffSec: number): boolean {
  return (at.getTime() - since.getTime()) * 2 >= handoffSec * 1000;
}

/** Why the agent gets no further leg with terms now, in words; undefined: it does. Rule T-111. */
export function whyItWaits(
  { legsWaiting, legsCompleted, lapses }: Pick<Qualified, 'legsWaiting' | 'legsCompleted' | 'lapses'>,
  most: number,
  nowMs: number,
): string | undefined {
  const end = lapseWaitEnd(lapses, nowMs);
  if (end) {
    return `it let the time to accept pass ${liveLapses(lapses, nowMs).length} times within a day; it gets no leg with terms until ${end.toISOString()}`;
  }
  const allowed = waitingLegsAllowed(legsCompleted, most);
  if (legsWaiting < allowed) return undefined;
  return (
    `${legsWaiting} legs with terms wait for it, of at most ${allowed}; accept one or leave it in time (GET /turns names them), ` +
    'or give a reservation back'
  );
}

/** The requirements of a listing: a package with private parts asks for a career where its requirements do not say how long a one. Rule S-150. */
export function requiredBy(required: Requirements | null, hasPrivateParts: boolean): Requirements | null {
  return hasPrivateParts ? { minCompleted: PRIVATE_MIN_COMPLETED, ...required } : required;
}

/**
 * Why a courier reads and wins nothing private now, in words; undefined: it does. Rule S-151.
 *
 * @param uncarried when it first read of each package that it has not carried
 */
export function whyNothingPrivate(uncarried: readonly Date[], nowMs: number): string | undefined {
  const ends = uncarried
    .map((at) => at.getTime() + READING_COUNTS_MS)
    .filter((endMs) => endMs > nowMs)
    .sort((a, b) => a - b);
  const end = ends[ends.length - MAX_UNCARRIED];
  if (end === undefined) return undefined;
  return (
    `it read private parts of ${ends.length} packages within 30 days and has not carried them; it reads and wins nothing private ` +
    `until it carries one that it still has, or until ${new Date(end).toISOString()}`
  );
}

/** The requirement that the agent misses, in words, or undefined. Rule T-53. */
export function missedRequirement(required: Requirements | null, agent: Qualified): string | undefined {
  if (required === null) return undefined;
  const { minScore = 0, minCompleted = 0, capabilities = [], blocked = [] } = required;
  if (blocked.includes(agent.agentPubkey)) return 'who listed it takes no bids of this agent';
  if (agent.reliabilityScore < minScore) {
    return `its reliability score is ${agent.reliabilityScore}; at least ${minScore} is required`;
  }
  if (agent.legsCompleted < minCompleted) {
    return `it has completed ${agent.legsCompleted} legs; at least ${minCompleted} are required`;
  }
  const missing = capabilities.find((one) => !agent.capabilities.includes(one));
  return missing === undefined
    ? undefined
    : `its registration does not name ${JSON.stringify(missing)}, which is required`;
}
