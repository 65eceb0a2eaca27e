import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectDefaultMetrics } from 'prom-client';
import type { AppContext } from '../context.js';
import { PortInUseError } from '../errors.js';
import { takeReadings } from './takeReadings.js';

/** Metrics stay on the operator's machine: collectors read them there. */
const HOST = '127.0.0.1';
const PATH = '/metrics';

/** A listener for metrics only. */
export interface MetricsServer {
  url: string;
  close: () => Promise<void>;
}

/**
 * Serves `/metrics` in the text format of Prometheus, on loopback. Rule S-42.
 *
 * @param port - 0 takes any free one
 * @throws PortInUseError
 */
export async function serveMetrics(
  context: AppContext,
  port: number,
  openSockets: () => number,
): Promise<MetricsServer> {
  collectDefaultMetrics({ register: context.metrics.registry });
  const server = createServer((request, response) => {
    answer(context, openSockets, request, response).catch((error: unknown) => {
      context.log.error({ err: error }, 'metrics could not be shown');
      response.destroy();
    });
  });
  await listen(server, port);
  return {
    url: `http://${HOST}:${(server.address() as AddressInfo).port}${PATH}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function listen(server: Server, port: number): Promise<void> {
  try {
    server.listen(port, HOST);
    await once(server, 'listening');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')
      throw new PortInUseError(HOST, port, 'METRICS_PORT');
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
