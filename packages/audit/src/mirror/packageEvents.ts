import type { Terms } from '@legwork/program-client';
import type { StepFacts } from '../replay/legs.js';
import { endSignatureOf, refundOf, settleSignatureOf } from '../replay/listing.js';
import { firstLegs, type PackageFacts } from '../replay/packageFacts.js';
import { type DueEvent, wireInstant } from './events.js';

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

function dueOfFormation({ formation, terms }: PackageFacts): DueEvent[] {
  // The service announces a swarm once all its legs are assigned.
  if (!formation || formation.legs.length < formation.totalLegs) return [];
  const { formSignature } = formation;
  const formed = { onChainSwarm: formation.swarm, formSignature, totalLamports: Number(formation.reservedLamports) };
  const chosen = firstLegs(formation).map((leg) => ({
    type: 'BID_RECEIVED' as const,
    facts: {
      legIndex: leg.index,
      agentPubkey: leg.courier,
      agreedPaymentLamports: Number(leg.paymentLamports),
    },
    signature: formSignature,
  }));
  const done = formation.steps.flatMap((step) => dueOfStep(step, terms) ?? []);
  return [{ type: 'SWARM_FORMED', facts: formed, signature: formSignature }, ...chosen, ...done];
}

type Said = [type: DueEvent['type'], facts?: DueEvent['facts']];

/** The event of what was done to a leg; undefined: it has none of its own. */
function dueOfStep(step: StepFacts, terms: Terms | null): DueEvent | undefined {
  const { leg, signature } = step;
  const said = terms === null ? (['LEG_CONFIRMED', paid(step)] satisfies Said) : saidOf(step, terms);
  if (said === undefined) return undefined;
  const [type, facts = {}] = said;
  return { type, facts: { legIndex: leg.index, agentPubkey: leg.courier, signature, ...facts }, signature };
}

const paid = ({ leg }: StepFacts) => ({ paymentLamports: Number(leg.paidLamports) });

function saidOf(step: StepFacts, terms: Terms): Said | undefined {
  const { leg, former, signer, hash } = step;
  switch (step.move) {
    case 'accept':
      return ['LEG_ACCEPTED', { stakeLamports: Number(terms.stake) }];
    case 'take':
    case 'handover':
      return ['LEG_CARRIED', untilAfter(step, terms.carry)];
    case 'leave':
    case 'evict':
      return ['LEG_VACATED', { forfeitedLamports: Number(leg.turn?.forfeitedLamports) }];
    case 'claim':
      return ['LEG_CLAIMED', { evidenceHash: hash ?? '', ...untilAfter(step, terms.review) }];
    case 'dispute':
      return [
        'LEG_DISPUTED',
        { disputerPubkey: signer, reasonHash: hash ?? '', ...untilAfter(step, terms.arbitration) },
      ];
    case 'rule':
    case 'reject':
      return ['LEG_RULED', { by: step.by ?? '', percent: step.percent ?? 0 }];
    case 'replace':
      return [
        'LEG_REPLACED',
        { formerAgentPubkey: former?.courier ?? '', agreedPaymentLamports: Number(leg.paymentLamports) },
      ];
    case 'confirm':
      return ['LEG_CONFIRMED', paid(step)];
    case 'reclaim':
      break;
  }
  return undefined;
}

/** When silence decides about a leg whose clock begins with the step. */
function untilAfter({ at }: StepFacts, seconds: number): { until?: string } {
  return at === null ? {} : { until: wireInstant(at + BigInt(seconds)) };
}
