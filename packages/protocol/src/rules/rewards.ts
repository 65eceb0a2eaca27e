import type { RewardClaim } from '../contract/resources/rewardClaim.js';

/** When claims are taken, both ends included. */
export interface ClaimWindow {
  readonly opensAt: Date;
  readonly closesAt: Date;
}

/** The window when nothing else is configured. */
export const DEFAULT_CLAIM_WINDOW: ClaimWindow = {
  opensAt: new Date('2026-05-11T00:00:00.000Z'),
  closesAt: new Date('2026-05-17T23:59:59.999Z'),
};

/** Reports whether claims are taken at this instant. Rule M-67. */
export function isWindowOpen({ opensAt, closesAt }: ClaimWindow, now: Date): boolean {
  return opensAt.getTime() <= now.getTime() && now.getTime() <= closesAt.getTime();
}

/**
 * The order of claims: higher earnings first, then the earlier claim, then the smaller key as text, of which no two claims have
 * the same. Rule M-68. For `sort`.
 */
export function compareClaims(
  left: Pick<RewardClaim, 'devnetEarningsLamports' | 'claimedAt' | 'devnetPubkey'>,
  right: Pick<RewardClaim, 'devnetEarningsLamports' | 'claimedAt' | 'devnetPubkey'>,
): number {
  if (left.devnetEarningsLamports !== right.devnetEarningsLamports) {
    return left.devnetEarningsLamports > right.devnetEarningsLamports ? -1 : 1;
  }
  const later = left.claimedAt.getTime() - right.claimedAt.getTime();
  if (later !== 0) return later;
  return left.devnetPubkey === right.devnetPubkey ? 0 : left.devnetPubkey < right.devnetPubkey ? -1 : 1;
}
