import { LEG_STAGES } from '@legwork/protocol/contract';
import type { AppContext } from '../context.js';
import { countUnnumberedEvents, lastEventSeq } from '../db/events.js';
import { readUnplaced } from '../db/finality.js';
import { readOutboxDepth } from '../db/outbox.js';
import { readClocks } from '../legs/turnRows.js';
import { countByStatus } from '../webhooks/webhookRows.js';
import { within } from '../waiting.js';
import type { Readings } from './metrics.js';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectDefaultMetrics } from 'prom-client';
import { PortInUseError } from '../errors.js';

/** Longest wait for a database or a ledger that does not answer, milliseconds. */
const ANSWER_WITHIN_MS = 3_000;

type Read = (context: AppContext, readings: Readings) => Promise<void>;

/**
 * Takes the readings that are not counted as they happen. A database or a ledger that does not answer is itself a reading
 * (`up` 0); only its own readings are left out.
 */
async function takeReadings(context: AppContext, openSockets: number): Promise<void> {
  const { readings } = context.metrics;
  readings.eventSockets.set(openSockets);
  await Promise.all([
    attempt(context, readings.databaseUp, readDatabase, forgetDatabase),
    attempt(context, readings.ledgerUp, readLedger, forgetLedger),
  ]);
  // Last, so that queries that wait for a connection show too.
  const { totalCount, idleCount, waitingCount } = context.pool;
  readings.poolConnections.set({ state: 'in_use' }, totalCount - idleCount);
  readings.poolConnections.set({ state: 'idle' }, idleCount);
  readings.poolWaiting.set(waitingCount);
}

async function attempt(
  context: AppContext,
  up: Readings['databaseUp'],
  read: Read,
  forget: (readings: Readings) => void,
): Promise<void> {
  try {
    await within(ANSWER_WITHIN_MS, read(context, context.metrics.readings));
    up.set(1);
  } catch (error) {
    context.log.debug({ err: error }, 'a reading for the metrics failed');
    up.set(0);
    forget(context.metrics.readings);
  }
}

async function readDatabase({ db }: AppContext, readings: Readings): Promise<void> {
  const [depth, unplaced, lastEvent, unnumbered, clocks, webhooks] = await Promise.all([
    readOutboxDepth(db),
    readUnplaced(db),
    lastEventSeq(db),
    countUnnumberedEvents(db),
    readClocks(db),
    countByStatus(db),
  ]);
  readings.outbox.reset();
  readings.outboxAge.reset();
  for (const { kind, status, intents, oldestSec } of depth) {
    readings.outbox.set({ kind, status }, Number(intents));
    readings.outboxAge.set({ kind, status }, oldestSec);
  }
  for (const labelled of [readings.unplaced, readings.unplacedAge]) labelled.reset();
  for (const { finality, transactions, oldestSec } of unplaced) {
    readings.unplaced.set({ finality }, transactions);
    readings.unplacedAge.set({ finality }, oldestSec);
  }
  readings.legs.reset();
  for (const stage of LEG_STAGES) readings.legs.set({ stage }, clocks.legs[stage] ?? 0);
  readings.disputeShare.set(clocks.disputeShare);
  readings.lastEvent.set(Number(lastEvent));
  readings.unnumberedEvents.set(unnumbered);
  for (const [status, count] of Object.entries(webhooks)) readings.webhooks.set({ status }, count);
}

function forgetDatabase(readings: Readings): void {
  const { disputeShare, lastEvent, unnumberedEvents, ...others } = readings;
  const { outbox, outboxAge, unplaced, unplacedAge, legs, webhooks } = others;
  for (const labelled of [outbox, outboxAge, unplaced, unplacedAge, legs, webhooks]) labelled.reset();
  for (const single of [disputeShare, lastEvent, unnumberedEvents]) single.remove();
}

async function readLedger({ ledger }: AppContext, readings: Readings): Promise<void> {
  const within = { abortSignal: AbortSignal.timeout(ANSWER_WITHIN_MS) };
  const [slot, { value: lamports }] = await Promise.all([
    ledger.rpc.getSlot({ commitment: 'confirmed' }).send(within),
    ledger.rpc.getBalance(ledger.coordinator.address, { commitment: 'confirmed' }).send(within),
  ]);
  readings.ledgerSlot.set(Number(slot));
  readings.coordinatorLamports.set(Number(lamports));
}

function forgetLedger({ ledgerSlot, coordinatorLamports }: Readings): void {
  for (const single of [ledgerSlot, coordinatorLamports]) single.remove();
}

const PATH = '/metrics';

/** A listener for metrics only. */
export interface MetricsServer {
  /** The one that it listens on, also where any free one was asked for. */
  port: number;
  close: () => Promise<void>;
}

/**
 * Serves `/metrics` in the text format of Prometheus. Rule S-42.
 *
 * @param address with port 0, any that is free
 * @throws PortInUseError
 */
export async function serveMetrics(
  context: AppContext,
  address: NonNullable<AppContext['config']['metrics']>,
  openSockets: () => number,
): Promise<MetricsServer> {
  collectDefaultMetrics({ register: context.metrics.registry });
  const server = createServer((request, response) => {
    answer(context, openSockets, request, response).catch((error: unknown) => {
      context.log.error({ err: error }, 'metrics could not be shown');
      response.destroy();
    });
  });
  await listen(server, address);
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function listen(server: Server, { host, port }: { host: string; port: number }): Promise<void> {
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')
      throw new PortInUseError(host, port, 'METRICS_PORT');
    throw error;
  }
}

async function answer(
  context: AppContext,
  openSockets: () => number,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { registry } = context.metrics;
  const [path] = (request.url ?? '').split('?', 1);
  if (path !== PATH || (request.method !== 'GET' && request.method !== 'HEAD')) {
    response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' }).end(`There is only GET ${PATH} here.\n`);
    return;
  }
  await takeReadings(context, openSockets());
  const text = await registry.metrics();
  response.writeHead(200, { 'content-type': registry.contentType }).end(request.method === 'HEAD' ? undefined : text);
}
