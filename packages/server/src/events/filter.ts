/*
 * One grammar says which events somebody wants: subscribers of `/ws`, streams and lists of `GET /events`, webhooks.
 *
 * The contract has its fields and refuses what does not go together. `wantedBy` reads them, `isWanted` judges an event that happens now,
 * `readWanted` finds those that happened before. The two agree because both rest on the log alone: who was named by which event of a
 * listing, and where the first one said that the package starts and ends. So a subscriber that resumes is told what it would have been.
 */
import { eventFilterFields, eventStreamQuery, parsePlace, parseTopics } from '@legwork/protocol/contract';
import { type Coordinate, greatCircleKm } from '@legwork/protocol/rules';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { invalidInput, parseInput } from '../api/parseInput.js';
import type { Db } from '../db/connect.js';
import {
  type EventFilter,
  type EventPage,
  eventsOf,
  lastEventSeq,
  type LoggedEvent,
  namedBy,
  readEvents,
} from '../db/events.js';
import { packageSubject, taskSubject } from '../db/listings.js';
import { DEFAULT_RADIUS_KM, type Surroundings } from '../db/near.js';

/** Which events somebody wants. Rule S-180. */
export interface Wanted extends EventFilter {
  around?: Surroundings | undefined;
}

const fields = z.object(eventFilterFields);

/** The filter that the fields of the contract ask for. */
export function wantedBy(given: z.output<typeof fields>): Wanted {
  const { package: packageId, task, agent, near, radiusKm = DEFAULT_RADIUS_KM, topics } = given;
  const subject = packageId === undefined ? task && taskSubject(task) : packageSubject(packageId);
  return {
    subject,
    agent,
    around: near === undefined ? undefined : { center: parsePlace(near), radiusKm },
    topics: topics === undefined ? undefined : parseTopics(topics),
  };
}

/** The request of a client when it connected. */
export interface Subscription {
  /** Replay what follows this number; undefined: only what happens from now on. */
  since: bigint | undefined;
  wanted: Wanted;
}

/** Reads the parameters of a stream. Rule S-32. @throws LegworkError `invalid_input` that names every wrong one */
export function readSubscription(query: unknown): Subscription {
  const contract = { params: undefined, query: eventStreamQuery, body: undefined };
  const input = parseInput(contract, { params: {}, query, body: undefined });
  const { since, ...filter } = eventStreamQuery.parse(input);
  return { since: since === undefined ? undefined : BigInt(since), wanted: wantedBy(filter) };
}

/**
 * Refuses a number beyond the log: it comes from another service, and would hide what happens next.
 *
 * @param known number that this process knows of; another replica may be ahead, and only the log can say what does not exist
 */
export async function requireReached(db: Db, since: bigint | undefined, known: bigint): Promise<void> {
  if (since === undefined || since <= known) return;
  const last = await lastEventSeq(db);
  if (since <= last) return;
  const message = `is ${since}, but the newest event here is ${last}; leave it out, or replay from a number of this service`;
  throw invalidInput([{ field: 'since', message }]);
}

/** True if everything is wanted. */
export const isEverything = ({ subject, agent, around, topics }: Wanted): boolean =>
  subject === undefined && agent === undefined && around === undefined && topics === undefined;

/** True if the event alone does not say if it is wanted. */
export const needsListing = ({ agent, around }: Wanted): boolean => agent !== undefined || around !== undefined;

/** The facts of a listing that the log has told so far. */
export interface KnownListing {
  /** Keys, with the number of the event that named each first. */
  named: Map<string, bigint>;
  /** Where a package starts and ends. */
  places: readonly Coordinate[];
}

const place = z.object({ lat: z.number(), lng: z.number() });

function placesOf({ payload }: LoggedEvent): Coordinate[] {
  return ['origin', 'destination', 'pickup', 'dropoff'].flatMap((name) => place.safeParse(payload[name]).data ?? []);
}

/** An event with what the log says about its listing, found once for all who may want it. */
export interface Told {
  event: LoggedEvent;
  named: ReadonlyMap<string, bigint>;
  places: readonly Coordinate[];
}

export function toldOf(event: LoggedEvent, listing: KnownListing | undefined): Told {
  const places = listing?.places ?? [];
  // A listing says itself what is known of it.
  return {
    event,
    named: listing?.named ?? new Map<string, bigint>(),
    places: event.type === 'PACKAGE_LISTED' ? places : [...placesOf(event), ...places],
  };
}

/** True if a follower who wants this is told of the event. */
export function isWanted(wanted: Wanted, { event, named, places }: Told): boolean {
  const { subject, agent, around, topics } = wanted;
  if (subject !== undefined && subject !== event.subject) return false;
  if (topics !== undefined && !topics.some((topic) => topic === event.type)) return false;
  if (agent !== undefined && (named.get(agent) ?? event.seq + 1n) > event.seq) return false;
  return around === undefined || isNear(around, places);
}

function isNear({ center, radiusKm }: Surroundings, places: readonly Coordinate[]): boolean {
  return places.some((one) => greatCircleKm(center, one) <= radiusKm);
}

/** Listings that are remembered: those of which something happened last. */
const MOST_LISTINGS = 10_000;

/** The facts that the log has told of the listings in which something happens now. */
export class KnownListings {
  readonly #listings = new LRUCache<string, KnownListing>({ max: MOST_LISTINGS });

  of(subject: string): KnownListing | undefined {
    return this.#listings.get(subject);
  }

  /** Reports whether all listings are known that these events add to. */
  has(events: readonly LoggedEvent[]): boolean {
    return events.every(({ subject }) => this.#listings.has(subject));
  }

  /** Learns what the log has up to a number about the listings of these events, which come behind it. */
  async learn(db: Db, events: readonly LoggedEvent[], upTo: bigint): Promise<void> {
    const subjects = [...new Set(events.map(({ subject }) => subject))].filter((one) => !this.#listings.has(one));
    if (subjects.length === 0) return;
    const earlier = await eventsOf(db, subjects, { upTo });
    for (const subject of subjects) this.#listings.set(subject, { named: new Map(), places: [] });
    for (const event of earlier) this.add(event);
  }

  /** Adds what an event says, in order; nothing of a listing that is not known. */
  add(event: LoggedEvent): void {
    const listing = this.#listings.get(event.subject);
    if (listing === undefined) return;
    const name = namedBy(event);
    if (name !== undefined && !listing.named.has(name)) listing.named.set(name, event.seq);
    if (event.type === 'PACKAGE_LISTED') listing.places = placesOf(event);
  }
}

/** The wanted events that one read found. */
export interface Found {
  events: LoggedEvent[];
  /** The log was looked at up to this number; undefined: there was nothing to look at. */
  reached: bigint | undefined;
  /** It has no more on this side. */
  isEnd: boolean;
}

/**
 * Reads what is wanted of one page of the log. What an index finds is read by it; what lies near a place is picked out of the page,
 * since the places of packages are sealed.
 */
export async function readWanted(db: Db, wanted: Wanted, page: EventPage): Promise<Found> {
  const { around, ...filter } = wanted;
  const read = await readEvents(db, { ...page, ...filter });
  const last = read.at(-1)?.seq;
  const events = around === undefined ? read : await near(db, around, read);
  return { events, reached: last, isEnd: read.length < page.limit };
}

async function near(db: Db, around: Surroundings, events: readonly LoggedEvent[]): Promise<LoggedEvent[]> {
  if (events.length === 0) return [];
  const subjects = [...new Set(events.map(({ subject }) => subject))];
  const upTo = events.reduce((most, { seq }) => (seq > most ? seq : most), 0n);
  const listed = await eventsOf(db, subjects, { upTo, type: 'PACKAGE_LISTED' });
  const places = new Map(listed.map((event) => [event.subject, placesOf(event)]));
  return events.filter((event) => isNear(around, [...placesOf(event), ...(places.get(event.subject) ?? [])]));
}
