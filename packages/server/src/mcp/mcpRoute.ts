import { type Operation, LegworkError } from '@legwork/protocol/contract';
import type { FastifyRequest, FastifyInstance, FastifyReply } from 'fastify';
import { admit, type Identity, identify, requireKey } from '../api/identity.js';
import type { AppContext } from '../context.js';
import type { Caller } from '../operations/run.js';
import {
  createMcpHandler,
  type McpHttpHandler,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server';
import Negotiator from 'negotiator';
import { servedHosts } from '../api/addresses.js';
import { clientKey, type Limits, tellAllowance } from '../api/limits.js';
import { keepAnyBody, readJsonText } from '../api/rawBody.js';
import { type Carrier, carrierIn } from '../tracing/spans.js';
import { cardSession, isCardSession } from './cards.js';
import { createMcpServer, type Offer } from './mcpServer.js';
import { endInTime, type Followed, listenIn, MOST_STREAMS, refuseListen, tellUpdates } from './subscriptions.js';

/** An HTTP request that calls tools, and who sent it, as far as it proves that. */
export interface ToolSession {
  /** The caller as open operations see it. */
  reader: Caller;
  /** The trace that its headers name. */
  carrier: Carrier | undefined;
  /** The client declared a host that shows cards, before this request. */
  cards: boolean;
  /** It takes an event stream for an answer. */
  streams: boolean;
  /** The proven sender; undefined when the request has the headers of a signature and they are wrong. */
  identity: () => Identity | undefined;
  /**
   * Refuses a sender that may not call this operation, before its arguments are checked. Operations that are signed over
   * REST may be called unsigned here; the headers of a signature must be right if they are sent. Rule S-38.
   *
   * @throws LegworkError (401)
   */
  identifyFor: (contract: Operation) => void;
  /** Lets the sender run the operation with this input. @throws LegworkError `pubkey_mismatch`, `signature_required`, `replayed_nonce`, RateLimitedError */
  admit: (contract: Operation, input: object) => Promise<Caller>;
}

export function openSession(context: AppContext, request: FastifyRequest): ToolSession {
  const reader: Caller = { pubkey: undefined, ip: request.ip };
  let known: Identity | undefined;
  const identity = (): Identity => {
    known ??= identify(context, request, 'signable');
    return known;
  };
  return {
    reader,
    carrier: carrierIn(request.headers),
    cards: isCardSession(request.headers[SESSION_ID]),
    streams: takesStreams(request),
    identity: () => {
      try {
        return identity();
      } catch (error) {
        if (error instanceof LegworkError) return undefined;
        throw error;
      }
    },
    identifyFor: ({ auth }) => {
      if (auth !== 'open') requireKey(context, identity(), auth);
    },
    admit: async (contract, input) => {
      if (contract.auth === 'open') return reader;
      await admit(context, identity(), contract, input);
      const { signer } = identity();
      return { ...reader, pubkey: signer?.pubkey, signer };
    },
  };
}

const PATH = '/mcp';
const SESSION_ID = 'mcp-session-id';
const STREAM = 'text/event-stream';
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const FORBIDDEN = -32_000;
/** Most messages of a batch, which older clients may send. */
const MAX_BATCH = 10;
const TOO_MANY = `A batch holds at most ${MAX_BATCH} messages; send the others by themselves`;

/** Methods of MCP that need the market; the others are answered from what never changes. */
const COUNTED = new Set([
  'tools/call',
  'resources/read',
  'completion/complete',
  'tasks/get',
  'tasks/update',
  'tasks/cancel',
]);

/**
 * `/mcp`: streamable HTTP without sessions, for the protocol's revision of 2026 and earlier ones. Nothing is remembered
 * between requests, so any replica answers any of them. Rules S-18, S-37.
 */
export async function routeMcp(
  app: FastifyInstance,
  context: AppContext,
  offer: Offer,
  bodyLimit: number,
  events?: Followed,
): Promise<void> {
  const sessions = new WeakMap<Request, ToolSession>();
  const mcp = createMcpHandler(
    ({ requestInfo, era }) => {
      const session = requestInfo && sessions.get(requestInfo);
      if (session === undefined) throw new Error('an MCP server was asked for outside of a request');
      return createMcpServer(offer, session, era);
    },
    {
      ...(events && { bus: tellUpdates(events.fanout) }),
      maxSubscriptions: events === undefined ? 0 : MOST_STREAMS,
      onerror: (error) => context.log.debug({ err: error }, 'MCP request refused'),
    },
  );
  // Streams end with a word, before the connections that they are on.
  app.addHook('preClose', () => mcp.close());
  await app.register(async (scope) => {
    keepAnyBody(scope);
    scope.addHook('onRequest', async (request, reply) => refuseForeign(context, request, reply));
    const served = { context, offer, sessions, mcp, events };
    const handler = (request: FastifyRequest, reply: FastifyReply) => answerMessage(served, request, reply);
    for (const url of [PATH, `${PATH}/`]) scope.route({ method: 'POST', url, bodyLimit, handler });
  });
}

interface Served {
  context: AppContext;
  offer: Offer;
  /** Who sent a request that the SDK has. */
  sessions: WeakMap<Request, ToolSession>;
  mcp: McpHttpHandler;
  events: Followed | undefined;
}

async function answerMessage(served: Served, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { context, offer, sessions, mcp, events } = served;
  const message = parseMessage(request.rawBody);
  if (!message.ok) return reply.code(400).send(rpcError(PARSE_ERROR, message.problem));
  const held = countMessages(message.body);
  if (held.messages > MAX_BATCH) return reply.code(400).send(rpcError(INVALID_REQUEST, TOO_MANY));
  await count(context.limits, request, reply, held);
  const ended = new AbortController();
  const session = openSession(context, request);
  const listen = listenIn(message.body);
  if (listen !== undefined) {
    const refused = refuseListen(listen, session.streams, offer.requireResource);
    if (refused !== undefined) return reply.code(refused.status).send(refused.body);
    events?.hold(request.raw, reply.raw);
    endInTime(ended);
  }
  const asked = toRequest(request, reply, ended);
  sessions.set(asked, session);
  const answer = await mcp.fetch(asked, { parsedBody: message.body });
  const cards = cardSession(message.body);
  if (cards !== undefined) reply.header(SESSION_ID, cards);
  return reply.send(session.streams ? answer : await asJson(answer));
}

/** The body of a request to `/mcp`, read as JSON. */
type ParsedMessage = { ok: true; body: unknown } | { ok: false; problem: string };

function parseMessage(bytes: Buffer = Buffer.alloc(0)): ParsedMessage {
  try {
    return { ok: true, body: JSON.parse(readJsonText(bytes)) };
  } catch (error) {
    const problem = error instanceof LegworkError ? error.message : 'the body is not JSON';
    return { ok: false, problem: `Parse error: ${problem}` };
  }
}

/** Counts the messages of a body, and the calls among them. */
function countMessages(body: unknown): { messages: number; calls: number } {
  const parts: unknown[] = Array.isArray(body) ? body : [body];
  return { messages: parts.length, calls: parts.filter((part) => isRequest(part) && COUNTED.has(part.method)).length };
}

function isRequest(part: unknown): part is { method: string } {
  return typeof part === 'object' && part !== null && 'method' in part && typeof part.method === 'string';
}

/** Refuses pages that reached the service under another name (DNS rebinding) or from an origin that is not allowed. */
function refuseForeign(context: AppContext, request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
  const hosts = servedHosts(context, request.raw.socket.localPort).map((host) => new URL(`http://${host}`).hostname);
  const origins = context.config.corsOrigins.map((origin) => new URL(origin).hostname);
  const host = validateHostHeader(request.host, hosts);
  const origin = validateOriginHeader(request.headers.origin, [...hosts, ...origins]);
  const refused = [host, origin].find((result) => !result.ok);
  return refused?.ok === false ? reply.code(403).send(rpcError(FORBIDDEN, refused.message)) : undefined;
}

/**
 * Counts the messages of a body: a tool call for each call, and a read for each other message but the first, because the
 * request itself was counted as a read.
 */
async function count(
  limits: Limits,
  request: FastifyRequest,
  reply: FastifyReply,
  { messages, calls }: { messages: number; calls: number },
): Promise<void> {
  const client = clientKey(request.ip);
  // One after another: the first that is refused ends it.
  for (let taken = 0; taken < calls; taken += 1) tellAllowance(reply, await limits.take('toolCalls', client));
  for (let taken = 1; taken < messages - calls; taken += 1) tellAllowance(reply, await limits.take('reads', client));
}

/** The request as the SDK takes it, without the body, which is passed already parsed. */
function toRequest(
  { method, headers, host, url }: FastifyRequest,
  reply: FastifyReply,
  ended: AbortController,
): Request {
  reply.raw.once('close', () => ended.abort());
  const copied = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const one of [value ?? []].flat()) copied.append(name, one);
  }
  // The SDK refuses who does not name both; who takes JSON alone gets the stream as JSON.
  copied.set('accept', `application/json, ${STREAM}`);
  return new Request(new URL(url, `http://${host}`), { method, headers: copied, signal: ended.signal });
}

/** True if the client takes an event stream; one that says nothing takes any. Rule S-155. */
function takesStreams({ headers: { accept } }: FastifyRequest): boolean {
  return accept === undefined || new Negotiator({ headers: { accept } }).mediaType([STREAM]) !== undefined;
}

/** The messages of a stream that has ended as one JSON document: the only one, or an array of them. */
async function asJson(answer: Response): Promise<Response> {
  if (!answer.headers.get('content-type')?.startsWith(STREAM)) return answer;
  const messages = [...(await answer.text()).matchAll(/^data: (.*)$/gm)].map(([, data = '']) => data);
  const headers = new Headers(answer.headers);
  headers.set('content-type', 'application/json');
  const body = messages.length === 1 ? messages[0] : `[${messages.join(',')}]`;
  return new Response(body, { status: answer.status, headers });
}

function rpcError(code: number, message: string): object {
  return { jsonrpc: '2.0', error: { code, message }, id: null };
}
