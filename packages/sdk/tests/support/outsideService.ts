import { createServer } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { onTestFinished } from 'vitest';
import { portOf } from './ports.js';

/** A request as it came over the wire. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** The answer to give; undefined: never; `cut`: the connection ends instead. */
export type Answer =
  | { status?: number; headers?: Record<string, string>; json?: unknown; text?: string }
  | 'cut'
  | undefined;

/** A bare HTTP server on a free port in the place of the service; it records what it received. */
export async function startOutsideService(answer: (request: Received) => Answer) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const one = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      };
      received.push(one);
      const reply = answer(one);
      if (reply === undefined) return;
      if (reply === 'cut') {
        request.socket.destroy();
        return;
      }
      response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers });
      response.end(reply.text ?? JSON.stringify(reply.json));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const port = portOf(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${port}`, host: `127.0.0.1:${port}`, received };
}
