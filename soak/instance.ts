import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readKeypairFile } from '@legwork/ledger';
import { address, createSolanaRpc } from '@solana/kit';
import getPort from 'get-port';
import { copyLedger } from '../packages/ledger/tests/support/copyLedger.js';
import { TestLedger } from '../packages/server/tests/support/ledger.js';
import { LyingNode } from '../packages/server/tests/support/lyingNode.js';
import { Keeper } from './keeper.js';
import { Issuer } from './money/issuer.js';
import { fillDisk, isUp, postgresProcesses, postmasterOf, slowDisk, standStill } from './postmaster.js';
import { addressIn, Standby, type Socket, socketIn } from './standby.js';
import { COMMAND, layWires, newService, type Wires } from './service.js';
import type { BadDisk, Kill, Outage, Pause, Trouble } from './troubles.js';

const SUPERVISOR = fileURLToPath(new URL('postgres.mjs', import.meta.url));
const DATABASE_MS = 150_000;
/** Its multiples are spread evenly between whole numbers. */
const GOLDEN_RATIO = 0.618034;

/** PostgreSQL, the ledger and some services, each a process of its own that may be killed at any moment, or stand still. */
export class Instance {
  /** Of the services, which share database and ledger, as clients reach them. */
  readonly urls: readonly string[];
  readonly rpcUrl: string;
  /** The node that the services believe to be the ledger. */
  readonly node: LyingNode;
  /** With the database and the ledger. */
  readonly folder: string;
  readonly #ledger: Keeper;
  #supervisor: Keeper;
  /** Of the database that the services have: it has `postgres` in it. */
  #dataFolder: string;
  #standby: Standby | undefined;
  readonly #lost: (what: string) => void;
  readonly #options: InstanceOptions;
  /** What services are started from now. */
  #former: string | undefined;
  readonly #servicePorts: readonly number[];
  readonly #wires: readonly Wires[];
  #services: readonly Keeper[] = [];
  #connectionString: string | undefined;
  #issuer: Issuer | undefined;

  /** @param lost - hears of parts that end without having been killed */
  static async start(options: InstanceOptions, lost: (what: string) => void): Promise<Instance> {
    const services = options.clocksMs.length;
    const folder = await mkdtemp(join(tmpdir(), 'legwork-soak-'));
    // As root, PostgreSQL runs as another user, who has to get through to the socket of a primary.
    await chmod(folder, 0o711);
    const ports = await Promise.all(Array.from({ length: 2 + services }, () => getPort({ host: '127.0.0.1' })));
    const [rpcPort = 0, wsPort = 0, ...servicePorts] = ports;
    const node = await LyingNode.start(`http://127.0.0.1:${rpcPort}`);
    const database = () => ({ path: `${instance.#socket.host}/.s.PGSQL.${instance.#socket.port}` });
    const wires = await Promise.all(
      servicePorts.map((port, index) => {
        const isTold = index > 0 || !options.hasHonestNode;
        return layWires(port, isTold ? Number(new URL(node.url).port) : rpcPort, database);
      }),
    );
    const instance = new Instance(folder, { node, rpcPort, wsPort, servicePorts, wires }, options, lost);
    if (options.isReplicated) await instance.#replicate();
    await instance.up();
    return instance;
  }

  private constructor(
    folder: string,
    { node, rpcPort, wsPort, servicePorts, wires }: Places,
    options: InstanceOptions,
    lost: (what: string) => void,
  ) {
    this.folder = folder;
    this.#options = options;
    this.#former = options.former;
    this.#dataFolder = folder;
    this.node = node;
    this.#lost = lost;
    this.#servicePorts = servicePorts;
    this.#wires = wires;
    this.urls = wires.map(({ clients }) => `http://127.0.0.1:${clients.port}`);
    this.rpcUrl = `http://127.0.0.1:${rpcPort}`;
    const ports = ['--port', String(rpcPort), '--ws-port', String(wsPort), '--testing'];
    this.#ledger = new Keeper({
      name: 'the ledger',
      args: [COMMAND, 'ledger', '--data', folder, ...ports],
      ready: (printed) => printed.includes('The ledger is ready.'),
      lost,
    });
    this.#supervisor = new Keeper({
      name: "PostgreSQL's supervisor",
      args: [SUPERVISOR, folder],
      ready: (printed) => printed.includes('ready postgresql:'),
      lost,
    });
  }

  /** Of the token that the services list in beside SOL. */
  get issuer(): Issuer {
    if (this.#issuer === undefined) throw new Error('The ledger was never ready.');
    return this.#issuer;
  }

  get connectionString(): string {
    if (this.#connectionString === undefined) throw new Error('PostgreSQL was never ready.');
    return this.#connectionString;
  }

  /** Starts what does not run and waits until everything is ready, also what recovers by itself. */
  async up(): Promise<void> {
    await Promise.all([this.#ledger.up(), this.#databaseUp()]);
    // Services read once what can be paid in.
    this.#issuer ??= await this.#newIssuer();
    if (this.#services.length === 0)
      this.#services = this.#servicePorts.map((port, index) => this.#newService(port, index));
    await Promise.all(this.#services.map((service) => service.up()));
  }

  /** Lets it happen, and ends what ends by itself. {@link up} puts the rest right. */
  async suffer(trouble: Trouble): Promise<void> {
    const isHit = (_: unknown, index: number) => trouble.service === undefined || trouble.service === index;
    if (trouble.target === 'network') return this.#fail(trouble, this.#wires.filter(isHit));
    if (trouble.target === 'disk') return this.#spoilDisk(trouble);
    const services = this.#services.filter(isHit);
    return trouble.target === 'pause' ? this.#pause(trouble, services) : this.#kill(trouble, services);
  }

  /** Kills the parts where they stand, all in the same moment. */
  async #kill({ target, supervisorToo }: Kill, services: readonly Keeper[]): Promise<void> {
    const all = target === 'all';
    await Promise.all([
      all || target === 'postgres' ? this.#killPostgres(supervisorToo) : undefined,
      ...(all || target === 'service' ? services.map((one) => one.end('SIGKILL')) : []),
      all || target === 'ledger' ? this.#ledger.end('SIGKILL') : undefined,
    ]);
  }

  async #pause({ part, ms, share }: Pause, services: readonly Keeper[]): Promise<void> {
    if (part === 'postgres') {
      const processes = await postgresProcesses(this.#dataFolder);
      // Some of them, spread evenly.
      return standStill(
        processes.filter((_, index) => (index * GOLDEN_RATIO) % 1 <= share),
        ms,
      );
    }
    const keepers = part === 'ledger' ? [this.#ledger] : services;
    return standStill(
      keepers.flatMap(({ pid }) => pid ?? []),
      ms,
    );
  }

  async #fail({ wires, fault, ms }: Outage, services: readonly Wires[]): Promise<void> {
    const hit = services.flatMap((service) => wires.map((name) => service[name]));
    for (const wire of hit) wire.begin(fault);
    await sleep(ms);
    for (const wire of hit) wire.mend();
  }

  async #spoilDisk({ fault, ms }: BadDisk): Promise<void> {
    if ('slowMs' in fault) return slowDisk(this.connectionString, fault.slowMs, ms);
    return fillDisk(await postgresProcesses(this.#dataFolder), fault.kilobytes * 2 ** 10, ms);
  }

  /** Has PostgreSQL acknowledge only what a standby has too, from now on. Before services are started. */
  async #replicate(): Promise<void> {
    await this.#databaseUp();
    const primary = this.#socket;
    await this.#supervisor.end('SIGTERM');
    this.#standby = await Standby.of(this.folder, primary, SUPERVISOR, this.#lost);
    await this.#databaseUp();
    await this.#standby.follow(primary);
  }

  /** PostgreSQL's machine is lost, and the standby takes its place. {@link up} waits until the services have found it. */
  async promote(): Promise<void> {
    if (this.#standby === undefined) throw new Error('There is no standby.');
    const { keeper, folder } = this.#standby;
    const primary = this.#socket;
    await this.#standby.takeOver(primary, socketIn(keeper.printed), () => this.#killPostgres(true));
    this.#supervisor = keeper;
    this.#dataFolder = folder;
    this.#connectionString = undefined;
    this.#standby = undefined;
  }

  /** Replaces the services of an earlier version one after the other, while the rest go on. */
  async upgrade(): Promise<void> {
    this.#former = undefined;
    for (const [index, earlier] of this.#services.entries()) {
      const code = await earlier.end('SIGTERM');
      if (code !== 0) this.#lost(`a service of the earlier version ended with exit code ${code} when asked to stop`);
      const service = this.#newService(this.#servicePorts[index] ?? 0, index);
      this.#services = this.#services.with(index, service);
      await service.up();
    }
  }

  /** Ends services and PostgreSQL, and removes the database. {@link up} starts them with an empty one. */
  async loseDatabase(): Promise<void> {
    await Promise.all(this.#services.map((service) => service.end('SIGKILL')));
    await this.#supervisor.end('SIGTERM');
    await rm(join(this.folder, 'postgres'), { recursive: true });
    this.#services = [];
    this.#connectionString = undefined;
  }

  /** A ledger of its own, with everything that happened so far on this one. */
  async fork(): Promise<TestLedger> {
    const folder = await mkdtemp(join(tmpdir(), 'legwork-soak-fork-'));
    await copyLedger(join(this.folder, 'ledger'), folder);
    return TestLedger.start(folder, 'delayed');
  }

  /** Ends everything in order and removes the folder, unless it is to be kept. @returns the services' exit codes */
  async stop({ keeps }: { keeps: boolean }): Promise<(number | null)[]> {
    const codes = await Promise.all(this.#services.map((service) => service.end('SIGTERM')));
    const rest = [this.#ledger, this.#supervisor, ...(this.#standby ? [this.#standby.keeper] : [])];
    await Promise.all(rest.map((part) => part.end('SIGTERM')));
    await this.node.close();
    for (const wire of this.#wires.flatMap((wires) => Object.values(wires))) wire.close();
    if (!keeps) await rm(this.folder, { recursive: true, force: true });
    return codes;
  }

  /** The last that each part printed. */
  lastWords(): string {
    const services = this.#services.map(({ lastWords }) => `--- service\n${lastWords}\n`).join('');
    return `${services}--- ledger\n${this.#ledger.lastWords}\n--- supervisor\n${this.#supervisor.lastWords}`;
  }

  async #newIssuer(): Promise<Issuer> {
    const authority = await readKeypairFile(join(this.folder, 'ledger', 'authority-keypair.json'));
    const { rpcUrl } = this;
    return Issuer.create({ rpc: createSolanaRpc(rpcUrl), rpcUrl }, address(this.#program), authority);
  }

  get #program(): string {
    const program = /Program\s+(\w+)/.exec(this.#ledger.printed)?.[1];
    if (program === undefined) throw new Error(`the ledger names no program:\n${this.#ledger.lastWords}`);
    return program;
  }

  get #socket(): Socket {
    return socketIn(this.connectionString);
  }

  #newService(port: number, index: number): Keeper {
    const [wires, url] = [this.#wires[index], this.urls[index]];
    if (wires === undefined || url === undefined) throw new RangeError(`There is no service ${index}.`);
    const { program, asset } = { program: this.#program, asset: this.issuer.asset.number };
    const { pathname } = new URL(this.connectionString.replace('@/', '@localhost/'));
    const clockMs = this.#options.clocksMs[index] ?? 0;
    const own = { clockMs, folder: this.folder, former: this.#former };
    return newService({ port, url, wires, database: pathname, program, asset, ...own }, this.#lost);
  }

  async #databaseUp(): Promise<void> {
    await this.#supervisor.up();
    const found = addressIn(this.#supervisor.printed);
    if (this.#connectionString !== undefined && found !== this.#connectionString) {
      this.#lost(`PostgreSQL moved from ${this.#connectionString} to ${found}`);
    }
    this.#connectionString = found;
    for (const deadline = Date.now() + DATABASE_MS; !(await isUp(this.connectionString)); await sleep(50)) {
      if (Date.now() > deadline) throw new Error(`PostgreSQL is not back:\n${this.#supervisor.lastWords}`);
    }
  }

  async #killPostgres(supervisorToo: boolean): Promise<void> {
    const pid = await postmasterOf(this.#dataFolder);
    const supervisor = supervisorToo ? this.#supervisor.end('SIGKILL') : undefined;
    process.kill(pid, 'SIGKILL');
    await supervisor;
  }
}

/** How an instance is made. */
export interface InstanceOptions {
  /** How far the clock of each service is ahead. */
  readonly clocksMs: readonly number[];
  /** The first service has a node of its own, which never lies. */
  readonly hasHonestNode: boolean;
  /** A standby can take the place of PostgreSQL. */
  readonly isReplicated: boolean;
  /** A built checkout of an earlier version, which the services are of until {@link Instance.upgrade}. */
  readonly former: string | undefined;
}

interface Places {
  readonly node: LyingNode;
  readonly rpcPort: number;
  readonly wsPort: number;
  readonly servicePorts: readonly number[];
  readonly wires: readonly Wires[];
}
