import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readKeypairFile } from '@legwork/ledger';
import { address, createSolanaRpc } from '@solana/kit';
import getPort from 'get-port';
import { copyLedger } from '../packages/ledger/tests/support/copyLedger.js';
import { TestLedger } from '../packages/server/tests/support/ledger.js';
import { LyingNode } from '../packages/server/tests/support/lyingNode.js';
import { DatabaseParts } from './database.js';
import { Keeper } from './keeper.js';
import { Issuer } from './money/issuer.js';
import { standStill } from './postmaster.js';
import { COMMAND, layWires, newService, type Wires } from './service.js';
import type { Kill, Outage, Pause, Trouble } from './troubles.js';

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
  readonly #database: DatabaseParts;
  readonly #lost: (what: string) => void;
  readonly #options: InstanceOptions;
  /** What services are started from now. */
  #former: string | undefined;
  readonly #servicePorts: readonly number[];
  readonly #wires: readonly Wires[];
  #services: readonly Keeper[] = [];
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
    const database = () => instance.#database.entrance;
    const wires = await Promise.all(
      servicePorts.map((port, index) => {
        const isTold = index > 0 || !options.hasHonestNode;
        return layWires(port, isTold ? Number(new URL(node.url).port) : rpcPort, database);
      }),
    );
    const instance = new Instance(folder, { node, rpcPort, wsPort, servicePorts, wires }, options, lost);
    if (options.isReplicated) await instance.#database.replicate();
    if (options.isPooled) await instance.#database.pool();
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
    this.#database = new DatabaseParts(folder, lost);
  }

  /** Of the token that the services list in beside SOL. */
  get issuer(): Issuer {
    if (this.#issuer === undefined) throw new Error('The ledger was never ready.');
    return this.#issuer;
  }

  get connectionString(): string {
    return this.#database.connectionString;
  }

  /** Starts what does not run and waits until everything is ready, also what recovers by itself. */
  async up(): Promise<void> {
    await Promise.all([this.#ledger.up(), this.#database.up()]);
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
    if (trouble.target === 'disk') return this.#database.spoilDisk(trouble);
    const services = this.#services.filter(isHit);
    return trouble.target === 'pause' ? this.#pause(trouble, services) : this.#kill(trouble, services);
  }

  /** Kills the parts where they stand, all in the same moment. */
  async #kill({ target, supervisorToo }: Kill, services: readonly Keeper[]): Promise<void> {
    const all = target === 'all';
    await Promise.all([
      all || target === 'postgres' ? this.#database.kill({ supervisorToo, poolerToo: all }) : undefined,
      ...(all || target === 'service' ? services.map((one) => one.end('SIGKILL')) : []),
      all || target === 'ledger' ? this.#ledger.end('SIGKILL') : undefined,
    ]);
  }

  async #pause(pause: Pause, services: readonly Keeper[]): Promise<void> {
    const { part, ms } = pause;
    if (part === 'postgres') return this.#database.pause(pause);
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

  /** PostgreSQL's machine is lost, and the standby takes its place. {@link up} waits until the services have found it. */
  async promote(): Promise<void> {
    await this.#database.promote();
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
    await this.#database.lose();
    this.#services = [];
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
    await Promise.all([this.#ledger.end('SIGTERM'), this.#database.stop()]);
    await this.node.close();
    for (const wire of this.#wires.flatMap((wires) => Object.values(wires))) wire.close();
    if (!keeps) await rm(this.folder, { recursive: true, force: true });
    return codes;
  }

  /** The last that each part printed. */
  lastWords(): string {
    const services = this.#services.map(({ lastWords }) => `--- service\n${lastWords}\n`).join('');
    return `${services}--- ledger\n${this.#ledger.lastWords}\n--- supervisor\n${this.#database.lastWords}`;
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

  #newService(port: number, index: number): Keeper {
    const [wires, url] = [this.#wires[index], this.urls[index]];
    if (wires === undefined || url === undefined) throw new RangeError(`There is no service ${index}.`);
    const { program, asset } = { program: this.#program, asset: this.issuer.asset.number };
    const { pathname } = new URL(this.connectionString.replace('@/', '@localhost/'));
    const clockMs = this.#options.clocksMs[index] ?? 0;
    const own = { clockMs, folder: this.folder, former: this.#former };
    return newService({ port, url, wires, database: pathname, program, asset, ...own }, this.#lost);
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
  /** PgBouncer stands between the services and PostgreSQL. */
  readonly isPooled: boolean;
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
