import { toLamports } from '@legwork/protocol/contract';
import { ruledPayment } from '@legwork/protocol/rules';
import type { Named } from '../instructions.js';
import {
  advance,
  completedOf,
  countAccepted,
  countCompleted,
  type Formed,
  hasTerms,
  type Held,
  type LegFacts,
  type Movement,
  noteStep,
  restart,
  type TermsLeg,
} from './legs.js';
import { payStake } from './moves.js';
import { misfit } from './transaction.js';

/** Completes the next leg of a package in order and pays its courier. */
export function confirmLeg(formed: Formed, { accounts, data }: Named<'confirmLeg'>): void {
  const { legs } = formed;
  const leg = legs[completedOf(legs).length];
  const number = data.formation;
  const notNext = `leg ${accounts.leg.address} of formation ${number} was not the next one`;
  if (leg?.address !== accounts.leg.address || leg.courier !== accounts.courier.address) misfit(notNext);
  const signer = accounts.recipient.address;
  if (hasTerms(leg)) endTurn(formed, leg, signer, number);
  else if (number === leg.formation) endLeg(formed, leg, signer);
  else misfit(notNext);
  countCompleted(formed, leg);
}

/** Ends a leg of a package with terms: somebody took the parcel over or received it, or time or a ruling did. Rules T-31 to T-35. */
function endTurn(formed: Formed, leg: TermsLeg, signer: string, number: number): void {
  const { legs, landing } = formed;
  const next = legs.slice(leg.index + 1).find(hasTerms);
  const taker = next && isTakenOver(formed, leg, next, signer) ? next : undefined;
  const { stage } = leg.turn;
  const isRipe = stage === 'claimed' || stage === 'ruled';
  if (next && !taker && !isRipe) misfit(`confirmLeg found leg ${leg.index} ${stage}`);
  const expected = Math.max(leg.formation, taker?.formation ?? 0);
  if (number !== expected) misfit(`leg ${leg.index} had the number ${expected}`);

  countAccepted(formed, leg);
  endLeg(formed, leg, signer);
  if (taker) {
    countAccepted(formed, taker);
    advance(formed, taker, 'handover');
    noteStep(formed, taker, 'handover', signer);
  }
  // Its courier is to act now, whatever it had done before.
  if (next) restart(next.turn, landing);
}

/** Before the deadline the signature of the next courier, who has accepted, says that it has the parcel now. */
function isTakenOver({ listing, landing }: Formed, leg: TermsLeg, next: TermsLeg, signer: string): boolean {
  const isHeld = leg.turn.stage === 'carried' || leg.turn.stage === 'claimed';
  const isOpen = landing.at === null || landing.at < listing.deadline;
  return next.courier === signer && next.turn.stage === 'accepted' && isHeld && isOpen;
}

/** Completes a leg of either kind: its courier is paid, with terms what a ruling left, and gets its stake back. Rule T-36. */
export function endLeg(held: Held, leg: LegFacts, signer: string): void {
  const movements: Movement[] = [];
  const { terms } = held.listing;
  let lamports = leg.paymentLamports;
  if (terms && hasTerms(leg)) {
    if (leg.turn.stage !== 'ruled') movements.push(payStake({ ...held, terms, leg }, leg.courier));
    advance(held, leg, 'confirm');
    lamports = ruledPayment(toLamports(leg.paymentLamports), leg.turn.percent);
  }
  noteStep(held, leg, 'confirm', signer, { movements });
  pay(held, leg, lamports);
  leg.confirmSignature = held.landing.signature;
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
  if (leg.turn) landing.payOut({ vault, wallet: leg.courier, lamports, keep });
}

/** The stakes of a reclaim: workers that wait, or work on a task, get their own, the funder that of a parcel's carrier. Rules T-37, T-39. */
export function reclaimLegs(held: Held, name: string, signer: string): void {
  const { terms, funder, asset } = held.listing;
  const legs = held.legs.filter(hasTerms);
  const first = legs[completedOf(legs).length];
  if (first && ['claimed', 'disputed', 'ruled'].includes(first.turn.stage)) {
    misfit(`${name} found leg ${first.index} ${first.turn.stage}`);
  }
  for (const leg of legs) {
    const movement = terms && stakeOf(leg, terms.stake, funder);
    if (!movement) continue;
    if (asset === null && held.landing.hasGainedNothing(movement.to)) movement.to = funder;
    noteStep(held, leg, 'reclaim', signer, { movements: [movement] });
  }
}

/** Undefined: it holds none. */
function stakeOf({ address: from, courier, turn }: TermsLeg, lamports: bigint, funder: string): Movement | undefined {
  if (turn.stage === 'accepted') return { what: 'stake_returned', from, to: courier, lamports };
  return turn.stage === 'carried' ? { what: 'stake_forfeited', from, to: funder, lamports } : undefined;
}
