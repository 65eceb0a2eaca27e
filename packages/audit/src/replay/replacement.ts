import type { Named } from '@legwork/program-client';
import { gapBefore } from '../errors.js';
import { completedOf, hasTerms, type Held, type Movement, newTurn, stepOf, type TermsLeg } from './legs.js';
import type { Formed } from './packageFacts.js';

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
    turn: newTurn(landing, data),
  };
  formation.legs[data.index] = leg;
  formation.formerLegs.push(former);
  formation.steps.push(stepOf(leg, 'replace', accounts.coordinator.address, landing, { former }));
}

/** The stakes of what is reclaimed: who waits, or works on a task, gets its own, the funder that of who carries a parcel. Rules T-37, T-39. */
export function reclaimLegs(held: Held, { name, signer }: { name: string; signer: string }): void {
  const { steps, landing } = held;
  const { terms, funder } = held.listing;
  const legs = held.legs.filter(hasTerms);
  const first = legs[completedOf(legs).length];
  if (first && ['claimed', 'disputed', 'ruled'].includes(first.turn.stage)) {
    throw gapBefore(landing.signature, `${name} found leg ${first.index} ${first.turn.stage}`);
  }
  for (const leg of legs) {
    const movement = terms && stakeOf(leg, terms.stake, funder);
    if (!movement) continue;
    if (landing.hasGainedNothing(movement.to)) movement.to = funder;
    steps.push(stepOf(leg, 'reclaim', signer, landing, { movements: [movement] }));
  }
}

/** Undefined: it holds none. */
function stakeOf({ address: from, courier, turn }: TermsLeg, lamports: bigint, funder: string): Movement | undefined {
  if (turn.stage === 'accepted') return { what: 'stake_returned', from, to: courier, lamports };
  return turn.stage === 'carried' ? { what: 'stake_forfeited', from, to: funder, lamports } : undefined;
}
