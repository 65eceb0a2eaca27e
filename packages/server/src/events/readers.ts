import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import proxyAddr from '@fastify/proxy-addr';
import { LegworkError } from '@legwork/protocol/contract';
import { clientKey } from '../api/limits.js';
import type { Config } from '../config.js';

/** Replays that read a page at the same time; requests keep most connections of the pool. Rule S-80. */
const REPLAYS_AT_ONCE = 2;

/** The state that all followers of the log over a socket or a stream share. */
export interface Readers {
  held: HeldSockets;
  oneOfFew: <T>(read: () => Promise<T>) => Promise<T>;
}

export function shareReaders(config: Pick<Config, 'eventSocketsPerAddress' | 'trustProxy'>): Readers {
  return { held: holdSockets(config), oneOfFew: atMost(REPLAYS_AT_ONCE) };
}

/** A connection that a client holds open: a socket, or an answer that goes on. */
interface Open {
  once(event: 'close', act: () => void): unknown;
}

/** The open connections, by client. */
interface HeldSockets {
  /**
   * Counts it for its client until it closes. Rule S-79.
   *
   * @returns the client's key in counts
   * @throws LegworkError `rate_limited` when the client holds as many as it may
   */
  hold(request: IncomingMessage, socket: Open): string;
  /** Remembers a socket that asked for an upgrade until it closes: the HTTP server forgets it. */
  keep(socket: Duplex): void;
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
      socket.once('close', () => count(client, -1));
      if (most === 0 || held <= most) return client;
      const detail = `${most} event sockets are held open for one address here; close one of them first.`;
      throw new LegworkError('rate_limited', detail);
    },
    keep: (socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    },
    destroyAll: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
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
