import { type DueEvent, wireInstant } from '../compareEvents.js';
import { endSignatureOf, refundOf, settleSignatureOf } from '../facts.js';
import { completedLegs, type PackageFacts } from './packageFacts.js';

function dueOfFormation({ formation, statusSignature }: PackageFacts): DueEvent[] {
  // The service announces a swarm once all its legs are assigned.
  if (!formation || formation.legs.length < formation.totalLegs) return [];
  const { formSignature } = formation;
  const formed = { onChainSwarm: formation.swarm, formSignature, totalLamports: Number(formation.totalLamports) };
  const chosen = formation.legs.map((leg, legIndex) => ({
    type: 'BID_RECEIVED' as const,
    facts: { legIndex, agentPubkey: leg.courier, agreedPaymentLamports: Number(leg.paymentLamports) },
    signature: formSignature,
  }));
  const confirmed = completedLegs(formation).map((leg, legIndex) => {
    const signature = leg.confirmSignature ?? statusSignature;
    const paymentLamports = Number(leg.paymentLamports);
    return {
      type: 'LEG_CONFIRMED' as const,
      facts: { legIndex, agentPubkey: leg.courier, paymentLamports, signature },
      signature,
    };
  });
  return [{ type: 'SWARM_FORMED', facts: formed, signature: formSignature }, ...chosen, ...confirmed];
}

/** The events that the ledger's transactions about a package call for, in their order. */
export function dueEvents(item: PackageFacts): DueEvent[] {
  const { listSignature, shipper: shipperPubkey, address: onChainPackage, status } = item;
  const maxBudgetLamports = Number(item.budgetLamports);
  const listed = {
    shipperPubkey,
    maxBudgetLamports,
    deadline: wireInstant(item.deadline),
    onChainPackage,
    listSignature,
  };
  const due: DueEvent[] = [{ type: 'PACKAGE_LISTED', facts: listed, signature: listSignature }];
  due.push(...dueOfFormation(item));
  const settleSignature = settleSignatureOf(item);
  if (settleSignature !== null) {
    const facts = { settleSignature, refundLamports: Number(refundOf(item)) };
    due.push({ type: 'PACKAGE_DELIVERED', facts, signature: settleSignature });
  }
  const ended = endSignatureOf(item);
  if (ended !== null) due.push({ type: 'PACKAGE_FAILED', facts: { failureReason: status }, signature: ended });
  return due;
}
