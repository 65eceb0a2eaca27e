import { type EventType, type FieldError, parseTopics, LegworkError, topicsText } from '@legwork/protocol/contract';
import { invalidInput } from '../api/parseInput.js';
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import proxyAddr from '@fastify/proxy-addr';
import { clientKey } from '../api/limits.js';
import type { Config } from '../config.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { type WebSocket, WebSocketServer } from 'ws';
import { publicPrefixes, withoutPrefix } from '../api/addresses.js';
import { rawProblem, toLegworkError } from '../api/problems.js';
import type { AppContext } from '../context.js';
import { lastEventSeq } from '../db/events.js';
import type { Fanout } from './fanout.js';
import { CLOSE, SocketFollower } from './socketFollower.js';

/** What a client asked for when it connected. */
export interface Subscription {
  /** Replay what follows this number; undefined: only what happens from now on. */
  since: bigint | undefined;
  /** Only these types; undefined: all. */
  topics: readonly EventType[] | undefined;
}

const MAX_SINCE = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * Reads `?since=&topics=`. Rule S-32.
 *
 * @throws LegworkError `invalid_input` that names every wrong parameter
 */
function parseSubscription(query: URLSearchParams): Subscription {
  const errors: FieldError[] = [];
  const values = new Map<string, string>();
  for (const [name, value] of query) {
    if (name !== 'since' && name !== 'topics')
      errors.push({ field: name, message: 'is not a field here; there is since, topics' });
    else if (values.has(name)) errors.push({ field: name, message: 'was given more than once; give it once' });
    else values.set(name, value);
  }
  const since = values.get('since');
  if (since !== undefined && !isSeq(since)) {
    errors.push({ field: 'since', message: 'must be the seq of an event, an integer from 0 (0 replays everything)' });
  }
  const topics = topicsText.optional().safeParse(values.get('topics'));
  for (const { message } of topics.error?.issues ?? []) errors.push({ field: 'topics', message });
  if (errors.length > 0) throw invalidInput(errors);
  return {
    since: since === undefined ? undefined : BigInt(since),
    topics: topics.data === undefined ? undefined : parseTopics(topics.data),
  };
}

/** The refusal of a number beyond the log: it comes from another service, and would hide what happens next. */
function beyondTheLog(since: bigint, last: bigint): LegworkError {
  const message = `is ${since}, but the newest event here is ${last}; leave it out, or replay from a number of this service`;
  return invalidInput([{ field: 'since', message }]);
}

function isSeq(text: string): boolean {
  return /^\d{1,16}$/.test(text) && BigInt(text) <= MAX_SINCE;
}

/** Every socket that asked for an upgrade, until it closes, with its client: the HTTP server forgets them. */
interface HeldSockets {
  /**
   * Counts the socket for its client until it closes. Rule S-79.
   *
   * @returns the client's key in counts
   * @throws LegworkError `rate_limited` when the client holds as many as it may
   */
  hold(request: IncomingMessage, socket: Duplex): string;
  destroyAll(): void;
}

/** Holds at most `eventSocketsPerAddress` sockets for one client; 0: no limit. */
function holdSockets({
  eventSocketsPerAddress: most,
  trustProxy,
}: Pick<Config, 'eventSocketsPerAddress' | 'trustProxy'>): HeldSockets {
  const trusted = proxyAddr.compile(trustProxy);
  const sockets = new Set<Duplex>();
  const perClient = new Map<string, number>();
  const count = (client: string, change: number): number => {
    const held = (perClient.get(client) ?? 0) + change;
    if (held === 0) perClient.delete(client);
    else perClient.set(client, held);
    return held;
  };
  return {
    hold: (request, socket) => {
      const client = clientKey(proxyAddr(request, trusted));
      const held = count(client, 1);
      sockets.add(socket);
      socket.once('close', () => {
        sockets.delete(socket);
        count(client, -1);
      });
      if (most === 0 || held <= most) return client;
      const detail = `${most} event sockets are held open for one address here; close one of them first.`;
      throw new LegworkError('rate_limited', detail);
    },
    destroyAll: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

const PATH = '/ws';
const PING_MS = 25_000;
/** Clients have nothing to say here; a longer message ends the connection. */
const MAX_MESSAGE_BYTES = 1024;
/** How long sockets may take to close at shutdown before they are cut, milliseconds. */
const CLOSE_GRACE_MS = 2000;
/** Replays that read a page at the same time; requests keep most connections of the pool. Rule S-80. */
const REPLAYS_AT_ONCE = 2;

type SocketContext = Pick<AppContext, 'config' | 'db' | 'limits' | 'log' | 'publicUrl'>;

/** The event stream over WebSocket. */
interface EventSockets {
  /** Serves `/ws` on this HTTP server; upgrades to anything else are refused. */
  attach(server: Server): void;
  /** How many sockets are open. */
  open(): number;
  /** Closes every socket with a code that says to reconnect; takes no new ones. */
  stop(): Promise<void>;
}

/** Serves the event log to WebSocket clients. Rules S-31 to S-34. */
export function createEventSockets(context: SocketContext, fanout: Fanout): EventSockets {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES, perMessageDeflate: false });
  const heartbeat = startHeartbeat(sockets);
  const held = holdSockets(context.config);
  const oneOfFew = atMost(REPLAYS_AT_ONCE);
  let stopped = false;

  const upgrade = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    // Until the WebSocket takes over, nothing else would notice that the client went away.
    const ignore = (): void => undefined;
    socket.on('error', ignore);
    try {
      const client = held.hold(request, socket);
      if (stopped) throw new LegworkError('not_ready', 'The service is stopping; reconnect in a moment.');
      await context.limits.take('reads', client);
      const subscription = await readSubscription(context, fanout, request);
      sockets.handleUpgrade(request, socket, head, (opened) => {
        socket.off('error', ignore);
        opened.on('error', (error) => context.log.debug({ err: error }, 'event socket'));
        heartbeat.watch(opened);
        void new SocketFollower(opened, subscription, fanout).start(context, oneOfFew);
      });
    } catch (error) {
      // A client that never ends its own side would hold the socket forever.
      socket.once('finish', () => socket.destroy());
      socket.end(rawProblem(toLegworkError(error)));
    }
  };

  return {
    attach: (server) => {
      server.on('upgrade', (request, socket, head) => void upgrade(request, socket, head));
    },
    open: () => sockets.clients.size,
    stop: async () => {
      stopped = true;
      heartbeat.stop();
      await closeAll(sockets);
      held.destroyAll();
    },
  };
}

async function readSubscription(
  context: SocketContext,
  fanout: Fanout,
  request: IncomingMessage,
): Promise<Subscription> {
  const [path, query] = pathAndQuery(context, request);
  if (path !== PATH)
    throw new LegworkError('not_found', `There is no WebSocket at ${path}; the events are at ${PATH}.`);
  const subscription = parseSubscription(new URLSearchParams(query));
  const { since } = subscription;
  if (since !== undefined && since > fanout.head()) {
    // Another replica may be ahead of this one; only the log itself can say that a number does not exist yet.
    const last = await lastEventSeq(context.db);
    if (since > last) throw beyondTheLog(since, last);
  }
  return subscription;
}

/** Removes the prefix of a public address; the path of the service stays, even if a prefix looks like it. Rule S-26. */
function pathAndQuery(context: SocketContext, { url = '' }: IncomingMessage): [path: string, query: string] {
  const [arrived = '', query = ''] = url.split(/\?(.*)/s);
  return [arrived === PATH ? arrived : withoutPrefix(arrived, publicPrefixes(context)), query];
}

/** Pings every client; one that did not answer the ping before is gone. Also keeps proxies from closing idle streams. */
function startHeartbeat(sockets: WebSocketServer): { watch(socket: WebSocket): void; stop(): void } {
  const answered = new WeakSet<WebSocket>();
  const timer = setInterval(() => {
    for (const socket of sockets.clients) {
      if (!answered.delete(socket)) socket.terminate();
      else if (socket.readyState === socket.OPEN) socket.ping();
    }
  }, PING_MS);
  return {
    watch: (socket) => {
      answered.add(socket);
      socket.on('pong', () => answered.add(socket));
    },
    stop: () => clearInterval(timer),
  };
}

async function closeAll(sockets: WebSocketServer): Promise<void> {
  const closed = [...sockets.clients].map(
    (socket) =>
      new Promise<void>((resolve) => {
        socket.once('close', () => resolve());
        socket.close(CLOSE.shutdown.code, CLOSE.shutdown.reason);
      }),
  );
  await Promise.race([Promise.all(closed), sleep(CLOSE_GRACE_MS)]);
  sockets.close();
}

/** Runs at most `most` pieces of work at a time; the others wait in line. */
function atMost(most: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let free = most;
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((start) => waiting.push(start));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
