import type { CourierPolicy } from '../policy/policy.js';

/** One way that a courier goes anyway. */
export type Way = NonNullable<CourierPolicy['itinerary']>[number];

const MINUTE_MS = 60_000;
const WHOLE_DAY = { from: 0, to: 24 * 60 };
/** Today, and a week: every weekday comes once more, also when today's hours are over. */
const DAYS_AHEAD = 8;

/**
 * Whether a courier that goes this way can take so many minutes for a parcel before the deadline: it sets out on one of its days,
 * within its hours, in the time zone of this machine.
 *
 * @param nowMs milliseconds since 1970, as `deadlineMs`
 */
export function isInTime(
  { days, between = WHOLE_DAY }: Pick<Way, 'days' | 'between'>,
  minutes: number,
  deadlineMs: number,
  nowMs: number,
): boolean {
  for (let ahead = 0; ahead < DAYS_AHEAD; ahead += 1) {
    const day = new Date(nowMs);
    day.setDate(day.getDate() + ahead);
    // JavaScript counts from Sunday, a policy from Monday.
    if (days && !days.includes((day.getDay() + 6) % 7)) continue;
    const setsOutMs = Math.max(nowMs, day.setHours(0, between.from, 0, 0));
    if (setsOutMs <= day.setHours(0, between.to, 0, 0)) return setsOutMs + minutes * MINUTE_MS <= deadlineMs;
  }
  return false;
}
