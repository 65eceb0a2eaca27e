import type { EventType } from '@legwork/protocol/contract';
import { sql } from 'kysely';
import { ROWS_AT_ONCE, type Trx } from '../database.js';
import { by, type Findings } from '../findings.js';

/** Events that say what the ledger shows. Those about bids, openings and claims of digital legs have no counterpart there. */
const LEDGER_EVENTS = [
  'PACKAGE_LISTED',
  'SWARM_FORMED',
  'BID_RECEIVED',
  'LEG_CONFIRMED',
  'PACKAGE_DELIVERED',
  'PACKAGE_FAILED',
  'LEG_ACCEPTED',
  'LEG_CARRIED',
  'LEG_VACATED',
  'LEG_REPLACED',
  'LEG_CLAIMED',
  'LEG_DISPUTED',
  'LEG_RULED',
  'TASK_LISTED',
  'TASK_LEG_ASSIGNED',
  'TASK_LEG_RELEASED',
  'TASK_LEG_COMPLETED',
  'TASK_COMPLETED',
  'TASK_FAILED',
] as const satisfies readonly EventType[];

export interface MirroredEvent {
  /** Null: not numbered yet. */
  seq: bigint | null;
  type: (typeof LEDGER_EVENTS)[number];
  /** `package:<id>` or `task:<id>`. */
  subject: string;
  /** In the wire form. */
  payload: Record<string, unknown>;
  /** Number of the newest event that tells that its listing was healed: what that told late comes before it. Null: none does. */
  healedAt: bigint | null;
}

type Group = [MirroredEvent, ...MirroredEvent[]];

/** The event log, read once from its first subject to its last. */
export class MirroredEvents {
  /** How many were read. */
  count = 0;
  readonly #groups: AsyncGenerator<Group, undefined>;
  readonly #stray: (event: MirroredEvent) => void;
  #next: IteratorResult<Group, undefined> | undefined;

  /**
   * @param trx - one in which the database stands still
   * @param stray - called with every event of a subject that was not asked for
   */
  constructor(trx: Trx, stray: (event: MirroredEvent) => void) {
    this.#groups = eventsBySubject(trx);
    this.#stray = stray;
  }

  /** The events of the subject, in the order of their numbers. Callers ask for subjects in order. */
  async of(subject: string): Promise<readonly MirroredEvent[]> {
    for (;;) {
      const next = await this.#peek();
      if (next === undefined || next[0].subject > subject) return [];
      this.#next = undefined;
      this.count += next.length;
      if (next[0].subject === subject) return next;
      next.forEach(this.#stray);
    }
  }

  /** Reads the events after the last subject that was asked for. */
  async rest(): Promise<void> {
    for (let next = await this.#peek(); next; next = await this.#peek()) {
      this.#next = undefined;
      this.count += next.length;
      next.forEach(this.#stray);
    }
  }

  async #peek(): Promise<Group | undefined> {
    this.#next ??= await this.#groups.next();
    return this.#next.value;
  }
}

/** The transactions that the ledger took back of listings that were healed after it, and has not shown again. */
const TAKEN_BACK = sql`taken_back as materialized (
  select told.subject, told.id, told.payload ->> 'signature' as signature, told.payload ->> 'instruction' as instruction
  from events told
  where told.type = 'LEDGER_REVERTED'
    and exists (select from events healed
      where healed.subject = told.subject and healed.type = 'LEDGER_HEALED' and healed.id > told.id)
    and not exists (select from ledger_transactions landed where landed.signature = told.payload ->> 'signature')
)`;

/** Told of a transaction that was taken back, whether the event names it, its swarm, or only that the listing ended. Rule S-257. */
const isTakenBack = sql`exists (
  select from taken_back back where back.subject = events.subject and events.id < back.id and (
    back.signature in (events.payload ->> 'signature', events.payload ->> 'listSignature', events.payload ->> 'formSignature',
      events.payload ->> 'settleSignature')
    or events.type = 'BID_RECEIVED' and back.instruction = 'form_swarm' and exists (select from events formed
      where formed.subject = events.subject and formed.type = 'SWARM_FORMED' and formed.payload ->> 'formSignature' = back.signature
        and formed.payload ->> 'swarmId' = events.payload ->> 'swarmId')
    or events.type in ('PACKAGE_FAILED', 'TASK_FAILED') and back.instruction in ('cancel_package', 'reclaim_package', 'cancel_task',
      'reclaim_task')))`;

/** Events grouped by subject, in the order of the subjects. No index gives that order, so the query sorts once. */
async function* eventsBySubject(trx: Trx): AsyncGenerator<Group, undefined> {
  await sql`declare audited_events no scroll cursor for
    with ${TAKEN_BACK}, healed as materialized (
      select subject, max(seq) as "healedAt" from events where type = 'LEDGER_HEALED' group by subject)
    select seq, type, subject, payload, "healedAt" from events left join healed using (subject)
    where type in (${sql.join(LEDGER_EVENTS)}) and not ${isTakenBack}
    order by subject collate "C", seq, id`.execute(trx);
  let group: Group | undefined;
  for (;;) {
    const { rows } = await sql<MirroredEvent>`fetch ${sql.lit(ROWS_AT_ONCE)} from audited_events`.execute(trx);
    for (const event of rows) {
      if (group?.[0].subject === event.subject) {
        group.push(event);
        continue;
      }
      if (group) yield group;
      group = [event];
    }
    if (rows.length < ROWS_AT_ONCE) break;
  }
  if (group) yield group;
}

/** Counts events, numbered events and distinct numbers. */
export async function countEventNumbers(trx: Trx): Promise<{ all: bigint; numbered: bigint; distinct: bigint }> {
  return trx
    .selectFrom('events')
    .select(({ fn }) => [
      fn.countAll<bigint>().as('all'),
      fn.count<bigint>('seq').as('numbered'),
      fn.count<bigint>('seq').distinct().as('distinct'),
    ])
    .executeTakeFirstOrThrow();
}

type Wire = string | number;

/** An event that must be there, with the part of its payload that the ledger knows. */
export interface DueEvent {
  type: MirroredEvent['type'];
  facts: Record<string, Wire>;
  signature: string;
}

/** Requires each due event as often as it is due, with the ledger's facts, numbered in the ledger's order, and no other events. */
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
  const told = new Map([...byName].map(([name, { length }]) => [name, length]));
  const order = new EventOrder();
  for (const due of dueEvents) {
    const name = nameOf(due, due.facts);
    const found = byName.get(name)?.shift();
    if (!found) {
      findings.differ(subject, `event ${name} is missing here${by(due.signature)}`);
      continue;
    }
    comparePayload(subject, name, due, found, findings);
    if (found.seq === null) continue;
    const before = order.aboveBefore({ name, type: due.type, seq: found.seq, leg: due.facts['legIndex'] });
    if (before === undefined) continue;
    const isHealed = found.healedAt !== null && found.seq < found.healedAt;
    const said = `event ${name} has a number below ${before}'s`;
    if (isHealed) findings.note(subject, `${said}, which was told as the listing was healed`);
    else findings.differ(subject, said);
  }
  const lastOf = new Map(dueEvents.map((due) => [nameOf(due, due.facts), due.signature]));
  for (const [name, { length: more }] of byName) {
    if (more === 0) continue;
    const signature = lastOf.get(name);
    if (signature !== undefined)
      findings.differ(subject, `event ${name} is here ${told.get(name)} times${by(signature)}`);
    else findings.differ(subject, `event ${name} is here; nothing of it has happened on the ledger`);
  }
}

/**
 * The events that follow the ledger leg by leg, since nothing binds them to events of other legs. The service applies moves as soon
 * as they land; and assignments that the ledger took back after they were told may land again the other way round. Rules T-66, S-45.
 */
const LEG_BY_LEG: ReadonlySet<string> = new Set<MirroredEvent['type']>([
  'LEG_ACCEPTED',
  'LEG_CARRIED',
  'LEG_CLAIMED',
  'LEG_DISPUTED',
  'TASK_LEG_ASSIGNED',
]);

interface Numbered {
  name: string;
  type: string;
  seq: bigint;
  /** Its index; undefined: it is about no leg. */
  leg: Wire | undefined;
}

/** The numbers of a subject's events, gone through in the ledger's order. */
class EventOrder {
  #last: Numbered | undefined;
  readonly #ofLeg = new Map<Wire | undefined, Numbered>();

  /** Takes the next event. @returns the name of one before it that has a number above its own */
  aboveBefore(event: Numbered): string | undefined {
    const isLegByLeg = LEG_BY_LEG.has(event.type);
    const before = isLegByLeg ? this.#ofLeg.get(event.leg) : this.#last;
    this.#ofLeg.set(event.leg, event);
    if (!isLegByLeg || this.#last === undefined || this.#last.seq < event.seq) this.#last = event;
    return before && before.seq > event.seq ? before.name : undefined;
  }
}

function comparePayload(subject: string, name: string, due: DueEvent, found: MirroredEvent, findings: Findings): void {
  for (const [field, ledger] of Object.entries(due.facts)) {
    const value = found.payload[field];
    const here = typeof value === 'string' || typeof value === 'number' ? value : null;
    findings.same(subject, `${field} of event ${name}`, here, ledger, due.signature);
  }
}

/** A leg of a digital task, or one with terms, may go to one agent after another. */
const ONE_AN_AGENT: ReadonlySet<string> = new Set<MirroredEvent['type']>([
  'TASK_LEG_ASSIGNED',
  'TASK_LEG_RELEASED',
  'LEG_ACCEPTED',
  'LEG_CARRIED',
  'LEG_VACATED',
  'LEG_REPLACED',
  'LEG_CLAIMED',
  'LEG_DISPUTED',
  'LEG_RULED',
]);

/** All legs have events of the same type: the index tells them apart, and the agent when several had the leg. */
function nameOf({ type }: Pick<DueEvent, 'type'>, payload: Record<string, unknown>): string {
  const { legIndex, agentPubkey } = payload;
  if (typeof legIndex !== 'number') return type;
  const ofLeg = `${type} of leg ${legIndex}`;
  return ONE_AN_AGENT.has(type) && typeof agentPubkey === 'string' ? `${ofLeg} and ${agentPubkey}` : ofLeg;
}

/** An instant as events state it. @param second - unix seconds */
export function wireInstant(second: bigint): string {
  return new Date(Number(second) * 1000).toISOString();
}
