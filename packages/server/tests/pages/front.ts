import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type RequestOptions } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** How a reverse proxy passes requests on. */
interface Passing {
  /** The path that it is reached under. */
  readonly prefix?: string;
  /** True if the proxy strips that prefix, as it does unless told. */
  readonly strips?: boolean;
}

/** A reverse proxy in front of a service, for requests and WebSockets, whose connections can be cut. */
export class Front {
  readonly url: string;
  readonly #server: ReturnType<typeof createServer>;
  readonly #sockets = new Set<Socket>();
  #isCut = false;

  /** @param target address of the service, asked again for every connection: a service that starts again has another one */
  static async start(target: () => string, passing: Passing = {}): Promise<Front> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Front(server, target, passing);
  }

  private constructor(
    server: ReturnType<typeof createServer>,
    target: () => string,
    { prefix = '', strips = true }: Passing,
  ) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`;
    const onward = ({ url = '/', method, headers }: IncomingMessage): RequestOptions => {
      const { hostname, port } = new URL(target());
      const path = strips ? url.slice(prefix.length) || '/' : url;
      return { hostname, port, path, method, headers, agent: false };
    };
    server.on('connection', (socket) => (this.#isCut ? socket.destroy() : this.#keep(socket)));
    server.on('request', (asked, answer) => {
      if (!asked.url?.startsWith(prefix)) return answer.writeHead(404).end();
      const passed = request(onward(asked), (given) => {
        answer.writeHead(given.statusCode ?? 502, given.headers);
        given.pipe(answer);
      });
      passed.on('error', () => answer.destroy());
      return asked.pipe(passed);
    });
    server.on('upgrade', (asked, near: Socket, head) => {
      const { hostname, port, path } = onward(asked);
      const far = this.#keep(connect(Number(port), hostname ?? ''));
      const lines = asked.rawHeaders.flatMap((name, at) => (at % 2 ? [] : [`${name}: ${asked.rawHeaders[at + 1]}`]));
      far.write([`GET ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n'));
      far.write(head);
      near.pipe(far).pipe(near);
      near.once('close', () => far.destroy());
      far.once('close', () => near.destroy());
    });
  }

  /** Ends every connection without a word and takes no new one, as a process does that is killed. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  mend(): void {
    this.#isCut = false;
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #keep(socket: Socket): Socket {
    this.#sockets.add(socket);
    return socket.on('error', () => undefined).once('close', () => this.#sockets.delete(socket));
  }
}
