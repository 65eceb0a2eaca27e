import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';

/**
 * The fate of a request. `lose`: the service answers, and nobody hears it. `hang`: nobody ever answers. A number: it is answered with
 * this status at once.
 */
export type Fate = 'pass' | 'lose' | 'hang' | number;

/** Stands between agents and their service, and decides which answers arrive. */
export class LossyProxy {
  /** Asked for each request; the body is text. */
  fate: (request: { readonly method: string; readonly path: string; readonly body: string }) => Fate = () => 'pass';
  /** The path that the service is asked for instead. */
  rename: (path: string) => string = (path) => path;
  /** Where the service is. */
  target = '';
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((from, to) => {
      this.#pass(from, to).catch(() => to.destroy());
    });
    this.#server.on('upgrade', (from, socket, head) => {
      if (this.fate({ method: 'GET', path: from.url ?? '', body: '' }) !== 'pass') {
        socket.destroy();
        return;
      }
      const far = connect(Number(new URL(this.target).port), '127.0.0.1');
      const lines = Array.from({ length: from.rawHeaders.length / 2 }, (_, at) =>
        from.rawHeaders.slice(2 * at, 2 * at + 2).join(': '),
      );
      far.write([`GET ${from.url ?? ''} HTTP/1.1`, ...lines, '', ''].join('\r\n'));
      far.write(head);
      far.pipe(socket).pipe(far);
      for (const [one, other] of [
        [far, socket],
        [socket, far],
      ] as const)
        one.on('error', () => other.destroy()).on('close', () => other.destroy());
    });
  }

  static async start(): Promise<LossyProxy> {
    const proxy = new LossyProxy();
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #pass(from: IncomingMessage, to: ServerResponse): Promise<void> {
    const body = Buffer.concat((await from.toArray()) as Buffer[]);
    const [method, path] = [from.method ?? '', from.url ?? ''];
    const fate = this.fate({ method, path, body: body.toString() });
    if (fate === 'hang') return;
    if (typeof fate === 'number') {
      to.writeHead(fate, { 'content-type': 'text/plain' }).end('as the test wants it');
      return;
    }
    const far = request(new URL(this.rename(path), this.target), { method, headers: from.headers });
    far.end(body);
    const [answer] = (await once(far, 'response')) as [IncomingMessage];
    const answered = Buffer.concat((await answer.toArray()) as Buffer[]);
    if (fate === 'lose') to.destroy();
    else to.writeHead(answer.statusCode ?? 500, answer.headers).end(answered);
  }
}
