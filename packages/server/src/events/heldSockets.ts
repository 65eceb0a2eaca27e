import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import proxyAddr from '@fastify/proxy-addr';
import { RelayError } from '@legwork/protocol/contract';
import { clientKey } from '../api/limits.js';
import type { Config } from '../config.js';

/** Every socket that asked for an upgrade, until it closes, with its client: the HTTP server forgets them. */
export interface HeldSockets {
  /**
   * Counts the socket for its client until it closes. Rule S-79.
   *
   * @returns the client's key in counts
   * @throws RelayError `rate_limited` when the client holds as many as it may
   */
  hold(request: IncomingMessage, socket: Duplex): string;
  destroyAll(): void;
}

/** Holds at most `eventSocketsPerAddress` sockets for one client; 0: no limit. */
export function holdSockets({
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
      throw new RelayError('rate_limited', detail);
    },
    destroyAll: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}
