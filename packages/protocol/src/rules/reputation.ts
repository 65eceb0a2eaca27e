/** A newcomer's reliability, in percent, when nothing else is configured. */
export const DEFAULT_NEWCOMER_PRIOR = 50;

/** The most that an agent without history may count as, in percent. */
export const NEWCOMER_CEILING = 60;

/** The trust adjustment for having presented expired credentials, in percent points; there is no larger one. */
export const MAX_TRUST_PENALTY = -10;

/**
 * The ledger's score, 0 to 100: floor(100 * completed / accepted), 0 before the first accepted leg. Rule M-11.
 *
 * @throws {RangeError} unless 0 <= completed <= accepted
 */
export function reliabilityScore(legsCompleted: bigint, legsAccepted: bigint): number {
  if (legsCompleted < 0n || legsCompleted > legsAccepted) {
    throw new RangeError(`${legsCompleted} completed of ${legsAccepted} accepted legs; completed is 0 to accepted`);
  }
  return legsAccepted === 0n ? 0 : Number((100n * legsCompleted) / legsAccepted);
}

/** The known facts about an agent when its bids are weighed. */
export interface Standing {
  /** The ledger's score, integer 0 to 100. */
  readonly reliabilityScore: number;
  /** True if any of its legs has ended: completed, released, lapsed or reclaimed. A first leg under way is no history. */
  readonly hasHistory: boolean;
  /** Percent points, integer {@link MAX_TRUST_PENALTY} to 0. */
  readonly trustAdjustment: number;
}

/**
 * rho, the percentage that selection and payment use: the score of an agent with history, else the newcomer prior under
 * its ceiling; plus the trust adjustment; within 0 to 100. Rules M-12, M-13, M-14.
 *
 * @param newcomerPrior integer 0 to 100, configuration
 * @throws {RangeError} for a score, prior or adjustment out of range
 */
export function rho(standing: Standing, newcomerPrior: number = DEFAULT_NEWCOMER_PRIOR): number {
  requirePercent('reliabilityScore', standing.reliabilityScore, 0, 100);
  requirePercent('newcomerPrior', newcomerPrior, 0, 100);
  requirePercent('trustAdjustment', standing.trustAdjustment, MAX_TRUST_PENALTY, 0);
  const base = standing.hasHistory ? standing.reliabilityScore : Math.min(newcomerPrior, NEWCOMER_CEILING);
  return Math.max(0, base + standing.trustAdjustment);
}

function requirePercent(name: string, value: number, low: number, high: number): void {
  if (!Number.isInteger(value) || value < low || value > high) {
    throw new RangeError(`${name} is ${value}; it is an integer from ${low} to ${high}`);
  }
}
