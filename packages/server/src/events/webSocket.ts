import { LegworkError } from '@legwork/protocol/contract';
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { type WebSocket, WebSocketServer } from 'ws';
import { publicPrefixes, withoutPrefix } from '../api/addresses.js';
import { rawProblem, toLegworkError } from '../api/problems.js';
import type { AppContext } from '../context.js';
import type { Fanout } from './fanout.js';
import { readSubscription, requireReached, type Subscription } from './filter.js';
import { CLOSE, LineFollower, socketLine } from './follower.js';
import type { Readers } from './readers.js';

const PATH = '/ws';
const PING_MS = 25_000;
/** Clients have nothing to say here; a longer message ends the connection. */
const MAX_MESSAGE_BYTES = 1024;
/** How long sockets may take to close at shutdown before they are cut, milliseconds. */
const CLOSE_GRACE_MS = 2000;

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
export function createEventSockets(context: SocketContext, fanout: Fanout, { held, oneOfFew }: Readers): EventSockets {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES, perMessageDeflate: false });
  const heartbeat = startHeartbeat(sockets);
  let stopped = false;

  const upgrade = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    // Until the WebSocket takes over, nothing else would notice that the client went away.
    const ignore = (): void => undefined;
    socket.on('error', ignore);
    try {
      held.keep(socket);
      const client = held.hold(request, socket);
      if (stopped) throw new LegworkError('not_ready', 'The service is stopping; reconnect in a moment.');
      await context.limits.take('reads', client);
      const subscription = await subscriptionOf(context, fanout, request);
      sockets.handleUpgrade(request, socket, head, (opened) => {
        socket.off('error', ignore);
        opened.on('error', (error) => context.log.debug({ err: error }, 'event socket'));
        const follower = new LineFollower(socketLine(opened), subscription, fanout);
        heartbeat.watch(opened, follower);
        void follower.start(context, oneOfFew);
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
    },
  };
}

async function subscriptionOf(context: SocketContext, fanout: Fanout, request: IncomingMessage): Promise<Subscription> {
  const [path, query] = pathAndQuery(context, request);
  if (path !== PATH)
    throw new LegworkError('not_found', `There is no WebSocket at ${path}; the events are at ${PATH}.`);
  const subscription = readSubscription(valuesByName(new URLSearchParams(query)));
  await requireReached(context.db, subscription.since, fanout.head());
  return subscription;
}

/** One text, or all of them where a name comes more than once. */
function valuesByName(query: URLSearchParams): Record<string, string | string[]> {
  const names = [...new Set(query.keys())];
  return Object.fromEntries(
    names.map((name) => {
      const values = query.getAll(name);
      return [name, values.length === 1 ? (values[0] ?? '') : values];
    }),
  );
}

/** Removes the prefix of a public address; the path of the service stays, even if a prefix looks like it. Rule S-26. */
function pathAndQuery(context: SocketContext, { url = '' }: IncomingMessage): [path: string, query: string] {
  const [arrived = '', query = ''] = url.split(/\?(.*)/s);
  return [arrived === PATH ? arrived : withoutPrefix(arrived, publicPrefixes(context)), query];
}

/** Pings every client; one that did not answer the ping before is gone. Also keeps proxies from closing idle streams. */
function startHeartbeat(sockets: WebSocketServer): {
  watch(socket: WebSocket, follower: LineFollower): void;
  stop(): void;
} {
  const answered = new WeakSet<WebSocket>();
  const followers = new WeakMap<WebSocket, LineFollower>();
  const timer = setInterval(() => {
    for (const socket of sockets.clients) {
      if (!answered.delete(socket)) socket.terminate();
      else if (socket.readyState === socket.OPEN) {
        socket.ping();
        followers.get(socket)?.tellHead();
      }
    }
  }, PING_MS);
  return {
    watch: (socket, follower) => {
      answered.add(socket);
      followers.set(socket, follower);
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
