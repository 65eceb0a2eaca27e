import { gapBefore } from '../errors.js';
import { hasTerms, type Movement, newTurn, stepOf, type TermsLeg } from './legs.js';
import { completedLegs, type Formed, type Named } from './packageFacts.js';

/** Gives a vacant leg to another courier. Rules T-26 to T-30. */
export function replaceCourier({ formation, landing }: Formed, { accounts, data }: Named<'assignLeg'>): void {
  const { signature } = landing;
  const former = formation.legs[data.index];
  if (former?.address !== accounts.leg.address || former.turn?.stage !== 'vacant') {
    throw gapBefore(signature, `assignLeg found leg ${data.index} ${former?.turn?.stage ?? 'without terms'}`);
  }
  former.turn.endedAt = landing.at;
  formation.latestNumber += 1;
  formation.assignedLamports += data.paymentLamports - former.paymentLamports;
  const leg = {
    index: data.index,
    address: former.address,
    courier: accounts.courier.address,
    paymentLamports: data.paymentLamports,
    formation: formation.latestNumber,
    assignSignature: signature,
    isReplacement: true,
    confirmSignature: null,
    paidLamports: null,
    turn: newTurn(landing),
  };
  formation.legs[data.index] = leg;
  formation.formerLegs.push(former);
  formation.steps.push(stepOf(leg, 'replace', accounts.coordinator.address, landing, { former }));
}

/** The stakes of a reclaimed package: each courier who waits gets its own, the funder that of the one who carries. Rules T-37, T-39. */
export function reclaimLegs({ parcel, formation, landing }: Formed, signer: string): void {
  const { terms, funder } = parcel;
  const legs = formation.legs.filter(hasTerms);
  const first = legs[completedLegs(formation).length];
  if (first && ['claimed', 'disputed', 'ruled'].includes(first.turn.stage)) {
    throw gapBefore(landing.signature, `reclaimPackage found leg ${first.index} ${first.turn.stage}`);
  }
  for (const leg of legs) {
    const movement = terms && stakeOf(leg, terms.stake, funder);
    if (!movement) continue;
    if (landing.isUnchanged(movement.to)) movement.to = funder;
    formation.steps.push(stepOf(leg, 'reclaim', signer, landing, { movements: [movement] }));
  }
}

/** Undefined: it holds none. */
function stakeOf({ address: from, courier, turn }: TermsLeg, lamports: bigint, funder: string): Movement | undefined {
  if (turn.stage === 'accepted') return { what: 'stake_returned', from, to: courier, lamports };
  return turn.stage === 'carried' ? { what: 'stake_forfeited', from, to: funder, lamports } : undefined;
}
