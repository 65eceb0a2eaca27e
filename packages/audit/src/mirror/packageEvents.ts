import type { Terms } from '@legwork/program-client';
import {
  couriersOf,
  endSignatureOf,
  type PackageFacts,
  refundOf,
  settleSignatureOf,
  type StepFacts,
} from '@legwork/program-client/facts';
import { type DueEvent, wireInstant } from './events.js';
import { dueOf, dueOfMove } from './moveEvents.js';

/** The events that the ledger's transactions about a package call for, in their order. */
export function dueOfPackage(parcel: PackageFacts): DueEvent[] {
  const { listSignature, poster: shipperPubkey, address: onChainPackage, status } = parcel;
  const maxBudgetLamports = Number(parcel.budgetLamports);
  const listed = {
    shipperPubkey,
    maxBudgetLamports,
    deadline: wireInstant(parcel.deadline),
    onChainPackage,
    listSignature,
  };
  const due: DueEvent[] = [{ type: 'PACKAGE_LISTED', facts: listed, signature: listSignature }];
  due.push(...dueOfFormation(parcel));
  const settleSignature = settleSignatureOf(parcel);
  if (settleSignature !== null) {
    const facts = { settleSignature, refundLamports: Number(refundOf(parcel)) };
    due.push({ type: 'PACKAGE_DELIVERED', facts, signature: settleSignature });
  }
  const ended = endSignatureOf(parcel);
  if (ended !== null) due.push({ type: 'PACKAGE_FAILED', facts: { failureReason: status }, signature: ended });
  return due;
}

function dueOfFormation({ formation, terms, steps }: PackageFacts): DueEvent[] {
  // The service announces a swarm once all its legs are assigned.
  if (!formation || formation.legs.length < formation.totalLegs) return [];
  const { formSignature } = formation;
  const formed = { onChainSwarm: formation.swarm, formSignature, totalLamports: Number(formation.reservedLamports) };
  const first = formation.legs.flatMap(({ index }) => couriersOf(formation, index).slice(0, 1));
  const chosen = first.map((leg) => ({
    type: 'BID_RECEIVED' as const,
    facts: {
      legIndex: leg.index,
      agentPubkey: leg.courier,
      agreedPaymentLamports: Number(leg.paymentLamports),
    },
    signature: formSignature,
  }));
  const done = steps.flatMap((step) => dueOfStep(step, terms) ?? []);
  return [{ type: 'SWARM_FORMED', facts: formed, signature: formSignature }, ...chosen, ...done];
}

/** The event of what was done to a leg; undefined: it has none of its own. */
function dueOfStep(step: StepFacts, terms: Terms | null): DueEvent | undefined {
  const { leg, former } = step;
  if (step.move === 'confirm') return dueOf(step, ['LEG_CONFIRMED', { paymentLamports: Number(leg.paidLamports) }]);
  if (step.move !== 'replace') return dueOfMove(step, terms);
  const agreedPaymentLamports = Number(leg.paymentLamports);
  return dueOf(step, ['LEG_REPLACED', { formerAgentPubkey: former?.courier ?? '', agreedPaymentLamports }]);
}
