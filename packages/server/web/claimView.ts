import { element, instant, moveTo, reveal, sol, write } from './page.js';
import { paymentOf } from './payment.js';
import type { Claim } from './service.js';

/** Shows a claim, and whether it was made now or was there before. */
export function showClaim(claim: Claim, isNew: boolean): void {
  write({
    'claim-news': isNew
      ? 'Your claim is registered.'
      : 'This key has a claim already. A key has one, and it is never changed.',
    'claim-earnings': sol(claim.devnetEarningsLamports),
    'claim-key': claim.devnetPubkey,
    'claim-payout': claim.mainnetPubkey,
    'claim-proven': claim.mainnetProven ? 'yes, its key signed' : 'no',
    'claim-time': instant(claim.claimedAt),
  });
  element('claim-paid', HTMLElement).replaceChildren(paymentOf(claim));
  reveal(true, 'claim');
  moveTo('claim-heading');
}
