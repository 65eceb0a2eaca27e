import { by, type Findings } from './findings.js';
import type { MirroredEvent } from './mirroredEvents.js';

type Wire = string | number;

/** An event that must be there once, with what of its payload the ledger can tell. */
export interface DueEvent {
  type: MirroredEvent['type'];
  facts: Record<string, Wire>;
  signature: string;
}

/** A leg of a digital task may be given to one agent after the other. */
const ONE_AN_AGENT: ReadonlySet<string> = new Set<MirroredEvent['type']>(['TASK_LEG_ASSIGNED', 'TASK_LEG_RELEASED']);

/** Legs have events of the same type: the index tells them apart, and the agent where several had the leg. */
function nameOf({ type }: Pick<DueEvent, 'type'>, payload: Record<string, unknown>): string {
  const { legIndex, agentPubkey } = payload;
  if (typeof legIndex !== 'number') return type;
  const ofLeg = `${type} of leg ${legIndex}`;
  return ONE_AN_AGENT.has(type) && typeof agentPubkey === 'string' ? `${ofLeg} and ${agentPubkey}` : ofLeg;
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
  subject: string,
  events: readonly MirroredEvent[],
  dueEvents: readonly DueEvent[],
  findings: Findings,
): void {
  const byName = new Map<string, MirroredEvent[]>();
  for (const event of events) {
    const name = nameOf(event, event.payload);
    byName.set(name, [...(byName.get(name) ?? []), event]);
  }
  let before: { name: string; seq: bigint } | undefined;
  for (const due of dueEvents) {
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

/** What the events about a listing's deadline say of it. @param deadline - unix seconds */
export function wireInstant(deadline: bigint): string {
  return new Date(Number(deadline) * 1000).toISOString();
}
