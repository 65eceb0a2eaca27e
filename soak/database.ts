import { rm } from 'node:fs/promises';
import type { NetConnectOpts } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Keeper } from './keeper.js';
import { Pooler } from './pooler.js';
import { fillDisk, isUp, postgresProcesses, postmasterOf, slowDisk, standStill } from './postmaster.js';
import { addressIn, Standby, type Socket, socketIn } from './standby.js';
import type { BadDisk, Pause } from './troubles.js';

const SUPERVISOR = fileURLToPath(new URL('postgres.mjs', import.meta.url));
const UP_MS = 150_000;
/** Its multiples are spread evenly between whole numbers. */
const GOLDEN_RATIO = 0.618034;

/** PostgreSQL with its supervisor, and what stands beside it and before it. */
export class DatabaseParts {
  readonly #folder: string;
  readonly #lost: (what: string) => void;
  #supervisor: Keeper;
  /** Of the server that the services have: it has `postgres` in it. */
  #dataFolder: string;
  #standby: Standby | undefined;
  #pooler: Pooler | undefined;
  #connectionString: string | undefined;

  /** @param lost - hears of parts that end without having been killed */
  constructor(folder: string, lost: (what: string) => void) {
    this.#folder = folder;
    this.#dataFolder = folder;
    this.#lost = lost;
    this.#supervisor = new Keeper({
      name: "PostgreSQL's supervisor",
      args: [SUPERVISOR, folder],
      ready: (printed) => printed.includes('ready postgresql:'),
      lost,
    });
  }

  get connectionString(): string {
    if (this.#connectionString === undefined) throw new Error('PostgreSQL was never ready.');
    return this.#connectionString;
  }

  /** Where services find it. */
  get entrance(): NetConnectOpts {
    if (this.#pooler !== undefined) return { host: '127.0.0.1', port: this.#pooler.port };
    return { path: `${this.#socket.host}/.s.PGSQL.${this.#socket.port}` };
  }

  get lastWords(): string {
    return this.#supervisor.lastWords;
  }

  /** Starts what does not run, and waits until it answers. */
  async up(): Promise<void> {
    await Promise.all([this.#supervisor.up(), this.#pooler?.keeper.up()]);
    const found = addressIn(this.#supervisor.printed);
    if (this.#connectionString !== undefined && found !== this.#connectionString) {
      this.#lost(`PostgreSQL moved from ${this.#connectionString} to ${found}`);
    }
    this.#connectionString = found;
    for (const deadline = Date.now() + UP_MS; !(await isUp(this.connectionString)); await sleep(50)) {
      if (Date.now() > deadline) throw new Error(`PostgreSQL is not back:\n${this.lastWords}`);
    }
  }

  /** Has PostgreSQL acknowledge only what a standby has too, from now on. */
  async replicate(): Promise<void> {
    await this.up();
    const primary = this.#socket;
    await this.#supervisor.end('SIGTERM');
    this.#standby = await Standby.of(this.#folder, primary, SUPERVISOR, this.#lost);
    await this.up();
    await this.#standby.follow(primary);
  }

  /** PostgreSQL's machine is lost, and the standby takes its place. */
  async promote(): Promise<void> {
    if (this.#standby === undefined) throw new Error('There is no standby.');
    const { keeper, folder } = this.#standby;
    const own = socketIn(keeper.printed);
    await this.#standby.takeOver(this.#socket, own, () => this.kill({ supervisorToo: true }));
    this.#supervisor = keeper;
    this.#dataFolder = folder;
    this.#connectionString = undefined;
    this.#standby = undefined;
    await this.#pooler?.follow(own);
  }

  /** Has services find it behind PgBouncer. */
  async pool(): Promise<void> {
    await this.up();
    this.#pooler = await Pooler.of(this.#folder, this.#socket, this.#lost);
  }

  async kill({ supervisorToo, poolerToo }: { supervisorToo: boolean; poolerToo?: boolean }): Promise<void> {
    const pid = await postmasterOf(this.#dataFolder);
    const ends = [supervisorToo && this.#supervisor, poolerToo && this.#pooler?.keeper].map(killed);
    process.kill(pid, 'SIGKILL');
    await Promise.all(ends);
  }

  /** Some of the server's processes stand still, spread evenly. */
  async pause({ share, ms }: Pause): Promise<void> {
    const processes = await postgresProcesses(this.#dataFolder);
    return standStill(
      processes.filter((_, index) => (index * GOLDEN_RATIO) % 1 <= share),
      ms,
    );
  }

  async spoilDisk({ fault, ms }: BadDisk): Promise<void> {
    if ('slowMs' in fault) return slowDisk(this.connectionString, fault.slowMs, ms);
    return fillDisk(this.#dataFolder, fault.kilobytes * 2 ** 10, ms);
  }

  /** Ends it, and removes what it had. {@link up} starts it empty. */
  async lose(): Promise<void> {
    await this.#supervisor.end('SIGTERM');
    await rm(join(this.#folder, 'postgres'), { recursive: true });
    this.#connectionString = undefined;
  }

  async stop(): Promise<void> {
    await this.#pooler?.keeper.end('SIGTERM');
    await Promise.all([this.#supervisor.end('SIGTERM'), this.#standby?.keeper.end('SIGTERM')]);
  }

  get #socket(): Socket {
    return socketIn(this.connectionString);
  }
}

const killed = async (part: Keeper | false | undefined) => part && part.end('SIGKILL');
