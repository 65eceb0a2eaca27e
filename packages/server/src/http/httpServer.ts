import { maxHeaderSize } from 'node:http';
import type { Socket } from 'node:net';
import { BODY_LIMIT_BYTES, RelayError } from '@legwork/protocol/contract';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { publicPrefixes, withoutPrefix } from '../api/addresses.js';
import { knowEveryMethod, refuseOtherMethods } from '../api/methods.js';
import { answerProblems, frameworkErrors, rawProblem } from '../api/problems.js';
import { acceptJsonBodies } from '../api/rawBody.js';
import { countRequests } from '../api/requestLimits.js';
import type { AppContext } from '../context.js';
import type { Runs } from '../operations/index.js';
import { SERVICE_VERSION } from '../version.js';
import { openApiDocument } from './openApi.js';
import { routeOperations } from './operationRoutes.js';
import { admitOrigins } from './origins.js';
import { servePages } from './pages.js';

/** Longest time a client may take to send a request, its headers included, milliseconds. Rule S-76. */
const REQUEST_TIMEOUT_MS = 30_000;
/** How often requests that take longer are looked for, milliseconds; Node's own 30 seconds would double what is promised. */
const REQUEST_CHECK_MS = 1000;

/**
 * How long requests under way may take once the service was asked to stop, milliseconds. What is still open then is cut:
 * a client that does not finish sending or reading, or a request that waits for a ledger which does not answer.
 */
export const REQUESTS_GRACE_MS = 5_000;
/** While draining, connections that have become idle are closed this often: kept alive, they would hold the process. */
const IDLE_SWEEP_MS = 50;

/**
 * The HTTP side of the service: every operation as a route, `/openapi.json`, `/docs`, the page at `/`.
 * It does not listen yet; closing it also stops its background work.
 */
export async function buildHttp(context: AppContext, runs: Runs): Promise<FastifyInstance> {
  const app = createApp(context);
  logRequests(app);
  measureRequests(app, context);
  refuseTwoHosts(app);
  acceptJsonBodies(app);
  knowEveryMethod(app);
  await admitOrigins(app, context);
  countRequests(app, context.limits);
  answerProblems(app);
  routeOperations(app, context, runs);
  const document = openApiDocument({ publicUrl: context.publicUrl, version: SERVICE_VERSION });
  app.get('/openapi.json', async () => document);
  refuseOtherMethods(app, '/openapi.json', ['GET']);
  await servePages(app, context, document);
  routeEventsHint(app);
  app.addHook('onClose', () => context.limits.close());
  return app;
}

/** Takes no new connection, and resolves once what is under way was answered or cut. Rule S-44. */
export async function drainHttp(app: FastifyInstance): Promise<void> {
  const sweep = setInterval(() => app.server.closeIdleConnections(), IDLE_SWEEP_MS);
  const cut = setTimeout(() => app.server.closeAllConnections(), REQUESTS_GRACE_MS);
  try {
    await app.close();
  } finally {
    clearInterval(sweep);
    clearTimeout(cut);
  }
}

function createApp(context: AppContext): FastifyInstance {
  const logger: FastifyBaseLogger = context.log;
  const prefixes = publicPrefixes(context);
  const { trustProxy } = context.config;
  let paths = new Set<string>();
  const app: FastifyInstance = Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT_BYTES,
    // As long as headers may be: the contract judges what is in the path, and names it.
    routerOptions: { maxParamLength: maxHeaderSize },
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: { headersTimeout: REQUEST_TIMEOUT_MS, connectionsCheckingInterval: REQUEST_CHECK_MS },
    // What arrives on an open connection while the service drains is still answered, and then the connection closed.
    return503OnClosing: false,
    trustProxy: trustProxy.length === 0 ? false : trustProxy,
    // A path of the service stays what it is, also where a prefix looks like its beginning.
    rewriteUrl: ({ url = '' }) => (paths.has(url.split('?', 1)[0] ?? '') ? url : withoutPrefix(url, prefixes)),
    frameworkErrors,
    clientErrorHandler,
  });
  paths = collectPaths(app);
  return app;
}

/** The paths of the routes made after this, without those that have parameters. */
function collectPaths(app: FastifyInstance): Set<string> {
  const paths = new Set<string>();
  app.addHook('onRoute', ({ url }) => {
    if (!/[:*]/.test(url)) paths.add(url);
  });
  return paths;
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

/** Of two names a proxy may believe the one and this service the other. Rule S-11. */
function refuseTwoHosts(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ raw }) => {
    if ((raw.headersDistinct['host']?.length ?? 0) > 1) throw new RelayError('invalid_input', 'Send one Host header.');
  });
}

/** Plain HTTP at the address of the event stream: say what it is. */
function routeEventsHint(app: FastifyInstance): void {
  app.get('/ws', async () => {
    throw new RelayError('invalid_input', 'This is a WebSocket: connect to it with one (ws:// or wss://).');
  });
  refuseOtherMethods(app, '/ws', ['GET']);
}

/** What is told of requests that are no whole ones, by Node's code. */
const UNREADABLE: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The headers are larger than 16 KiB.',
  ERR_HTTP_REQUEST_TIMEOUT: `The request took longer than ${REQUEST_TIMEOUT_MS / 1000} seconds to arrive.`,
};

/** Bytes that are not HTTP, headers without end, or a request that takes too long. There is no request to answer, only a socket. */
function clientErrorHandler(error: Error, socket: Socket): void {
  const code = 'code' in error ? String(error.code) : '';
  const detail = UNREADABLE[code] ?? 'What was received is not an HTTP request.';
  if (socket.writable) socket.end(rawProblem(new RelayError('invalid_input', detail)));
  else socket.destroy();
}
