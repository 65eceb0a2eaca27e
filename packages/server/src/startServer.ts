import type { FastifyInstance } from 'fastify';
import type { DestinationStream } from 'pino';
import { startMarking } from './work/marking.js';
import { startErasing } from './personal/erasing.js';
import { startAnalyzing } from './db/analyze.js';
import { startDraftSweep, startSweeps } from './sweeps.js';
import { startEvaluator } from './coordinator/evaluator.js';
import { startSponsoredExits } from './coordinator/sponsoredExits.js';
import { startTaskClaims } from './coordinator/taskWork.js';
import { startTurnKeeper } from './coordinator/turnKeeper.js';
import { startOutboxWorker } from './outbox/outboxWorker.js';
import { startFinality } from './mirror/finality.js';
import { startWatcher } from './mirror/follow.js';
import { REBUILDING, startRebuild } from './mirror/rebuild.js';
import { routeA2a } from './a2a/a2aRoute.js';
import type { Config } from './config.js';
import type { AppContext } from './context.js';
import { createContext } from './createContext.js';
import { httpsAddress } from './api/addresses.js';
import { PortInUseError } from './errors.js';
import { startSequencer } from './events/sequencer.js';
import { type Events, startEvents } from './events/fanout.js';
import { startWebhooks } from './webhooks/deliver.js';
import { lanAddresses, openCertificate } from './http/certificate.js';
import { buildHttp, drainHttp, REQUESTS_GRACE_MS } from './http/httpServer.js';
import { createLogger } from './logging/createLogger.js';
import { isLoopback, unsafeChoices } from './logging/unsafeChoices.js';
import type { Loop } from './loop.js';
import { serveTools } from './mcp/marketOffer.js';
import { type MetricsServer, serveMetrics } from './metrics/serveMetrics.js';
import { runs } from './operations/index.js';
import { onceReachable } from './starting.js';
import getPort from 'get-port';

/** A service that answers. */
export interface RunningServer {
  /** Where programs of this machine reach it, without a slash at the end. */
  url: string;
  /** Where their MCP clients connect. */
  mcpUrl: string;
  /** The event stream. */
  wsUrl: string;
  /** Where others on the network reach it by TLS, and the fingerprint of what it shows them; undefined: it speaks no TLS. */
  secure: { url: string; fingerprint: string } | undefined;
  /** Where the metrics are; undefined: METRICS_PORT is not set. */
  metricsUrl: string | undefined;
  programId: string;
  coordinatorPubkey: string;
  /** Drains: no new connections or work, leases given back, sockets closed with a code that says resume. Repeated calls are the same call. */
  close: () => Promise<void>;
}

/** Brackets for IPv6; an address that means "all" is reached through loopback. */
function urlHost(host: string): string {
  if (EVERYWHERE.includes(host)) return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

const EVERYWHERE = ['0.0.0.0', '::'];

/** The address for clients: with TLS, where other machines reach this one. */
function addressFor(host: string, port: number, isSecure: boolean): string {
  if (!isSecure) return `http://${urlHost(host)}:${port}`;
  return httpsAddress(EVERYWHERE.includes(host) ? (lanAddresses()[0] ?? 'localhost') : host, port);
}

/** The address for programs of this machine: plain http, unless it only listens on an address where it would send them away. */
function addressFromHere(host: string, port: number, isSecure: boolean): string {
  const reached = urlHost(host);
  return isSecure && !isLoopback(reached) ? httpsAddress(host, port) : `http://${reached}:${port}`;
}

async function listen(app: FastifyInstance, host: string, port: number): Promise<void> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') throw new PortInUseError(host, port);
    throw error;
  }
}

/** Everything that works without being asked. */
const BACKGROUND: readonly ((context: AppContext) => Loop)[] = [
  startSequencer,
  startEvaluator,
  startOutboxWorker,
  startWatcher,
  startFinality,
  startRebuild,
  startTaskClaims,
  startTurnKeeper,
  startSponsoredExits,
  startDraftSweep,
  startErasing,
  startSweeps,
  startMarking,
  startAnalyzing,
];

/** The running parts, as far as they were started. */
interface Parts {
  context: AppContext;
  app: FastifyInstance;
  events: Events;
  metrics: MetricsServer | undefined;
  loops: Loop[];
}

/** Ends new connections first, then everything side by side, and the database once nobody needs it. Rule S-44. */
async function shutDown({ context, app, events, metrics, loops }: Parts): Promise<void> {
  // With the requests whatever else waits is cut: a database or a ledger that is silent holds nothing up.
  const cut = setTimeout(() => context.giveUp(), REQUESTS_GRACE_MS);
  await Promise.all([drainHttp(app), events.stop(), metrics?.close(), ...loops.map((loop) => loop.stop())]);
  await Promise.all([context.db.destroy(), context.tracing?.close()]);
  clearTimeout(cut);
  context.log.info('stopped');
}

async function startAt(port: number, config: Config, { logTo, tell, signal }: StartOptions): Promise<RunningServer> {
  const log = createLogger(config.logLevel, logTo);
  const certificate =
    config.httpsFolder === undefined ? undefined : await openCertificate(config.httpsFolder, new Date());
  const publicUrl = config.publicUrl ?? addressFor(config.host, port, certificate !== undefined);
  const context = await onceReachable(
    () => createContext(config, publicUrl, log, certificate, tell),
    ({ db }) => db.destroy(),
    { withinMs: config.startWaitMs, log, tell, signal },
  );
  if (tell) context.mirrored.on(REBUILDING, tell);
  const app = await buildHttp(context, runs);
  const events = await startEvents(context);
  await serveTools(app, context, runs, events);
  await routeA2a(app, context, runs, events);
  const parts: Parts = { context, app, events, metrics: undefined, loops: [] };
  try {
    if (config.metrics !== undefined) {
      parts.metrics = await serveMetrics(context, config.metrics, () => events.openSockets());
    }
    // Before listening: the first client may want the event stream.
    events.attach(app.server);
    events.serveStreams(app);
    await listen(app, config.host, port);
  } catch (error) {
    await shutDown(parts);
    throw error;
  }
  parts.loops = [...BACKGROUND.map((start) => start(context)), startWebhooks(context, events.fanout)];
  const url = addressFromHere(config.host, port, certificate !== undefined);
  const metricsUrl =
    parts.metrics && `http://${urlHost(config.metrics?.host ?? config.host)}:${parts.metrics.port}/metrics`;
  const unsafe = await unsafeChoices(config);
  if (unsafe.length > 0) log.warn({ unsafe }, 'these choices are not safe in production');
  log.info(
    { url, publicUrl, metricsUrl, programId: context.ledger.programAddress, cluster: config.cluster },
    'started',
  );
  let closing: Promise<void> | undefined;
  return {
    url,
    mcpUrl: certificate !== undefined && config.mcpPublicUrl === undefined ? `${url}/mcp` : context.mcpUrl,
    wsUrl: `${url.replace('http', 'ws')}/ws`,
    secure: certificate && { url: publicUrl, fingerprint: certificate.fingerprint },
    metricsUrl,
    programId: context.ledger.programAddress,
    coordinatorPubkey: context.ledger.coordinator.address,
    close: () => {
      closing ??= shutDown(parts);
      return closing;
    },
  };
}

/**
 * Starts the service: schema up to date, program found, HTTP open, work under way.
 *
 * @param config with port 0, any that is free
 * @throws PortInUseError, ForeignDatabaseError, UnreachableError: what the database or the ledger said when they could not be used; the signal's reason
 */
export function startServer(config: Config, options: StartOptions = {}): Promise<RunningServer> {
  if (config.port === 0) return onFreePort(config.host, (port) => startAt(port, config, options));
  return startAt(config.port, config, options);
}

/** Where a service says what it does, and what ends its start. */
export interface StartOptions {
  /** Where the log goes; standard output when left out. */
  logTo?: DestinationStream | undefined;
  /** Hears, in sentences, what the person who starts it should know and the log says too. */
  tell?: ((line: string) => void) | undefined;
  /** Ends the waiting for the database and the ledger. */
  signal?: AbortSignal | undefined;
}

const TRIES = 5;

/**
 * Starts something on a free port that has to be known before anything listens there. What another process has put on the
 * port meanwhile is no reason to fail: there are others.
 *
 * @throws PortInUseError, and whatever else `start` throws
 */
export async function onFreePort<T>(host: string, start: (port: number) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    const port = await getPort({ host });
    try {
      return await start(port);
    } catch (error) {
      if (!(error instanceof PortInUseError && error.port === port) || tries === TRIES) throw error;
    }
  }
}
