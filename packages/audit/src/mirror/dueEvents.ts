import type { Terms } from '@legwork/program-client';
import {
  type AssignmentFacts,
  couriersOf,
  endSignatureOf,
  type ListingFacts,
  type PackageFacts,
  refundOf,
  settleSignatureOf,
  type StepFacts,
  type TaskFacts,
} from '@legwork/program-client/facts';
import type { ReleaseReason } from '@legwork/protocol/contract';
import { type DueEvent, wireInstant } from './events.js';

/** An amount of a listing as an event tells it: as lamports of SOL, in base units of a token. */
function told(listing: ListingFacts, name: string, amount: bigint | null | undefined): DueEvent['facts'] {
  return listing.asset === null ? { [`${name}Lamports`]: Number(amount) } : { [name]: String(amount) };
}

/** The events that the ledger's transactions about a package call for, in their order. */
export function dueOfPackage(parcel: PackageFacts): DueEvent[] {
  const { listSignature, poster: shipperPubkey, address: onChainPackage } = parcel;
  const listed = {
    shipperPubkey,
    ...told(parcel, 'maxBudget', parcel.budgetLamports),
    deadline: wireInstant(parcel.deadline),
    onChainPackage,
    listSignature,
  };
  const due: DueEvent[] = [{ type: 'PACKAGE_LISTED', facts: listed, signature: listSignature }];
  due.push(...dueOfFormation(parcel));
  return [...due, ...dueOfEnd(parcel, 'PACKAGE_DELIVERED', 'PACKAGE_FAILED')];
}

/** How it was settled, or ended otherwise. */
function dueOfEnd(listing: ListingFacts, settled: DueEvent['type'], failed: DueEvent['type']): DueEvent[] {
  const settleSignature = settleSignatureOf(listing);
  if (settleSignature !== null) {
    const facts = { settleSignature, ...told(listing, 'refund', refundOf(listing)) };
    return [{ type: settled, facts, signature: settleSignature }];
  }
  const ended = endSignatureOf(listing);
  return ended === null ? [] : [{ type: failed, facts: { failureReason: listing.status }, signature: ended }];
}

function dueOfFormation(parcel: PackageFacts): DueEvent[] {
  const { formation, steps } = parcel;
  // The service announces a swarm once all its legs are assigned.
  if (!formation || formation.legs.length < formation.totalLegs) return [];
  const { formSignature } = formation;
  const formed = { onChainSwarm: formation.swarm, formSignature, ...told(parcel, 'total', formation.reservedLamports) };
  const first = formation.legs.flatMap(({ index }) => couriersOf(formation, index).slice(0, 1));
  const chosen = first.map((leg) => ({
    type: 'BID_RECEIVED' as const,
    facts: {
      legIndex: leg.index,
      agentPubkey: leg.courier,
      ...told(parcel, 'agreedPayment', leg.paymentLamports),
    },
    signature: formSignature,
  }));
  const done = steps.flatMap((step) => dueOfPackageStep(parcel, step) ?? []);
  return [{ type: 'SWARM_FORMED', facts: formed, signature: formSignature }, ...chosen, ...done];
}

/** The event of what was done to a leg; undefined: it has none of its own. */
function dueOfPackageStep(parcel: PackageFacts, step: StepFacts): DueEvent | undefined {
  const { leg, former } = step;
  if (step.move === 'confirm') return dueOf(step, ['LEG_CONFIRMED', told(parcel, 'payment', leg.paidLamports)]);
  if (step.move !== 'replace') return dueOfMove(parcel, step);
  const agreed = told(parcel, 'agreedPayment', leg.paymentLamports);
  return dueOf(step, ['LEG_REPLACED', { formerAgentPubkey: former?.courier ?? '', ...agreed }]);
}

/** The events that the ledger's transactions about a digital task call for, in their order. */
export function dueOfTask(task: TaskFacts): DueEvent[] {
  const { listSignature, poster: shipperPubkey, address: onChainTask, numLegs } = task;
  const deadline = wireInstant(task.deadline);
  const budget = told(task, 'maxBudget', task.budgetLamports);
  const listed = { shipperPubkey, numLegs, ...budget, deadline, onChainTask, listSignature };
  const due: DueEvent[] = [{ type: 'TASK_LISTED', facts: listed, signature: listSignature }];
  due.push(...task.steps.flatMap((step) => dueOfTaskStep(task, step) ?? []));
  return [...due, ...dueOfEnd(task, 'TASK_COMPLETED', 'TASK_FAILED')];
}

/** The event of what was done to a leg; undefined: it has none of its own. */
function dueOfTaskStep(task: TaskFacts, step: StepFacts): DueEvent | undefined {
  const { terms, assignments } = task;
  const assignment = assignments.find((one) => one === step.leg);
  if (step.move === 'assign') {
    const { until: dueAt } = terms ? untilAfter(step, terms.handoff) : {};
    return dueOf(step, ['TASK_LEG_ASSIGNED', dueAt === undefined ? {} : { dueAt }]);
  }
  if (step.move === 'release') {
    const reason = assignment && releaseReasonOf(task, assignment);
    return dueOf(step, ['TASK_LEG_RELEASED', reason === undefined ? {} : { reason }]);
  }
  if (step.move !== 'confirm') return dueOfMove(task, step);
  const payment = told(task, 'payment', step.leg.paidLamports);
  return dueOf(step, ['TASK_LEG_COMPLETED', { ...payment, resultHash: assignment?.resultHash ?? '' }]);
}

/** Why a leg with terms was vacant when it was released; undefined: without terms the ledger does not say. Rule T-96. */
export function releaseReasonOf({ terms, steps }: TaskFacts, assignment: AssignmentFacts): ReleaseReason | undefined {
  if (terms === null) return undefined;
  const last = steps.findLast(({ leg, move }) => leg === assignment && move !== 'release')?.move;
  if (last === 'reject') return 'rejected';
  return last === 'leave' ? 'released' : 'timeout';
}

type Said = readonly [type: DueEvent['type'], facts: DueEvent['facts']];

/** The event that says this of a step. */
function dueOf({ leg, signature }: StepFacts, [type, facts]: Said): DueEvent {
  return { type, facts: { legIndex: leg.index, agentPubkey: leg.courier, signature, ...facts }, signature };
}

/** The event of a move of a leg with terms, of either kind; undefined: it has none, or is told as its kind tells it. */
function dueOfMove(listing: ListingFacts, step: StepFacts): DueEvent | undefined {
  const said = listing.terms === null ? undefined : saidOf(listing, step, listing.terms);
  return said && dueOf(step, said);
}

function saidOf(listing: ListingFacts, step: StepFacts, terms: Terms): Said | undefined {
  const { leg, signer, hash } = step;
  switch (step.move) {
    case 'accept':
      return ['LEG_ACCEPTED', told(listing, 'stake', terms.stake)];
    case 'take':
    case 'handover':
      return ['LEG_CARRIED', untilAfter(step, terms.carry)];
    case 'leave':
    case 'evict':
      return ['LEG_VACATED', told(listing, 'forfeited', leg.turn?.forfeitedLamports)];
    case 'claim':
      return ['LEG_CLAIMED', { evidenceHash: hash ?? '', ...untilAfter(step, terms.review) }];
    case 'dispute': {
      const until = untilAfter(step, terms.arbitration);
      return ['LEG_DISPUTED', { disputerPubkey: signer, reasonHash: hash ?? '', ...until }];
    }
    case 'rule':
    case 'reject':
      return ['LEG_RULED', { by: step.by ?? '', percent: step.percent ?? 0 }];
    case 'assign':
    case 'release':
    case 'replace':
    case 'confirm':
    case 'reclaim':
      break;
  }
  return undefined;
}

/** When silence decides about a leg whose clock begins with the step. */
function untilAfter({ at }: StepFacts, seconds: number): { until?: string } {
  return at === null ? {} : { until: wireInstant(at + BigInt(seconds)) };
}
