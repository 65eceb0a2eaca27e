import { completedLegs, endSignatureOf, type PackageFacts, settleSignatureOf } from './facts.js';
import { by, type Findings } from './findings.js';
import type { MirroredEvent } from './mirror.js';

type Wire = string | number;

/** An event that must be there once, with what of its payload the ledger can tell. */
interface DueEvent {
  type: MirroredEvent['type'];
  facts: Record<string, Wire>;
  signature: string;
}

/** Legs have events of the same type: the index tells them apart. */
function nameOf({ type }: Pick<DueEvent, 'type'>, payload: Record<string, unknown>): string {
  const index = payload['legIndex'];
  return typeof index === 'number' ? `${type} of leg ${index}` : type;
}

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

/** The events that the ledger's transactions call for, in their order. */
function dueEvents(item: PackageFacts): DueEvent[] {
  const { listSignature, shipper: shipperPubkey, address: onChainPackage, status } = item;
  const listed = { shipperPubkey, maxBudgetLamports: Number(item.budgetLamports), onChainPackage, listSignature };
  const due: DueEvent[] = [{ type: 'PACKAGE_LISTED', facts: listed, signature: listSignature }];
  due.push(...dueOfFormation(item));
  const settleSignature = settleSignatureOf(item);
  if (settleSignature !== null) {
    const facts = { settleSignature, refundLamports: Number(item.budgetLamports - item.paidLamports) };
    due.push({ type: 'PACKAGE_DELIVERED', facts, signature: settleSignature });
  }
  const ended = endSignatureOf(item);
  if (ended !== null) due.push({ type: 'PACKAGE_FAILED', facts: { failureReason: status }, signature: ended });
  return due;
}

function comparePayload(subject: string, name: string, due: DueEvent, found: MirroredEvent, findings: Findings): void {
  for (const [field, ledger] of Object.entries(due.facts)) {
    const value = found.payload[field];
    const here = typeof value === 'string' || typeof value === 'number' ? value : null;
    findings.same(subject, `${field} of event ${name}`, here, ledger, due.signature);
  }
}

/** Each event once, with what the ledger says, numbered in the order of the ledger; and no others. */
export function compareEvents(
  packageId: string,
  events: readonly MirroredEvent[],
  item: PackageFacts,
  findings: Findings,
): void {
  const subject = `package ${packageId}`;
  const byName = new Map<string, MirroredEvent[]>();
  for (const event of events) {
    const name = nameOf(event, event.payload);
    byName.set(name, [...(byName.get(name) ?? []), event]);
  }
  let before: { name: string; seq: bigint } | undefined;
  for (const due of dueEvents(item)) {
    const name = nameOf(due, due.facts);
    const [found, ...more] = byName.get(name) ?? [];
    byName.delete(name);
    if (!found) findings.differ(subject, `event ${name} is missing here${by(due.signature)}`);
    if (more.length > 0) findings.differ(subject, `event ${name} is here ${more.length + 1} times${by(due.signature)}`);
    if (!found) continue;
    comparePayload(subject, name, due, found, findings);
    if (found.seq === null) continue;
    if (before && before.seq > found.seq) findings.differ(subject, `event ${name} has a number below ${before.name}'s`);
    before = { name, seq: found.seq };
  }
  for (const name of byName.keys()) {
    findings.differ(subject, `event ${name} is here; nothing of it has happened on the ledger`);
  }
}
