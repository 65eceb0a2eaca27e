import { createServer } from 'node:http';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';

/** A request as it came over the wire. */
export interface Asked {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A server's treatment of a request; the body was read. */
export type Behaviour = (response: ServerResponse, asked: Asked) => void;

/** An HTTP server on a free port in the place of a model or a runner; it records what it was asked. */
export async function startModelServer(behaviour: Behaviour) {
  const asked: Asked[] = [];
  /** Requests whose connection is open. */
  let open = 0;
  const control = { behaviour };
  const server = createServer((request, response) => {
    open += 1;
    response.once('close', () => (open -= 1));
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url: path = '', headers } = request;
      const one = { path, headers, body: Buffer.concat(chunks).toString('utf8') };
      asked.push(one);
      control.behaviour(response, one);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  onTestFinished(stop);
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, asked, control, stop, open: () => open };
}

/** A completion with this content, and with what the server says that it used. */
export const says =
  (content: string | null, more: { usage?: unknown; finish_reason?: string } = {}): Behaviour =>
  (response) => {
    const { usage, finish_reason = 'stop' } = more;
    const message = { role: 'assistant', content };
    response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason }], usage }));
  };

export const answers =
  (status: number, body: string | Buffer, headers: Record<string, string> = {}): Behaviour =>
  (response) =>
    response.writeHead(status, headers).end(body);

/** Takes the request and says nothing. */
export const silent: Behaviour = () => undefined;

/** The beginning of an answer, and then nothing. */
export const halfSaid: Behaviour = (response) => void response.write('{"choices":[');

/** Goes on as long as somebody listens. */
export const endless: Behaviour = (response) => {
  const more = () => {
    while (!response.destroyed && response.write(' '.repeat(65_536)));
    if (!response.destroyed) response.once('drain', more);
  };
  more();
};

/** Ends the connection in the middle of the answer. */
export const hangsUp: Behaviour = (response) => {
  response.write('{"choices":[', () => response.destroy());
};

/** A small body that unpacks to 64 MiB. */
export const bomb = answers(200, gzipSync(Buffer.alloc(64 * 1024 * 1024, ' ')), { 'content-encoding': 'gzip' });
