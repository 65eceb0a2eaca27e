import { isUtf8 } from 'node:buffer';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Dispatcher } from './dispatcher.js';

export type HttpLimits = { readonly bodyBytes: number; readonly connections: number };

type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/**
 * A validator never closes an idle connection. Here one ends that nobody uses, but later than clients give one up (undici after
 * ten minutes at the latest), so that none sends its next call into a connection that is being closed.
 */
const KEEP_ALIVE_MS = 15 * 60_000;
const JSON_TYPE = 'application/json; charset=utf-8';
const TEXT_TYPE = 'text/plain; charset=utf-8';
/** Names of this machine in an origin; every name below localhost is one. */
const LOOPBACK = /^(?:(?:.+\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
const ACCEPTED_TYPE = /^application\/json(?:; ?charset=utf-8)?$/i;

/** JSON-RPC over HTTP at any path, and WebSocket upgrades on the same port. Rule L-61. */
export function createRpcServer(dispatcher: Dispatcher, upgrade: Upgrade, limits: HttpLimits): Server {
  const server = createServer((request, response) => {
    serve(dispatcher, limits, request, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.maxConnections = limits.connections;
  // Idle connections make way: one client could hold all of them, and keep everybody else out.
  server.on('drop', () => server.closeIdleConnections());
  server.on('upgrade', upgrade);
  return server;
}

/** The port for WebSocket alone, where Solana's clients expect it. */
export function createWebSocketOnlyServer(upgrade: Upgrade, limits: HttpLimits): Server {
  const server = createServer((_, response) => {
    send(response, 426, TEXT_TYPE, 'This port speaks WebSocket; JSON-RPC over HTTP is one port below.');
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
  if (/^\/health(?:\?|$)/.test(request.url ?? '')) return send(response, 200, TEXT_TYPE, 'ok');
  allowOtherOrigins(request, response);
  if (request.method === 'OPTIONS') {
    response.setHeader('allow', 'OPTIONS, POST');
    response.setHeader('accept', 'application/json');
    return send(response, 200, JSON_TYPE, '');
  }
  if (request.method !== 'POST') {
    return send(response, 405, TEXT_TYPE, 'Used HTTP Method is not allowed. POST or OPTIONS is required\n');
  }
  if (!ACCEPTED_TYPE.test(request.headers['content-type'] ?? '')) {
    const why = 'Supplied content type is not allowed. Content-Type: application/json is required\n';
    return send(response, 415, TEXT_TYPE, why);
  }
  const body = await readBody(request, limits.bodyBytes);
  if (body === undefined) {
    response.setHeader('connection', 'close');
    return send(response, 413, TEXT_TYPE, 'request body size exceeds allowed maximum');
  }
  if (!isUtf8(body)) {
    return send(response, 400, TEXT_TYPE, `utf-8 encoding error at byte ${validLength(body)} in request body`);
  }
  const answer = await dispatcher.answer(body.toString(), foreignPage(request));
  return send(response, 200, JSON_TYPE, answer === '' ? '' : `${answer}\n`);
}

/** Pages of any origin may call, with any headers, as on a cluster's node. */
function allowOtherOrigins({ headers }: IncomingMessage, response: ServerResponse): void {
  if (headers.origin === undefined) return;
  response.setHeader('vary', 'origin');
  response.setHeader('access-control-allow-methods', 'OPTIONS, POST');
  response.setHeader('access-control-allow-origin', headers.origin);
  response.setHeader('access-control-max-age', '86400');
  const wanted = headers['access-control-request-headers'];
  if (wanted !== undefined) response.setHeader('access-control-allow-headers', wanted.split(/\s*,\s*/).join(', '));
}

/** The origin of a page that is not of this machine; undefined: no page sent it, or one of this machine. Rule L-85. */
function foreignPage({ headers }: IncomingMessage): string | undefined {
  const { origin } = headers;
  if (origin === undefined) return headers['sec-fetch-site'] === 'cross-site' ? 'another site' : undefined;
  const host = URL.canParse(origin) ? new URL(origin).hostname : '';
  return LOOPBACK.test(host) ? undefined : origin;
}

/** The whole body; undefined when it is longer than allowed. */
async function readBody(request: IncomingMessage, limit: number): Promise<Buffer | undefined> {
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
    request.on('end', () => resolve(parts.length === 1 ? parts[0] : Buffer.concat(parts)));
    request.on('error', reject);
  });
}

/** How many bytes are UTF-8, up to the first that is not. */
function validLength(body: Buffer): number {
  const replaced = Buffer.from(body.toString());
  return body.findIndex((byte, index) => byte !== replaced[index]);
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
