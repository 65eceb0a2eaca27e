import type { RewardClaim } from '@legwork/sdk';
import { instant } from './claimWindow.js';

/** When a claim was paid, as a link to the transaction; that it was not; that there is nothing to pay. */
export function Payment({ of: { devnetEarningsLamports, paidAt, explorer } }: { of: RewardClaim }) {
  if (devnetEarningsLamports === 0n) return <>nothing to pay</>;
  if (paidAt === null) return <>not yet</>;
  if (explorer.paidSignature === null) return <>{instant(paidAt)}</>;
  return <a href={explorer.paidSignature}>{instant(paidAt)}</a>;
}
