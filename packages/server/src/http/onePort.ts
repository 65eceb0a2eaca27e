import {
  createServer as createPlainServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import { createServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { LegworkError } from '@legwork/protocol/contract';
import { rawProblem } from '../api/problems.js';
import type { Certificate } from './certificate.js';

/** The first byte of a TLS connection: a handshake follows. */
const HANDSHAKE = 0x16;
/** A client says something within this, milliseconds. */
const SILENT_MS = 30_000;
const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/i;

const isFromHere = ({ remoteAddress = '' }: Socket): boolean => LOOPBACK.test(remoteAddress);

const SPEAK_TLS = 'This service speaks https here: put https:// before the address.';

/** Tells who came without TLS where to go; what writes is refused, as it has been read by whoever listens on the way. */
function sendAway({ method, url = '/' }: IncomingMessage, response: ServerResponse, publicUrl: string): void {
  const isReading = method === 'GET' || method === 'HEAD';
  const location = `${publicUrl}${url.startsWith('/') ? url : '/'}`;
  response.writeHead(isReading ? 308 : 400, {
    'content-type': 'text/plain; charset=utf-8',
    connection: 'close',
    ...(isReading && { location }),
  });
  response.end(`${SPEAK_TLS}\n`);
}

/**
 * A server that speaks TLS, and on the same port plain http to programs of this machine, which need no protection from the network and
 * would have to be told to trust the certificate. Whoever else comes without TLS is sent to where it is spoken. Rule S-231.
 */
export function serveOnePort(
  { pem }: Certificate,
  publicUrl: string,
  options: ServerOptions,
  handler: RequestListener,
): Server {
  const secure: Server = createServer({ ...options, key: pem, cert: pem, minVersion: 'TLSv1.2' }, handler);
  const plain = createPlainServer(options, (request, response) => {
    if (isFromHere(request.socket)) secure.emit('request', request, response);
    else sendAway(request, response, publicUrl);
  });
  plain.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (isFromHere(request.socket)) secure.emit('upgrade', request, socket, head);
    else socket.end(rawProblem(new LegworkError('invalid_input', SPEAK_TLS)));
  });
  plain.on('clientError', (error, socket) => secure.emit('clientError', error, socket));
  // It never listens itself; by this it begins to watch over how long its requests take.
  plain.emit('listening');
  route(secure, plain);
  closeTogether(secure, plain);
  return secure;
}

/** Hands each connection to one of the two, by its first byte. */
function route(secure: Server, plain: Server): void {
  const handshake = secure.listeners('connection');
  secure.removeAllListeners('connection');
  secure.on('connection', (socket: Socket) => {
    const end = () => socket.destroy();
    socket.on('error', end);
    socket.setTimeout(SILENT_MS, end);
    socket.once('data', (first: Buffer) => {
      socket.off('error', end);
      socket.setTimeout(0, end);
      socket.off('timeout', end);
      socket.pause();
      socket.unshift(first);
      if (first[0] === HANDSHAKE) {
        for (const listener of handshake) listener.call(secure, socket);
      } else {
        plain.emit('connection', socket);
        socket.resume();
      }
    });
  });
}

/** Whoever closes the one closes the connections of both. */
function closeTogether(secure: Server, plain: Server): void {
  const [idle, all] = [secure.closeIdleConnections.bind(secure), secure.closeAllConnections.bind(secure)];
  secure.closeIdleConnections = () => {
    idle();
    plain.closeIdleConnections();
  };
  secure.closeAllConnections = () => {
    all();
    plain.closeAllConnections();
  };
  secure.once('close', () => plain.close());
}
