import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { pino, type DestinationStream } from 'pino';
import { startEvaluator } from './chain/coordinator/evaluator.js';
import { startOutboxWorker } from './chain/outbox/outboxWorker.js';
import type { Config } from './config.js';
import { createContext } from './context.js';
import { PortInUse } from './errors.js';
import { startEvents } from './events/startEvents.js';
import { buildHttp } from './http/buildHttp.js';
import type { Loop } from './loop.js';
import { runs } from './operations/index.js';

/** A service that answers. */
export interface RunningServer {
  /** Where it listens, without a slash at the end. */
  url: string;
  /** The event stream. */
  wsUrl: string;
  programId: string;
  coordinatorPubkey: string;
  /** Drains: no new work, leases given back, sockets closed with a code that says resume. Repeated calls are the same call. */
  close: () => Promise<void>;
}

async function freePort(host: string): Promise<number> {
  const probe = createServer().listen(0, host);
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

/** Brackets for IPv6; an address that means "all" is reached through loopback. */
function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

async function listen(app: FastifyInstance, host: string, port: number): Promise<void> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') throw new PortInUse(host, port);
    throw error;
  }
}

/**
 * Starts the service: schema up to date, program found, HTTP open, work under way.
 *
 * @param logTo where the log goes; standard output when left out
 * @throws PortInUse, ForeignDatabase, and what the database or the ledger said when they could not be used
 */
export async function startServer(config: Config, logTo?: DestinationStream): Promise<RunningServer> {
  const port = config.port === 0 ? await freePort(config.host) : config.port;
  const log = pino({ level: config.logLevel, base: null }, logTo ?? pino.destination(1));
  const context = await createContext(config, config.publicUrl ?? `http://${urlHost(config.host)}:${port}`, log);
  const app = await buildHttp(context, runs);
  const events = await startEvents(context);
  const loops: Loop[] = [];

  async function shutDown(): Promise<void> {
    await Promise.all(loops.map((loop) => loop.stop()));
    await events.stop();
    await app.close();
    await context.db.destroy();
    context.log.info('stopped');
  }

  try {
    // Before listening: the first client may want the event stream.
    events.attach(app.server);
    await listen(app, config.host, port);
  } catch (error) {
    await shutDown();
    throw error;
  }
  const outbox = startOutboxWorker(context);
  const evaluator = startEvaluator(context);
  loops.push(evaluator, outbox);
  Object.assign(context.wake, {
    sequencer: () => events.wake(),
    outbox: () => outbox.wake(),
    evaluator: () => evaluator.wake(),
  });
  const url = `http://${urlHost(config.host)}:${port}`;
  context.log.info({ url, programId: context.chain.programAddress, cluster: config.cluster }, 'started');
  let closing: Promise<void> | undefined;
  return {
    url,
    wsUrl: `${url.replace('http', 'ws')}/ws`,
    programId: context.chain.programAddress,
    coordinatorPubkey: context.chain.coordinator.address,
    close: () => {
      closing ??= shutDown();
      return closing;
    },
  };
}
