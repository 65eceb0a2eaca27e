import { maxHeaderSize } from 'node:http';
import type { Socket } from 'node:net';
import cors from '@fastify/cors';
import { HEADER_NONCE, HEADER_PUBKEY, HEADER_SIGNATURE, RelayError } from '@agent-relay/protocol';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { startNonceSweep } from '../auth/nonceSweep.js';
import type { AppContext } from '../context.js';
import type { Runs } from '../operations/index.js';
import { openApiDocument } from './openApi.js';
import { knowEveryMethod, refuseOtherMethods, routeOperations } from './operationRoutes.js';
import { servePages } from './pages.js';
import { answerProblems, frameworkErrors, rawProblem } from './problems.js';
import { acceptJsonBodies, BODY_LIMIT_BYTES } from './rawBody.js';
import { SERVICE_VERSION } from './version.js';

/** Longest time a client may take to send a request, milliseconds. */
const REQUEST_TIMEOUT_MS = 30_000;

/**
 * The HTTP side of the service: every operation as a route, `/openapi.json`, `/docs`, the page at `/`.
 * It does not listen yet; closing it also stops its background work.
 */
export async function buildHttp(context: AppContext, runs: Runs): Promise<FastifyInstance> {
  const logger: FastifyBaseLogger = context.log;
  const app: FastifyInstance = Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT_BYTES,
    // As long as headers may be: the contract judges what is in the path, and names it.
    routerOptions: { maxParamLength: maxHeaderSize },
    requestTimeout: REQUEST_TIMEOUT_MS,
    // What arrives on an open connection while the service drains is still answered, and then the connection closed.
    return503OnClosing: false,
    frameworkErrors,
    clientErrorHandler,
  });
  logRequests(app);
  measureRequests(app, context);
  acceptJsonBodies(app);
  knowEveryMethod(app);
  await app.register(cors, {
    // Reading is open to every page. Writing from pages of other origins waits for a list of allowed ones.
    origin: '*',
    methods: ['GET', 'HEAD'],
    allowedHeaders: ['content-type', HEADER_PUBKEY, HEADER_NONCE, HEADER_SIGNATURE],
    exposedHeaders: ['link', 'retry-after'],
    maxAge: 600,
    strictPreflight: false,
  });
  answerProblems(app);
  routeOperations(app, context, runs);
  const document = openApiDocument({ publicUrl: context.publicUrl, version: SERVICE_VERSION });
  app.get('/openapi.json', async () => document);
  refuseOtherMethods(app, '/openapi.json', ['GET']);
  await servePages(app, context, document);
  routeEventsHint(app);
  sweepNoncesWhileOpen(app, context);
  return app;
}

/** One line a request: no body, no headers, no query, where a stray key would be. Rule S-8. */
function logRequests(app: FastifyInstance): void {
  app.addHook('onResponse', async (request, reply) => {
    const { method, ip } = request;
    const [url] = request.url.split('?', 1);
    const ms = Math.round(reply.elapsedTime);
    request.log.info({ method, url, ip, status: reply.statusCode, ms }, 'request');
  });
}

/** By route and not by address, which anybody can make up. Rule S-42. */
function measureRequests(app: FastifyInstance, { metrics }: AppContext): void {
  app.addHook('onResponse', async (request, reply) => {
    const route = request.is404 ? 'none' : (request.routeOptions.url ?? 'none');
    metrics.httpRequests.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000);
  });
}

/** Plain HTTP at the address of the event stream: say what it is. */
function routeEventsHint(app: FastifyInstance): void {
  app.get('/ws', async () => {
    throw new RelayError('invalid_input', 'This is a WebSocket: connect to it with one (ws:// or wss://).');
  });
  refuseOtherMethods(app, '/ws', ['GET']);
}

function sweepNoncesWhileOpen(app: FastifyInstance, context: AppContext): void {
  let sweep: { stop: () => Promise<void> } | undefined;
  app.addHook('onReady', async () => {
    sweep = startNonceSweep(context);
  });
  app.addHook('onClose', async () => {
    await sweep?.stop();
  });
}

/** Bytes that are not HTTP, or headers without end. There is no request to answer, only a socket. */
function clientErrorHandler(error: Error, socket: Socket): void {
  const tooLarge = 'code' in error && error.code === 'HPE_HEADER_OVERFLOW';
  const detail = tooLarge ? 'The headers are larger than 16 KiB.' : 'What was received is not an HTTP request.';
  if (socket.writable) socket.end(rawProblem(new RelayError('invalid_input', detail)));
  else socket.destroy();
}
