import { type EventPayload, type EventType, eventPayloads } from '@legwork/protocol/contract';
import { type Insertable, sql } from 'kysely';
import { z } from 'zod';
import { tracedRow } from '../tracing/spans.js';
import { compiled } from './statements.js';
import type { Db, Trx } from './connect.js';
import type { EventsTable } from './schema/service.js';
import { atEnd } from './transaction.js';
import { ERASED, type Personal, personal } from './sealing.js';

/** An event in the log; the payload is in its wire form. */
export interface LoggedEvent {
  seq: bigint;
  type: string;
  /** The listing it is about: `package:<id>`, `task:<id>`. */
  subject: string;
  payload: Record<string, unknown>;
  occurredAt: Date;
}

/** The wire form of an event: `{type, seq, occurredAt, ...payload}`, as `eventFrame` describes it. */
export function frameOf({ type, seq, occurredAt, payload }: LoggedEvent): Record<string, unknown> {
  return { type, seq: Number(seq), occurredAt: occurredAt.toISOString(), ...payload };
}

/** An event that is about to be appended. */
export type NewEvent = { [T in EventType]: { type: T; payload: EventPayload<T> } }[EventType];

/**
 * Appends an event in the transaction that makes it true, at its end. `subject` is the resource it is about (`package:<id>`). Readers
 * see it once the sequencer has numbered it, right after the commit.
 */
export function appendEvent<T extends EventType>(trx: Trx, type: T, subject: string, payload: EventPayload<T>): void {
  appendEvents(trx, subject, [{ type, payload } as NewEvent]);
}

/** Appends several events about one resource, in this order. */
export function appendEvents(trx: Trx, subject: string, events: readonly NewEvent[]): void {
  for (const { type, payload } of events) {
    const schema: z.ZodType<unknown, Wire> = eventPayloads[type];
    const row = { type, subject, ...sealedPayload(z.encode(schema, payload)), trace: tracedRow().trace ?? null };
    void atEnd(trx, () => appending(trx, row));
  }
}

const appending = compiled((trx, { type, subject, payload, personal, trace }: Insertable<EventsTable>) =>
  trx.insertInto('events').values({ type, subject, payload, personal, trace }),
);

type Wire = Record<string, unknown>;

/** True if the payload of an event has personal fields. */
export const hasPersonal = sql<boolean>`payload ?| array['origin', 'destination', 'pickup', 'dropoff', 'title']`;

/** The payload as it is stored: its places to whole degrees, without its title. */
export function sealedPayload(payload: Wire): { payload: string; personal: Personal | null } {
  const shown = Object.fromEntries(Object.entries(payload).flatMap(([name, value]) => withoutPersonal(name, value)));
  const hidden = Object.keys(shown).map((name) => [name, payload[name]]);
  return {
    payload: JSON.stringify({ ...payload, ...shown }),
    personal: hidden.length === 0 ? null : personal(JSON.stringify({ payload: Object.fromEntries(hidden) as Wire })),
  };
}

const isPlace = z.object({ lat: z.number(), lng: z.number() });

/** The substitute for a personal field after an erasure; none for any other field. */
function withoutPersonal(name: string, value: unknown): [string, unknown][] {
  if (name === 'title') return [[name, ERASED]];
  const { data: place } = isPlace.safeParse(value);
  return place === undefined ? [] : [[name, { lat: Math.round(place.lat), lng: Math.round(place.lng) }]];
}

/** The `traceparent` of what the event tells of; undefined: it was not traced. */
export async function traceOfEvent(db: Db, seq: bigint): Promise<string | undefined> {
  const row = await db.selectFrom('events').select('trace').where('seq', '=', seq).executeTakeFirst();
  return row?.trace ?? undefined;
}

const COLUMNS = ['seq', 'type', 'subject', 'payload', 'personal', 'occurred_at as occurredAt'] as const;

const following = compiled((db, { after, limit }: { after: bigint; limit: number }) =>
  db
    .selectFrom('events')
    .select(COLUMNS)
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(limit)
    .$narrowType<{ seq: bigint }>(),
);

/** Which events are read, as far as an index finds them. */
export interface EventFilter {
  /** `package:<id>`, `task:<id>`; undefined: of everything. */
  subject?: string | undefined;
  /** Only of listings that this key is named in, from the event on that names it first; undefined: all. */
  agent?: string | undefined;
  /** Only these types; undefined: all. */
  topics?: readonly EventType[] | undefined;
}

/** So many events with numbers above one, in their order; or below one, newest first. */
export type EventPage = { limit: number } & ({ after: bigint } | { before: bigint });

/** Reads events by what narrows them most. Fewer than `limit` means that no others were numbered when the query began. */
export async function readEvents(db: Db, page: EventPage & EventFilter): Promise<LoggedEvent[]> {
  const { subject, agent, topics, limit } = page;
  if (agent !== undefined) return ofAgent(db, agent, page);
  if (subject === undefined && topics !== undefined) return ofTopics(db, topics, page);
  if (subject === undefined && 'after' in page) return following(db, { after: page.after, limit });
  let query = db.selectFrom('events').select(COLUMNS).limit(limit);
  query = 'after' in page ? query.where('seq', '>', page.after) : query.where('seq', '<', page.before);
  query = query.orderBy('seq', 'after' in page ? 'asc' : 'desc');
  if (subject !== undefined) query = query.where('subject', '=', subject);
  if (topics !== undefined) query = query.where('type', 'in', topics);
  return query.$narrowType<{ seq: bigint }>().execute();
}

/** The key that an event names. An index has it: of what is read after the listing, the poster is named no more. */
export function namedBy({ payload }: Pick<LoggedEvent, 'payload'>): string | undefined {
  const name = payload['agentPubkey'] ?? payload['shipperPubkey'];
  return typeof name === 'string' ? name : undefined;
}

const NAME = sql`coalesce(payload ->> 'agentPubkey', payload ->> 'shipperPubkey')`;

/** Reads the events of one agent by the index of names: the cost depends on its own events, not on the length of the log. */
async function ofAgent(db: Db, agent: string, page: EventPage & EventFilter): Promise<LoggedEvent[]> {
  const { subject, topics, limit } = page;
  const [reached, order] =
    'after' in page
      ? [sql`events.seq > ${page.after}::int8`, sql`events.seq`]
      : [sql`events.seq < ${page.before}::int8`, sql`events.seq desc`];
  const { rows } = await sql<LoggedEvent>`
    with named as materialized (
      select subject, min(seq) as first from events
      where ${NAME} = ${agent} and seq is not null ${subject === undefined ? sql`` : sql`and subject = ${subject}`}
      group by subject)
    select events.seq, type, events.subject, payload, personal, occurred_at as "occurredAt"
    from named join events on events.subject = named.subject and events.seq >= named.first
    where ${reached} ${topics === undefined ? sql`` : sql`and type = any (${topics}::text[])`}
    order by ${order} limit ${limit}`.execute(db);
  return rows;
}

/**
 * Reads a page of each type by its index: in one list, a rare type would be looked for among all the others. An equality, or the
 * order of the numbers alone, would let PostgreSQL choose the same walk.
 */
async function ofTopics(db: Db, topics: readonly EventType[], page: EventPage): Promise<LoggedEvent[]> {
  // The index has types upwards and numbers downwards: read from its other end, it has both the other way.
  const [reached, walk, order] =
    'after' in page
      ? [sql`seq > ${page.after}::int8`, sql`type desc, seq`, sql`seq`]
      : [sql`seq < ${page.before}::int8`, sql`type, seq desc`, sql`seq desc`];
  const { rows } = await sql<LoggedEvent>`
    select found.* from unnest(${topics}::text[]) as topic (name) cross join lateral (
      select seq, type, subject, payload, personal, occurred_at as "occurredAt" from events
      where type >= topic.name and type <= topic.name and ${reached} order by ${walk} limit ${page.limit}
    ) found order by ${order} limit ${page.limit}`.execute(db);
  return rows;
}

/** Everything about these listings up to a number, in order, or what is of one type. Each listing is looked up by itself, by its index. */
export async function eventsOf(
  db: Db,
  subjects: readonly string[],
  { upTo, type }: { upTo: bigint; type?: EventType },
): Promise<LoggedEvent[]> {
  const { rows } = await sql<LoggedEvent>`
    select found.* from unnest(${subjects}::text[]) as listing (subject) cross join lateral (
      select seq, type, events.subject, payload, personal, occurred_at as "occurredAt" from events
      where events.subject = listing.subject and seq <= ${upTo}::int8 order by events.subject, seq desc
    ) found ${type === undefined ? sql`` : sql`where found.type = ${type}`} order by found.seq`.execute(db);
  return rows;
}

/** The number of the newest event; 0 before the first. */
export async function lastEventSeq(db: Db): Promise<bigint> {
  const row = await db
    .selectFrom('events')
    .select((select) => select.fn.max('seq').as('seq'))
    .executeTakeFirst();
  return row?.seq ?? 0n;
}

/** How many events are committed and wait for their number. */
export async function countUnnumberedEvents(db: Db): Promise<number> {
  const row = await db
    .selectFrom('events')
    .select((select) => select.fn.countAll<bigint>().as('waiting'))
    .where('seq', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(row.waiting);
}
