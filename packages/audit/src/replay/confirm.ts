import { toLamports } from '@legwork/protocol/contract';
import { ruledPayment } from '@legwork/protocol/rules';
import type { Terms } from '@legwork/program-client';
import { gapBefore } from '../errors.js';
import { advance, hasTerms, type LegFacts, stepOf, type TermsLeg } from './legs.js';
import { completedLegs, type Formed, type Named } from './packageFacts.js';
import { type Moved, payStake } from './stakes.js';
import { completeLeg, type Reputations } from './reputations.js';

/** Completes the next leg in order and pays its courier. */
export function confirmLeg(formed: Formed, instruction: Named<'confirmLeg'>, reputations: Reputations): void {
  const { parcel, formation, landing } = formed;
  const { signature } = landing;
  const leg = formation.legs[completedLegs(formation).length];
  const { accounts, data } = instruction;
  const notNext = () =>
    gapBefore(signature, `leg ${accounts.leg.address} of formation ${data.formation} was not the next one`);
  if (leg?.address !== accounts.leg.address || leg.courier !== accounts.courier.address) throw notNext();
  const { terms } = parcel;
  if (terms && hasTerms(leg)) endLeg({ ...formed, terms, leg }, accounts.recipient.address, data.formation);
  else {
    if (data.formation !== leg.formation) throw notNext();
    formation.steps.push(stepOf(leg, 'confirm', accounts.recipient.address, landing));
    pay(formed, leg, leg.paymentLamports);
  }
  leg.confirmSignature = signature;
  completeLeg(reputations, leg.courier, signature);
}

function pay({ parcel, landing }: Formed, leg: LegFacts, lamports: bigint): void {
  const { vault } = parcel;
  leg.paidLamports = lamports;
  parcel.paidLamports += lamports;
  if (lamports === 0n) return;
  landing.move(vault, -lamports);
  // Without terms a courier that cannot receive is not confirmed.
  const keep = () => {
    leg.paidLamports = 0n;
    parcel.paidLamports -= lamports;
  };
  if (leg.turn) landing.payOut({ vault, lamports, keep });
}

/** Ends a leg with terms: somebody took the parcel over or received it, or time or a ruling did. Rules T-31 to T-36. */
function endLeg(moved: Moved & { terms: Terms }, signer: string, number: number): void {
  const { formation, landing, leg } = moved;
  const next = formation.legs.slice(leg.index + 1).find(hasTerms);
  const taker = next && isTakenOver(moved, next, signer) ? next : undefined;
  const { stage, percent } = leg.turn;
  const isRipe = stage === 'claimed' || stage === 'ruled';
  if (next && !taker && !isRipe) throw gapBefore(landing.signature, `confirmLeg found leg ${leg.index} ${stage}`);
  const expected = Math.max(leg.formation, taker?.formation ?? 0);
  if (number !== expected) throw gapBefore(landing.signature, `leg ${leg.index} had the number ${expected}`);

  advance(leg, 'confirm', landing);
  const movements = stage === 'ruled' ? [] : [payStake(moved, leg.courier)];
  formation.steps.push(stepOf(leg, 'confirm', signer, landing, { movements }));
  pay(moved, leg, ruledPayment(toLamports(leg.paymentLamports), stage === 'ruled' ? percent : null));
  if (taker) {
    advance(taker, 'handover', landing);
    formation.steps.push(stepOf(taker, 'handover', signer, landing));
  }
  // Its courier is to act now, whatever it had done before.
  if (next) next.turn.since = landing.at;
}

/** Before the deadline the signature of the next courier, who has accepted, says that it has the parcel now. */
function isTakenOver({ parcel, leg, landing }: Moved, next: TermsLeg, signer: string): boolean {
  const isHeld = leg.turn.stage === 'carried' || leg.turn.stage === 'claimed';
  const isOpen = landing.at === null || landing.at < parcel.deadline;
  return next.courier === signer && next.turn.stage === 'accepted' && isHeld && isOpen;
}
