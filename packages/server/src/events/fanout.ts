import type { AppContext } from '../context.js';
import { frameOf, lastEventSeq, type LoggedEvent, readEvents } from '../db/events.js';
import { listenForEvents } from './notifications.js';
import { createEventStreams } from './eventStream.js';
import { isWanted, type KnownListing, KnownListings, needsListing, toldOf, type Wanted } from './filter.js';
import { POLL_MS } from './sequencer.js';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { shareReaders } from './readers.js';
import { createEventSockets } from './webSocket.js';

const PAGE = 500;
/** PostgreSQL tells this process of what it numbered itself just before it answers: by then the answer is there, milliseconds. */
const OWN_ANSWER_MS = 1;

/** Follows the log live. `frame` is the same object for every follower: an event is encoded once. */
export interface Follower {
  /** Undefined: everything. It stays as it is. */
  readonly wanted?: Wanted | undefined;
  accept(event: LoggedEvent, frame: Buffer): void;
}

/** Hands new events to every follower in this process. */
export interface Fanout {
  /** The number of the last event that followers got. */
  head(): bigint;
  join(follower: Follower): void;
  leave(follower: Follower): void;
  stop(): Promise<void>;
}

/** The text frame of an event. Rule S-31. */
export function encodeFrame(event: LoggedEvent): Buffer {
  return Buffer.from(JSON.stringify(frameOf(event)));
}

/** Follows the log from its current end: at once on a notification, else by polling. */
export async function startFanout(context: Pick<AppContext, 'config' | 'db' | 'log' | 'numbered'>): Promise<Fanout> {
  const { db, log, numbered } = context;
  const followers = new Followers();
  const listings = new KnownListings();
  let head = await lastEventSeq(db);
  let reading: Promise<void> | undefined;
  let wanted = false;
  let stopped = false;

  const handOut = (events: readonly LoggedEvent[]): void => {
    for (const event of events) {
      listings.add(event);
      followers.tell(event, listings.of(event.subject));
      head = event.seq;
    }
  };
  const isReady = (events: readonly LoggedEvent[]): boolean => !followers.needListings() || listings.has(events);
  const readOn = async (): Promise<void> => {
    while (wanted && !stopped) {
      wanted = false;
      const events = await readEvents(db, { after: head, limit: PAGE });
      while (!isReady(events)) await listings.learn(db, events, head);
      handOut(events);
      if (events.length === PAGE) wanted = true;
    }
  };
  const wake = (): void => {
    wanted = true;
    if (stopped || reading !== undefined) return;
    reading = readOn()
      .catch((error: unknown) => log.warn({ err: error }, 'events could not be read; the next poll tries again'))
      .finally(() => {
        reading = undefined;
      });
  };

  /** Hands out events that this process has numbered without reading them again, if no other event comes before them. */
  const take = (events: readonly LoggedEvent[]): void => {
    if (reading === undefined && !stopped && events[0]?.seq === head + 1n && isReady(events)) handOut(events);
    else wake();
  };

  const poll = setInterval(wake, POLL_MS);
  const notifications = listenForEvents(context, (last) => {
    setTimeout(() => (last === undefined || last > head) && wake(), OWN_ANSWER_MS).unref();
  });
  numbered.on('events', take);
  return {
    head: () => head,
    join: (follower) => followers.join(follower),
    leave: (follower) => followers.leave(follower),
    stop: async () => {
      stopped = true;
      clearInterval(poll);
      numbered.off('events', take);
      notifications.stop();
      await reading;
    },
  };
}

/**
 * The followers, by what they ask for: an event is offered to those who want its listing or somebody who is named in it, and to those who
 * name neither. So a follower costs what it is told, not what it is spared.
 */
class Followers {
  readonly #everywhere = new Set<Follower>();
  readonly #bySubject = new Map<string, Set<Follower>>();
  readonly #byAgent = new Map<string, Set<Follower>>();
  #needing = 0;

  /** Reports whether any of them is judged by what is known of listings. */
  needListings(): boolean {
    return this.#needing > 0;
  }

  join(follower: Follower): void {
    this.#lineOf(follower).add(follower);
    if (follower.wanted && needsListing(follower.wanted)) this.#needing += 1;
  }

  leave(follower: Follower): void {
    const { subject, agent } = follower.wanted ?? {};
    const followed = this.#lineOf(follower).delete(follower);
    if (followed && follower.wanted && needsListing(follower.wanted)) this.#needing -= 1;
    if (subject !== undefined && this.#bySubject.get(subject)?.size === 0) this.#bySubject.delete(subject);
    if (agent !== undefined && this.#byAgent.get(agent)?.size === 0) this.#byAgent.delete(agent);
  }

  tell(event: LoggedEvent, listing: KnownListing | undefined): void {
    const told = toldOf(event, listing);
    let frame: Buffer | undefined;
    for (const line of this.#linesFor(event, listing)) {
      for (const follower of line) {
        if (follower.wanted !== undefined && !isWanted(follower.wanted, told)) continue;
        frame ??= encodeFrame(event);
        follower.accept(event, frame);
      }
    }
  }

  *#linesFor({ subject }: LoggedEvent, listing: KnownListing | undefined): Generator<Iterable<Follower>> {
    yield this.#everywhere;
    yield this.#bySubject.get(subject) ?? [];
    if (listing === undefined || this.#byAgent.size === 0) return;
    for (const name of listing.named.keys()) yield this.#byAgent.get(name) ?? [];
  }

  #lineOf({ wanted }: Follower): Set<Follower> {
    if (wanted?.subject !== undefined) return lineIn(this.#bySubject, wanted.subject);
    return wanted?.agent === undefined ? this.#everywhere : lineIn(this.#byAgent, wanted.agent);
  }
}

function lineIn(lines: Map<string, Set<Follower>>, key: string): Set<Follower> {
  const line = lines.get(key) ?? new Set();
  lines.set(key, line);
  return line;
}

/** The event log as clients follow it. */
export interface Events {
  /** The fan-out of the log, which everything else in this process follows too. */
  fanout: Fanout;
  /** Serves `/ws` on this HTTP server. */
  attach(server: Server): void;
  /** Answers `GET /events` with a stream where a client asks for one. */
  serveStreams(app: FastifyInstance): void;
  /** Counts what a client holds open with the sockets and streams of its address. @throws LegworkError `rate_limited` */
  hold(request: IncomingMessage, held: ServerResponse): void;
  /** How many sockets and streams are open. */
  openSockets(): number;
  /** Closes sockets (code 1012) and streams, and ends the background work. Call it before closing the HTTP server. */
  stop(): Promise<void>;
}

/** Starts handing numbered events to subscribers. */
export async function startEvents(
  context: Pick<AppContext, 'config' | 'db' | 'limits' | 'log' | 'numbered' | 'publicUrl'>,
): Promise<Events> {
  const fanout = await startFanout(context);
  const shared = shareReaders(context.config);
  const sockets = createEventSockets(context, fanout, shared);
  const streams = createEventStreams(context, fanout, shared);
  return {
    fanout,
    attach: (server) => sockets.attach(server),
    serveStreams: (app) => streams.serve(app),
    hold: (request, held) => void shared.held.hold(request, held),
    openSockets: () => sockets.open() + streams.open(),
    stop: async () => {
      streams.stop();
      await sockets.stop();
      shared.held.destroyAll();
      await fanout.stop();
    },
  };
}
