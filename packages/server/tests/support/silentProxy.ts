import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * Stands between a service and its PostgreSQL like a network that fails without a word: while it is silent, connections are taken and
 * nothing is passed on, and one that was open in the silence stays silent for ever.
 */
export class SilentProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #links = new Set<() => void>();
  #silent = false;

  /**
   * @param target a connection string that names a folder of a unix socket
   * @param port to listen on; 0: any that is free
   */
  static async start(target: string, port = 0): Promise<SilentProxy> {
    const { searchParams } = new URL(target.replace('@/', '@localhost/'));
    const path = `${searchParams.get('host')}/.s.PGSQL.${searchParams.get('port')}`;
    const proxy = new SilentProxy(path);
    proxy.#server.listen(port, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  private constructor(path: string) {
    this.#server = createServer((near) => {
      this.#keep(near);
      if (this.#silent) return;
      const far = this.#keep(connect(path));
      near.pipe(far).pipe(near);
      const cut = () => {
        near.unpipe(far).pause();
        far.unpipe(near).pause();
      };
      this.#links.add(cut);
      near.once('close', () => this.#links.delete(cut) && far.destroy());
      far.once('close', () => this.#links.delete(cut) && near.destroy());
    });
  }

  /** The same database, by way of this proxy. */
  through(target: string): string {
    const { port } = this.#server.address() as AddressInfo;
    return target.replace(/@\/(\w+)\?.*/, `@127.0.0.1:${port}/$1?sslmode=disable`);
  }

  silence(): void {
    this.#silent = true;
    for (const cut of this.#links) cut();
    this.#links.clear();
  }

  /** New connections are passed on again. */
  mend(): void {
    this.#silent = false;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #keep(socket: Socket): Socket {
    this.#sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => this.#sockets.delete(socket));
    return socket;
  }
}
