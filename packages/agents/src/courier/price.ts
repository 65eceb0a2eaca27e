import { formatSol, toLamports } from '@legwork/sdk';
import type { Lamports } from '@legwork/sdk';
import type { Tell } from '../engine/reasons.js';
import type { Policy } from '../policy/policy.js';
import { rent } from '../wallet/mostItCosts.js';
import type { LegalBid } from './advice.js';

/** How far and how long a stretch is on the road. */
export interface Road {
  readonly distanceKm: number;
  readonly durationMin: number;
}

/** An empty wallet could not receive less. Rule M-18. */
const LEAST_RECEIVABLE = rent(0);
/** Amounts are worked out in millionths of a kilometre and of an hour: whole numbers, so that no lamport is lost. */
const PARTS = 1_000_000;

/**
 * What a bid on a stretch asks, and the range in which a model may move it: at least what the policy takes, at most the stretch's
 * share of the budget. Rule A-31.
 *
 * @param share of the package's way, above 0, at most 1
 * @returns undefined when it is not worth it
 */
export function priceOf(
  road: Road,
  share: number,
  budget: bigint,
  { courier, limits }: Pick<Policy, 'courier' | 'limits'>,
  tell: Tell,
): LegalBid['price'] | undefined {
  if (!courier) return undefined;
  const { base, perKm, perHour, margin } = courier.price;
  const least = max(limits.minPayment, LEAST_RECEIVABLE);
  const most = min(budget, (budget * parts(share)) / BigInt(PARTS));
  const cost = base + (perKm * parts(road.distanceKm) + perHour * parts(road.durationMin / 60)) / BigInt(PARTS);
  const rule = max(cost, least);
  if (rule > most) {
    const asked = cost > least ? 'courier.price asks' : 'limits.minPayment asks';
    tell(
      'price',
      `${asked} ${formatSol(whole(rule))} SOL for ${road.distanceKm} km, but this stretch may cost ${formatSol(whole(most))} SOL`,
    );
    return undefined;
  }
  return {
    lowest: whole(max(least, (rule * BigInt(100 - margin)) / 100n)),
    rule: whole(rule),
    highest: whole(min(most, (rule * BigInt(100 + margin)) / 100n)),
  };
}

const parts = (value: number) => BigInt(Math.round(value * PARTS));
const max = (a: bigint, b: bigint) => (a > b ? a : b);
const min = (a: bigint, b: bigint) => (a < b ? a : b);
const whole = (lamports: bigint): Lamports => toLamports(lamports);
