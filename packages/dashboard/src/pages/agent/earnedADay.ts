import { isInSol, type Lamports, type QueuedLeg, toLamports } from '@legwork/sdk';

/** What an agent was paid in SOL on one day, UTC. */
export interface EarnedDay {
  /** `2026-05-11` */
  readonly day: string;
  readonly lamports: Lamports;
}

const DAY_MS = 86_400_000;
const MOST_DAYS = 30;

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** What a completed leg paid. */
export const paymentOf = (leg: QueuedLeg): Lamports | null =>
  leg.kind === 'digital' ? leg.payment : leg.status === 'completed' ? leg.agreedPayment : null;

/**
 * What each of the last days earned in SOL, up to today, days without earnings included.
 *
 * @param isWhole these are all completed legs: else the oldest day, of which some may be missing, is left out
 */
export function earnedADay(
  legs: readonly QueuedLeg[],
  { nowMs, isWhole }: { nowMs: number; isWhole: boolean },
): EarnedDay[] {
  const earned = new Map<string, bigint>();
  let oldest = Number.POSITIVE_INFINITY;
  for (const leg of legs) {
    if (leg.completedAt === null || !isInSol(leg)) continue;
    const at = leg.completedAt.getTime();
    oldest = Math.min(oldest, at);
    earned.set(dayOf(at), (earned.get(dayOf(at)) ?? 0n) + (paymentOf(leg) ?? 0n));
  }
  if (earned.size === 0) return [];
  const today = Math.floor(nowMs / DAY_MS);
  const start = Math.floor(oldest / DAY_MS) + (isWhole ? 0 : 1);
  const days = Array.from({ length: Math.min(Math.max(today - start + 1, 0), MOST_DAYS) }, (_, ago) => today - ago);
  return days.reverse().map((day) => {
    const name = dayOf(day * DAY_MS);
    return { day: name, lamports: toLamports(earned.get(name) ?? 0n) };
  });
}
