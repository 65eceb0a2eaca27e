import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import getPort from 'get-port';
import { Keeper } from './keeper.js';
import type { Socket } from './standby.js';

/** PgBouncer between the services and PostgreSQL, set up as the page for operators says. */
export class Pooler {
  readonly port: number;
  readonly keeper: Keeper;
  readonly #file: string;

  /** @param lost - hears of an end that nobody asked for */
  static async of(folder: string, database: Socket, lost: (what: string) => void): Promise<Pooler> {
    const port = await getPort({ host: '127.0.0.1' });
    const file = join(folder, 'pgbouncer.ini');
    await writeFile(file, settings(port, database));
    const { uid, gid } = await stat(join(folder, 'postgres', 'cluster'));
    const keeper = new Keeper({
      name: 'PgBouncer',
      command: 'pgbouncer',
      args: [file],
      user: { uid, gid },
      ready: (printed) => printed.includes('process up'),
      lost,
    });
    return new Pooler(port, file, keeper);
  }

  private constructor(port: number, file: string, keeper: Keeper) {
    this.port = port;
    this.#file = file;
    this.keeper = keeper;
  }

  /** New sessions are those of another server. */
  async follow(database: Socket): Promise<void> {
    await writeFile(this.#file, settings(this.port, database));
    if (this.keeper.pid !== undefined) process.kill(this.keeper.pid, 'SIGHUP');
  }
}

/** The pool is as large as PostgreSQL lets it be, but for the sessions of the soak. */
const settings = (port: number, { host, port: databasePort }: Socket) => `[databases]
* = host=${host} port=${databasePort} user=relay
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = session
default_pool_size = 80
log_connections = 0
log_disconnections = 0
log_pooler_errors = 0
server_login_retry = 1
`;
