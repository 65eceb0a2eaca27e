import { instant } from './page.js';
import type { Claim } from './service.js';

/** When a claim was paid, as a link to the transaction; that it was not; that there is nothing to pay. */
export function paymentOf({ devnetEarningsLamports, paidAt, explorer }: Claim): Node | string {
  if (devnetEarningsLamports === 0) return 'nothing to pay';
  if (paidAt === null) return 'not yet';
  if (explorer.paidSignature === null) return instant(paidAt);
  const link = document.createElement('a');
  link.href = explorer.paidSignature;
  link.textContent = instant(paidAt);
  return link;
}
