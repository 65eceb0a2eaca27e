import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Dispatcher } from './dispatcher.js';

export type HttpLimits = { readonly bodyBytes: number; readonly connections: number };

type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

const KEEP_ALIVE_MS = 65_000;
const JSON_TYPE = 'application/json; charset=utf-8';

/** JSON-RPC over HTTP, and WebSocket upgrades on the same port. */
export function createRpcServer(dispatcher: Dispatcher, upgrade: Upgrade, limits: HttpLimits): Server {
  const server = createServer((request, response) => {
    serve(dispatcher, limits, request, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.maxConnections = limits.connections;
  server.on('upgrade', upgrade);
  return server;
}

/** The port for WebSocket alone, where Solana's clients expect it. */
export function createWebSocketOnlyServer(upgrade: Upgrade, limits: HttpLimits): Server {
  const server = createServer((_, response) => {
    send(response, 426, 'text/plain', 'This port speaks WebSocket; JSON-RPC over HTTP is one port below.');
  });
  server.maxConnections = limits.connections;
  server.on('upgrade', upgrade);
  return server;
}

async function serve(
  dispatcher: Dispatcher,
  limits: HttpLimits,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  allowOtherOrigins(request, response);
  if (request.method === 'OPTIONS') return send(response, 200, JSON_TYPE, '');
  if (request.method === 'GET' && request.url === '/health') return send(response, 200, 'text/plain', 'ok');
  if (request.method !== 'POST') {
    return send(response, 405, 'text/plain', 'Used HTTP Method is not allowed. POST or OPTIONS is required');
  }
  if (!(request.headers['content-type'] ?? '').toLowerCase().startsWith('application/json')) {
    const why = 'Supplied content type is not allowed. Content-Type: application/json is required';
    return send(response, 415, 'text/plain', why);
  }
  const body = await readBody(request, limits.bodyBytes);
  if (body === undefined) {
    response.setHeader('connection', 'close');
    return send(response, 413, 'text/plain', `The request body is larger than ${limits.bodyBytes} bytes`);
  }
  return send(response, 200, JSON_TYPE, await dispatcher.answer(body));
}

/** Pages of any origin may call, with any headers, as on a cluster's node. */
function allowOtherOrigins(request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('access-control-allow-origin', '*');
  if (request.method !== 'OPTIONS') return;
  response.setHeader('access-control-allow-methods', 'OPTIONS, POST');
  const wanted = request.headers['access-control-request-headers'];
  response.setHeader('access-control-allow-headers', wanted ?? 'content-type, solana-client');
  response.setHeader('access-control-max-age', '86400');
}

/** The whole body as text; undefined when it is longer than allowed. */
async function readBody(request: IncomingMessage, limit: number): Promise<string | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > limit) return undefined;
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let length = 0;
    request.on('data', (part: Buffer) => {
      length += part.length;
      if (length > limit) {
        request.pause();
        resolve(undefined);
      } else {
        parts.push(part);
      }
    });
    request.on('end', () => resolve((parts.length === 1 ? parts[0] : Buffer.concat(parts))?.toString() ?? ''));
    request.on('error', reject);
  });
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
