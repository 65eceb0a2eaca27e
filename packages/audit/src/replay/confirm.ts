import type { Named } from '@legwork/program-client';
import { toLamports } from '@legwork/protocol/contract';
import { ruledPayment } from '@legwork/protocol/rules';
import { gapBefore } from '../errors.js';
import {
  advance,
  completedOf,
  hasTerms,
  type Held,
  type LegFacts,
  type Movement,
  stepOf,
  type TermsLeg,
} from './legs.js';
import type { Formed } from './packageFacts.js';
import { payStake } from './stakes.js';
import { completeLeg, countLeg } from './reputations.js';

/** Completes the next leg of a package in order and pays its courier. */
export function confirmLeg(formed: Formed, instruction: Named<'confirmLeg'>): void {
  const { legs, landing, reputations } = formed;
  const { signature } = landing;
  const leg = legs[completedOf(legs).length];
  const { accounts, data } = instruction;
  const notNext = () =>
    gapBefore(signature, `leg ${accounts.leg.address} of formation ${data.formation} was not the next one`);
  if (leg?.address !== accounts.leg.address || leg.courier !== accounts.courier.address) throw notNext();
  const signer = accounts.recipient.address;
  if (hasTerms(leg)) endTurn(formed, leg, signer, data.formation);
  else {
    if (data.formation !== leg.formation) throw notNext();
    endLeg(formed, leg, signer);
  }
  completeLeg(reputations, leg.courier, signature);
}

/** Ends a leg of a package with terms: somebody took the parcel over or received it, or time or a ruling did. Rules T-31 to T-35. */
function endTurn(formed: Formed, leg: TermsLeg, signer: string, number: number): void {
  const { legs, steps, landing, reputations } = formed;
  const next = legs.slice(leg.index + 1).find(hasTerms);
  const taker = next && isTakenOver(formed, leg, next, signer) ? next : undefined;
  const { stage } = leg.turn;
  const isRipe = stage === 'claimed' || stage === 'ruled';
  if (next && !taker && !isRipe) throw gapBefore(landing.signature, `confirmLeg found leg ${leg.index} ${stage}`);
  const expected = Math.max(leg.formation, taker?.formation ?? 0);
  if (number !== expected) throw gapBefore(landing.signature, `leg ${leg.index} had the number ${expected}`);

  countLeg(reputations, leg, landing.signature);
  endLeg(formed, leg, signer);
  if (taker) {
    countLeg(reputations, taker, landing.signature);
    advance(formed, taker, 'handover');
    steps.push(stepOf(taker, 'handover', signer, landing));
  }
  // Its courier is to act now, whatever it had done before.
  if (next) next.turn.since = landing.at;
}

/** Before the deadline the signature of the next courier, who has accepted, says that it has the parcel now. */
function isTakenOver({ listing, landing }: Formed, leg: TermsLeg, next: TermsLeg, signer: string): boolean {
  const isHeld = leg.turn.stage === 'carried' || leg.turn.stage === 'claimed';
  const isOpen = landing.at === null || landing.at < listing.deadline;
  return next.courier === signer && next.turn.stage === 'accepted' && isHeld && isOpen;
}

/** Completes a leg of either kind: its courier is paid, with terms what a ruling left, and gets its stake back. Rule T-36. */
export function endLeg(held: Held, leg: LegFacts, signer: string): void {
  const { listing, steps, landing } = held;
  const movements: Movement[] = [];
  let lamports = leg.paymentLamports;
  if (listing.terms && hasTerms(leg)) {
    const { stage, percent } = leg.turn;
    const isRuled = stage === 'ruled';
    advance(held, leg, 'confirm');
    if (!isRuled) movements.push(payStake({ ...held, terms: listing.terms, leg }, leg.courier));
    lamports = ruledPayment(toLamports(leg.paymentLamports), isRuled ? percent : null);
  }
  steps.push(stepOf(leg, 'confirm', signer, landing, { movements }));
  pay(held, leg, lamports);
  leg.confirmSignature = landing.signature;
}

function pay({ listing, landing }: Held, leg: LegFacts, lamports: bigint): void {
  const { vault } = listing;
  leg.paidLamports = lamports;
  listing.paidLamports += lamports;
  if (lamports === 0n) return;
  landing.move(vault, -lamports);
  // Without terms a courier that cannot receive is not confirmed.
  const keep = () => {
    leg.paidLamports = 0n;
    listing.paidLamports -= lamports;
  };
  if (leg.turn) landing.payOut({ vault, lamports, keep });
}
