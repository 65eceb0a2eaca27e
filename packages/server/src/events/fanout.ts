import type { AppContext } from '../context.js';
import { frameOf, lastEventSeq, type LoggedEvent, readEvents } from '../db/events.js';
import { listenForEvents } from './notifications.js';
import { POLL_MS } from './sequencer.js';
import type { Server } from 'node:http';
import { createEventSockets } from './webSocket.js';

const PAGE = 500;
/** PostgreSQL tells this process of what it numbered itself just before it answers: by then the answer is there, milliseconds. */
const OWN_ANSWER_MS = 1;

/** Follows the log live. `frame` is the same object for every follower: an event is encoded once. */
export interface Follower {
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
  const followers = new Set<Follower>();
  let head = await lastEventSeq(db);
  let reading: Promise<void> | undefined;
  let wanted = false;
  let stopped = false;

  const handOut = (events: readonly LoggedEvent[]): void => {
    for (const event of events) deliver(event, followers);
    head = events.at(-1)?.seq ?? head;
  };
  const readOn = async (): Promise<void> => {
    while (wanted && !stopped) {
      wanted = false;
      const events = await readEvents(db, { after: head, limit: PAGE });
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

  /** What this process has numbered is not read again, if no other event comes before it. */
  const take = (events: readonly LoggedEvent[]): void => {
    if (reading === undefined && !stopped && events[0]?.seq === head + 1n) handOut(events);
    else wake();
  };

  const poll = setInterval(wake, POLL_MS);
  const notifications = listenForEvents(context, (last) => {
    setTimeout(() => (last === undefined || last > head) && wake(), OWN_ANSWER_MS).unref();
  });
  numbered.on('events', take);
  return {
    head: () => head,
    join: (follower) => followers.add(follower),
    leave: (follower) => followers.delete(follower),
    stop: async () => {
      stopped = true;
      clearInterval(poll);
      numbered.off('events', take);
      notifications.stop();
      await reading;
    },
  };
}

function deliver(event: LoggedEvent, followers: ReadonlySet<Follower>): void {
  if (followers.size === 0) return;
  const frame = encodeFrame(event);
  for (const follower of followers) follower.accept(event, frame);
}

/** The event log as clients follow it. */
export interface Events {
  /** Serves `/ws` on this HTTP server. */
  attach(server: Server): void;
  /** How many sockets are open on `/ws`. */
  openSockets(): number;
  /** Closes the sockets (code 1012) and ends the background work. Call it before closing the HTTP server. */
  stop(): Promise<void>;
}

/** Starts handing numbered events to subscribers. */
export async function startEvents(
  context: Pick<AppContext, 'config' | 'db' | 'limits' | 'log' | 'numbered' | 'publicUrl'>,
): Promise<Events> {
  const fanout = await startFanout(context);
  const sockets = createEventSockets(context, fanout);
  return {
    attach: (server) => sockets.attach(server),
    openSockets: () => sockets.open(),
    stop: async () => {
      await sockets.stop();
      await fanout.stop();
    },
  };
}
