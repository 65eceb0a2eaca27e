import type { ServerResponse } from 'node:http';
import { LegworkError, operations } from '@legwork/protocol/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import type { AppContext } from '../context.js';
import type { Fanout } from './fanout.js';
import { readSubscription, requireReached, type Subscription } from './filter.js';
import { type Line, LineFollower } from './follower.js';
import type { Readers } from './readers.js';

const STREAM = 'text/event-stream';
/** How often a stream says something, milliseconds: proxies close what is silent. */
const BEAT_MS = 25_000;

/** The event stream over plain HTTP, for clients that have no WebSocket. */
interface EventStreams {
  /** Answers `GET /events` with a stream where a client prefers one. */
  serve(app: FastifyInstance): void;
  open(): number;
  stop(): void;
}

/** Serves the log as server-sent events. The same replay, filter and limits as over `/ws`. Rule S-182. */
export function createEventStreams(
  context: Pick<AppContext, 'db' | 'log'>,
  fanout: Fanout,
  { held, oneOfFew }: Readers,
): EventStreams {
  const streams = new Map<ServerResponse, LineFollower>();
  let stopped = false;
  const beat = setInterval(() => {
    for (const [response, follower] of streams) {
      response.write(':\n\n');
      follower.tellHead();
    }
  }, BEAT_MS);

  const begin = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (stopped) throw new LegworkError('not_ready', 'The service is stopping; reconnect in a moment.');
    const subscription = subscriptionOf(request);
    held.hold(request.raw, reply.raw);
    await requireReached(context.db, subscription.since, fanout.head());
    const response = reply.hijack().raw;
    response.writeHead(200, { ...headersOf(reply), 'content-type': STREAM, 'cache-control': 'no-cache, no-transform' });
    // Its client knows at once that it is connected.
    response.write(':\n\n');
    const follower = new LineFollower(streamLine(response), subscription, fanout);
    streams.set(response, follower);
    response.on('error', (error) => context.log.debug({ err: error }, 'event stream'));
    response.once('close', () => streams.delete(response));
    void follower.start(context, oneOfFew);
  };

  return {
    serve: (app) => {
      app.addHook('preHandler', async (request, reply) => {
        if (request.method !== 'GET' || request.routeOptions.url !== operations.listEvents.path) return;
        reply.header('vary', [reply.getHeader('vary'), 'Accept'].flatMap((name) => name ?? []).join(', '));
        if (prefersStream(request)) await begin(request, reply);
      });
    },
    open: () => streams.size,
    stop: () => {
      stopped = true;
      clearInterval(beat);
      for (const response of streams.keys()) response.end();
    },
  };
}

function prefersStream({ headers: { accept } }: FastifyRequest): boolean {
  return (
    accept !== undefined && new Negotiator({ headers: { accept } }).mediaType(['application/json', STREAM]) === STREAM
  );
}

/** A browser that reconnects has the number in a header: the address still names the first one. */
function subscriptionOf({ query, headers }: FastifyRequest): Subscription {
  const last = headers['last-event-id'];
  return readSubscription({ ...(query as object), ...(last !== undefined && last !== '' && { since: last }) });
}

/** The headers that the reply has already, such as who may read it. */
function headersOf(reply: FastifyReply): Record<string, string | string[]> {
  const given = Object.entries(reply.getHeaders());
  return Object.fromEntries(given.flatMap(([name, value]) => (value === undefined ? [] : [[name, textOf(value)]])));
}

const textOf = (value: number | string | string[]) => (typeof value === 'number' ? String(value) : value);

/** Events of a stream, each with its number as its id. */
function streamLine(response: ServerResponse): Line {
  const isOpen = () => !response.writableEnded && !response.destroyed;
  return {
    isOpen,
    send: ({ seq }, frame) => {
      if (!isOpen()) return;
      response.cork();
      response.write(`id: ${seq}\ndata: `);
      response.write(frame);
      response.write('\n\n');
      response.uncork();
    },
    // Without data: a browser takes the number and tells nobody.
    tellHead: (seq) => void response.write(`id: ${seq}\n\n`),
    waiting: () => response.writableLength,
    taken: () =>
      new Promise((resolve) => {
        if (!isOpen() || !response.writableNeedDrain) return resolve();
        const done = (): void => {
          for (const event of ['drain', 'close']) response.off(event, done);
          resolve();
        };
        for (const event of ['drain', 'close']) response.once(event, done);
      }),
    // A client that does not read would not read the end either.
    close: () => void response.destroy(),
    onceClosed: (act) => void response.once('close', act),
  };
}
