import { maxHeaderSize } from 'node:http';
import type { Socket } from 'node:net';
import { BODY_LIMIT_BYTES, LegworkError } from '@legwork/protocol/contract';
import Fastify from 'fastify';
import { type FastifyBaseLogger, type FastifyInstance, type FastifyServerOptions, LogController } from 'fastify';
import { routeCards } from '../a2a/a2aRoute.js';
import { publicPrefixes, withoutPrefix } from '../api/addresses.js';
import { patternOf, refuseOtherMethods } from '../api/methods.js';
import helmet from '@fastify/helmet';
import { answerProblems, frameworkErrors, rawProblem } from '../api/problems.js';
import { acceptJsonBodies } from '../api/rawBody.js';
import { countRequests } from '../api/limits.js';
import type { AppContext } from '../context.js';
import type { Runs } from '../operations/index.js';
import { SERVICE_VERSION } from '../version.js';
import { routeDocuments } from '../discovery/documents.js';
import { routeBytes } from './byteRoutes.js';
import { serveOnePort } from './onePort.js';
import { openApiDocument } from './openApi.js';
import { routeLedger } from './ledgerRoute.js';
import { routeOperations } from './operationRoutes.js';
import { admitOrigins } from './origins.js';
import { wantsPage, servePages } from './dashboard.js';

/** Longest time a client may take to send a request, its headers included, milliseconds. Rule S-76. */
const REQUEST_TIMEOUT_MS = 30_000;
/** How often Node looks for requests that take longer, milliseconds; its default of 30 seconds would double the limit. */
const REQUEST_CHECK_MS = 1000;

const PATIENCE = { headersTimeout: REQUEST_TIMEOUT_MS, connectionsCheckingInterval: REQUEST_CHECK_MS };

/**
 * How long requests under way may take once the service is asked to stop, milliseconds. Connections still open then are cut:
 * a client that does not finish sending or reading, or a request that waits for a silent ledger.
 */
export const REQUESTS_GRACE_MS = 5_000;
/** How often idle connections are closed while draining, milliseconds: kept alive, they would hold the process. */
const IDLE_SWEEP_MS = 50;

/**
 * The HTTP side of the service: every operation as a route, `/openapi.json`, documents for programs, `/docs`, the page at `/`. It does not listen
 * yet, and other routes may be added until it does.
 */
export async function buildHttp(context: AppContext, runs: Runs): Promise<FastifyInstance> {
  const app = createApp(context);
  logRequests(app);
  measureRequests(app, context);
  refuseTwoHosts(app);
  acceptJsonBodies(app);
  await admitOrigins(app, context);
  countRequests(app, context.limits);
  refuseOtherMethods(app);
  await app.register(helmet, { global: false });
  answerProblems(app, wantsPage);
  routeOperations(app, context, runs);
  await routeBytes(app, context);
  routeLedger(app, context);
  const document = openApiDocument({ publicUrl: context.publicUrl, version: SERVICE_VERSION });
  app.get('/openapi.json', async () => document);
  routeDocuments(app, context);
  await routeCards(app, context);
  await servePages(app, context, document);
  routeEventsHint(app);
  app.addHook('onClose', () => context.limits.close());
  return app;
}

/** Takes no new connections, and resolves once every request under way was answered or cut. Rule S-44. */
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
    ...secured(context),
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT_BYTES,
    // As long as headers may be: the contract checks what is in the path, and names it.
    routerOptions: { maxParamLength: maxHeaderSize },
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: PATIENCE,
    // A request that arrives on an open connection while the service drains is still answered; then the connection closes.
    return503OnClosing: false,
    // Proxies whose word on the client's address counts. Rule S-19.
    trustProxy: trustProxy.length === 0 ? false : trustProxy,
    // A path of the service stays as it is, even if it begins like a prefix.
    rewriteUrl: ({ url = '' }) => (paths.has(url.split('?', 1)[0] ?? '') ? url : withoutPrefix(url, prefixes)),
    frameworkErrors,
    clientErrorHandler,
  });
  paths = collectPaths(app);
  return app;
}

/** The options of the server where TLS is spoken. */
function secured({ certificate, publicUrl }: AppContext): Pick<FastifyServerOptions, 'serverFactory'> {
  if (certificate === undefined) return {};
  const options = { requestTimeout: REQUEST_TIMEOUT_MS, ...PATIENCE };
  return { serverFactory: (handler) => serveOnePort(certificate, publicUrl, options, handler) };
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

/** Measures by route, not by path: anybody can make up paths. Rule S-42. */
function measureRequests(app: FastifyInstance, { metrics }: AppContext): void {
  app.addHook('onResponse', async (request, reply) => {
    const labels = { method: request.method, route: patternOf(request), status: reply.statusCode };
    metrics.httpRequests.observe(labels, reply.elapsedTime / 1000);
  });
}

/** Of two Host headers a proxy may believe one and this service the other. Rule S-11. */
function refuseTwoHosts(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ raw }) => {
    if ((raw.headersDistinct['host']?.length ?? 0) > 1)
      throw new LegworkError('invalid_input', 'Send one Host header.');
  });
}

/** Explains the event stream to plain HTTP at its address. */
function routeEventsHint(app: FastifyInstance): void {
  app.get('/ws', async () => {
    throw new LegworkError('invalid_input', 'This is a WebSocket: connect to it with one (ws:// or wss://).');
  });
}

/** The detail in the answer to an incomplete request, by Node's error code. */
const UNREADABLE: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The headers are larger than 16 KiB.',
  ERR_HTTP_REQUEST_TIMEOUT: `The request took longer than ${REQUEST_TIMEOUT_MS / 1000} seconds to arrive.`,
};

/** Answers bytes that are not HTTP, endless headers, or a request that takes too long: there is only a socket, no request. */
function clientErrorHandler(error: Error, socket: Socket): void {
  const code = 'code' in error ? String(error.code) : '';
  const detail = UNREADABLE[code] ?? 'What was received is not an HTTP request.';
  if (socket.writable) socket.end(rawProblem(new LegworkError('invalid_input', detail)));
  else socket.destroy();
}
