import type { RuleFault } from './fault.js';

/** Seconds from listing to deadline when the poster names none: 72 h. */
export const DEFAULT_DEADLINE_SEC = 72 * 3600;

/** The least time from listing to deadline, in seconds: 10 minutes. */
export const MIN_DEADLINE_SEC = 600;

/** The longest time from listing to deadline, in seconds: 180 days. */
export const MAX_DEADLINE_SEC = 180 * 86_400;

/** The longest time from posting to deadline, in seconds, of what the coordinator funds: 7 days. Rule M-70. */
export const MAX_SPONSORED_DEADLINE_SEC = 7 * 86_400;

const MINUTE_MS = 60_000;

/** Checks that a package may be listed now with this deadline (both milliseconds since 1970). Rule M-19. */
export function checkDeadline(deadlineMs: number, nowMs: number): RuleFault<'invalid_input'> | undefined {
  const seconds = (deadlineMs - nowMs) / 1000;
  if (seconds >= MIN_DEADLINE_SEC && seconds <= MAX_DEADLINE_SEC) {
    return undefined;
  }
  return {
    code: 'invalid_input',
    field: 'deadline',
    message: `must lie 10 minutes to 180 days after listing, from ${iso(nowMs + MIN_DEADLINE_SEC * 1000)} on`,
  };
}

/**
 * Checks that the coordinator may fund a package or digital task with this deadline (both
 * milliseconds since 1970): nobody who asks can lock its money for longer than that.
 */
export function checkSponsoredDeadline(deadlineMs: number, nowMs: number): RuleFault<'invalid_input'> | undefined {
  const latestMs = nowMs + MAX_SPONSORED_DEADLINE_SEC * 1000;
  if (deadlineMs <= latestMs) return undefined;
  return {
    code: 'invalid_input',
    field: 'deadline',
    message: `must lie at most 7 days after the posting, until ${iso(latestMs)}, for what the coordinator funds`,
  };
}

/** The whole minutes left until the deadline: a chain may take at most so many. Negative once it passed. Rule M-20. */
export function minutesUntil(deadlineMs: number, nowMs: number): number {
  return Math.floor((deadlineMs - nowMs) / MINUTE_MS);
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
