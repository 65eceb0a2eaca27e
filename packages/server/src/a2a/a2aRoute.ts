import { Readable } from 'node:stream';
import { LegworkError, operations } from '@legwork/protocol/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { identify } from '../api/identity.js';
import { keepAnyBody } from '../api/rawBody.js';
import type { AppContext } from '../context.js';
import { catalogLink } from '../discovery/documents.js';
import type { Events } from '../events/fanout.js';
import { askBeforeUse, unlessKept } from '../http/representation.js';
import { endInTime } from '../mcp/subscriptions.js';
import type { Runs } from '../operations/index.js';
import { carrierIn, noteFailed, trace } from '../tracing/spans.js';
import { A2A_PATH, CARD_PATH, marketCard } from './agentCard.js';
import { A2aError, INTERNAL_ERROR, rpcErrorOf } from './errors.js';
import type { Answer } from './methods.js';
import { agentCard } from './reserved.js';
import { readRestCall } from './restCall.js';
import { type Call, type Failure, type NoCall, readRpcCall, requireVersion, type Wire } from './rpcCall.js';

/** The events that streams follow. */
type Followed = Pick<Events, 'fanout' | 'hold'>;

/** A stream says something at least this often, milliseconds: proxies close what is silent. */
const BEAT_MS = 25_000;
const FOR_AN_HOUR = 'public, max-age=3600';

/** Serves the card that leads to the endpoint, and those of agents. Rules S-280, S-288. */
export async function routeCards(app: FastifyInstance, context: AppContext): Promise<void> {
  const card = JSON.stringify(await marketCard(context), undefined, 2);
  const send = (request: FastifyRequest, reply: FastifyReply, text: string) => {
    reply.headers({ 'content-type': 'application/json; charset=utf-8', link: catalogLink(context.publicUrl) });
    return unlessKept(request, reply, text);
  };
  const lasting = { 'cache-control': FOR_AN_HOUR, 'last-modified': new Date().toUTCString() };
  app.get(CARD_PATH, async (request, reply) => send(request, reply.headers(lasting), card));
  // Where clients look that are given the address before it.
  app.get<{ Params: { agentPubkey: string } }>(
    `${A2A_PATH}/agents/:agentPubkey${CARD_PATH}`,
    async (request, reply) => {
      const text = JSON.stringify(await agentCard(context, request.params.agentPubkey), undefined, 2);
      // A record changes at any moment.
      askBeforeUse(reply);
      return send(request, reply, text);
    },
  );
}

/** Serves A2A 1.0 over JSON-RPC and over HTTP+JSON. Rules S-281 to S-287. */
export async function routeA2a(app: FastifyInstance, context: AppContext, runs: Runs, events: Followed): Promise<void> {
  const open = new Set<AbortController>();
  // Streams end before the connections that they are on.
  app.addHook('preClose', async () => open.forEach((one) => one.abort()));
  await app.register(async (scope) => {
    keepAnyBody(scope);
    const served = { context, runs, events, open };
    const { bodyLimit } = operations.postSponsoredDigitalTask;
    const usual = { bodyLimit, config: { limit: 'toolCalls' } } as const;
    // Some clients put a slash behind whatever address they are given.
    for (const url of [A2A_PATH, `${A2A_PATH}/`])
      scope.route({
        ...usual,
        method: 'POST',
        url,
        handler: (request, reply) => answer(served, request, reply, readRpcCall(request)),
      });
    scope.route<{ Params: { '*': string } }>({
      ...usual,
      method: ['GET', 'POST', 'DELETE'],
      url: `${A2A_PATH}/*`,
      handler: (request, reply) => answer(served, request, reply, readRestCall(request)),
    });
  });
}

interface Served {
  context: AppContext;
  runs: Runs;
  events: Followed;
  /** What ends the answers that go on. */
  open: Set<AbortController>;
}

async function answer(
  served: Served,
  request: FastifyRequest,
  reply: FastifyReply,
  read: Call | NoCall,
): Promise<unknown> {
  reply.header('cache-control', 'no-store');
  if ('failure' in read) return refuse(reply, read.failure);
  const start = { name: `a2a ${read.name}`, kind: 'server', from: carrierIn(request.headers), attributes: {} } as const;
  return trace(served.context.tracing, start, () => answerCall(served, request, reply, read));
}

const refuse = (reply: FastifyReply, { status, body }: Failure): FastifyReply => reply.code(status).send(body);

async function answerCall(served: Served, request: FastifyRequest, reply: FastifyReply, call: Call): Promise<unknown> {
  const { wire } = call;
  try {
    const given = await run(served, request, reply, call);
    return 'result' in given ? wire.result(given.result) : stream(request, reply, wire, given.stream);
  } catch (error) {
    const isKnown = error instanceof LegworkError || error instanceof A2aError;
    noteFailed(isKnown ? error.code : 'internal_error', rpcErrorOf(error).code === INTERNAL_ERROR);
    if (!isKnown) request.log.error({ err: error }, 'A2A call failed');
    return refuse(reply, wire.failure(error));
  }
}

async function run(
  { context, runs, events, open }: Served,
  request: FastifyRequest,
  reply: FastifyReply,
  { method, params }: Call,
): Promise<Answer> {
  requireVersion(request);
  const identity = identify(context, request, 'signable');
  const ended = new AbortController();
  const hold = () => {
    events.hold(request.raw, reply.raw);
    endInTime(ended);
    open.add(ended);
    reply.raw.once('close', () => {
      open.delete(ended);
      ended.abort();
    });
  };
  return method({ context, runs, fanout: events.fanout, identity, signal: ended.signal, hold }, params);
}

/** Answers with server-sent events, one a result. */
async function stream(
  request: FastifyRequest,
  reply: FastifyReply,
  wire: Wire,
  results: AsyncIterable<unknown>,
): Promise<FastifyReply> {
  const lines = Readable.from(events(results, wire), { objectMode: true });
  lines.on('error', (error) => request.log.debug({ err: error }, 'A2A stream'));
  reply.headers({ 'content-type': 'text/event-stream', 'cache-control': 'no-cache, no-transform' });
  return reply.send(lines);
}

/** The lines of a stream. What fails in it is told as an error, and ends it. */
async function* events(results: AsyncIterable<unknown>, wire: Wire): AsyncGenerator<string> {
  const source = results[Symbol.asyncIterator]();
  try {
    let next = source.next();
    let pulse = beat();
    while (true) {
      const one = await Promise.race([next, pulse]);
      if (one === undefined) {
        pulse = beat();
        yield ':\n\n';
      } else if (one.done === true) return;
      else {
        yield `data: ${JSON.stringify(wire.result(one.value))}\n\n`;
        next = source.next();
      }
    }
  } catch (error) {
    yield `data: ${JSON.stringify(wire.failure(error).body)}\n\n`;
  } finally {
    await source.return?.();
  }
}

const beat = () => new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), BEAT_MS).unref());
