import { InMemoryServerEventBus } from '@modelcontextprotocol/server';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type LoggedEvent, namedBy } from '../db/events.js';
import type { Offer } from './mcpServer.js';
import { resourceUris } from './resources.js';
import { lackingTasks, takesTasks } from './tasks.js';

/** The parts of the event readers that subscriptions need. */
export interface Followed {
  fanout: { join(follower: { accept(event: LoggedEvent): void }): void };
  /** Counts a stream with the event sockets of its client's address. @throws LegworkError `rate_limited` */
  hold(request: IncomingMessage, held: ServerResponse): void;
}

/** Streams that one process has open at a time. */
export const MOST_STREAMS = 200;
/** Resources that one stream is about: each update is compared with all of them. */
const MOST_URIS = 100;
/** After so long a stream ends, milliseconds: what a client that never reads is sent would otherwise grow without end. */
const LONGEST_MS = 3_600_000;

const LISTEN = 'subscriptions/listen';
const INVALID_PARAMS = -32_602;
const INVALID_REQUEST = -32_600;

/** Tells streams of `subscriptions/listen` which resources have changed: those that an event is about or names. Rule S-189. */
export function tellUpdates(fanout: Followed['fanout']): InMemoryServerEventBus {
  const bus = new InMemoryServerEventBus();
  fanout.join({
    accept: (event) => {
      if (bus.listenerCount === 0) return;
      const [kind, id] = event.subject.split(':');
      const about = { [`${kind}Id`]: id, agentPubkey: namedBy(event) };
      for (const uri of resourceUris(about)) bus.publish({ kind: 'resource_updated', uri });
    },
  });
  return bus;
}

interface Listen {
  id: string | number;
  uris: readonly unknown[];
  /** It names tasks, and does not declare the extension that they are of. */
  lacksTasks: boolean;
}

/** The request for a stream that a body is; undefined: it is another one. */
export function listenIn(body: unknown): Listen | undefined {
  if (typeof body !== 'object' || body === null || !('method' in body) || body.method !== LISTEN) return undefined;
  const { id, params } = body as {
    id?: unknown;
    params?: { notifications?: Partial<Record<string, unknown>>; _meta?: unknown };
  };
  const { resourceSubscriptions: uris, taskIds } = params?.notifications ?? {};
  return {
    id: typeof id === 'string' || typeof id === 'number' ? id : 0,
    uris: Array.isArray(uris) ? (uris as unknown[]) : [],
    lacksTasks: taskIds !== undefined && !takesTasks(params?._meta),
  };
}

/** Why a stream is not opened, as JSON-RPC says it, with the status for it; undefined: it is. */
export function refuseListen(
  { id, uris, lacksTasks }: Listen,
  takesStreams: boolean,
  requireResource: Offer['requireResource'],
): { status: number; body: object } | undefined {
  const refused = (code: number, message: string, data?: unknown) => ({
    status: data === undefined ? 200 : 400,
    body: { jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } },
  });
  if (!takesStreams)
    return refused(INVALID_REQUEST, `${LISTEN} is answered with a stream: accept text/event-stream too`);
  if (lacksTasks) {
    const { code, message, data } = lackingTasks();
    return refused(code, message, data);
  }
  if (uris.length > MOST_URIS)
    return refused(INVALID_PARAMS, `a stream is about ${MOST_URIS} resources at most; open another for the others`);
  for (const uri of uris) {
    try {
      requireResource(String(uri));
    } catch (error) {
      return refused(INVALID_PARAMS, error instanceof Error ? error.message : 'there is no such resource');
    }
  }
  return undefined;
}

/** Ends the stream when its time is over. */
export function endInTime(ended: AbortController): void {
  const timer = setTimeout(() => ended.abort(), LONGEST_MS).unref();
  ended.signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
}
