import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readKeypairFile } from '@legwork/ledger';
import { address, createSolanaRpc } from '@solana/kit';
import getPort from 'get-port';
import { Client } from 'pg';
import { copyLedger } from '../packages/ledger/tests/support/copyLedger.js';
import { TestLedger } from '../packages/server/tests/support/ledger.js';
import { LyingNode } from '../packages/server/tests/support/lyingNode.js';
import { CAPS } from './people.js';
import { Keeper } from './keeper.js';
import { Issuer } from './money/issuer.js';
import type { Kill } from './plan.js';

const COMMAND = fileURLToPath(new URL('../packages/cli/bin/legwork.mjs', import.meta.url));
const SUPERVISOR = fileURLToPath(new URL('postgres.mjs', import.meta.url));
const DATABASE_MS = 150_000;
/** More than a soak posts. */
const SPONSORED_SOL = '100000';

/** PostgreSQL, the ledger and two services, each a process of its own that may be killed at any moment. */
export class Instance {
  /** Of the services, which share database and ledger. */
  readonly urls: readonly string[];
  readonly rpcUrl: string;
  /** The node that the services believe to be the ledger. */
  readonly node: LyingNode;
  /** With the database and the ledger. */
  readonly folder: string;
  readonly #ledger: Keeper;
  readonly #supervisor: Keeper;
  readonly #lost: (what: string) => void;
  readonly #servicePorts: readonly number[];
  #services: readonly Keeper[] = [];
  #connectionString: string | undefined;
  #issuer: Issuer | undefined;

  /** @param lost - hears of parts that end without having been killed */
  static async start(lost: (what: string) => void): Promise<Instance> {
    const folder = await mkdtemp(join(tmpdir(), 'legwork-soak-'));
    const freePort = () => getPort({ host: '127.0.0.1' });
    const ports = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
    const node = await LyingNode.start(`http://127.0.0.1:${ports[0]}`);
    const instance = new Instance(folder, node, ports, lost);
    await instance.up();
    return instance;
  }

  private constructor(
    folder: string,
    node: LyingNode,
    [rpcPort, wsPort, ...servicePorts]: [number, number, number, number],
    lost: (what: string) => void,
  ) {
    this.folder = folder;
    this.node = node;
    this.#lost = lost;
    this.#servicePorts = servicePorts;
    this.urls = servicePorts.map((port) => `http://127.0.0.1:${port}`);
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
    if (this.#services.length === 0) this.#services = this.#servicePorts.map((port) => this.#newService(port));
    await Promise.all(this.#services.map((service) => service.up()));
  }

  /** Kills the parts where they stand, all in the same moment. */
  async kill({ target, supervisorToo, service }: Kill): Promise<void> {
    const all = target === 'all';
    const services = this.#services.filter((_, index) => service === undefined || service === index);
    await Promise.all([
      all || target === 'postgres' ? this.#killPostgres(supervisorToo) : undefined,
      ...(all || target === 'service' ? services.map((one) => one.end('SIGKILL')) : []),
      all || target === 'ledger' ? this.#ledger.end('SIGKILL') : undefined,
    ]);
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
    await Promise.all([this.#ledger.end('SIGTERM'), this.#supervisor.end('SIGTERM')]);
    await this.node.close();
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

  #newService(port: number): Keeper {
    return new Keeper({
      name: `the service at port ${port}`,
      args: [COMMAND, 'serve'],
      env: {
        HOST: '127.0.0.1',
        PORT: String(port),
        DATABASE_URL: this.connectionString,
        SOLANA_RPC_URL: this.node.url,
        SOLANA_WS_URL: this.node.wsUrl,
        SOLANA_CLUSTER: 'embedded',
        RELAY_PROGRAM_ID: this.#program,
        ASSETS: `usdc:${this.issuer.asset.number}`,
        COORDINATOR_KEYPAIR: join(this.folder, 'ledger', 'coordinator-keypair.json'),
        LOG_LEVEL: 'warn',
        WEBHOOK_TARGETS: 'any',
        // Everybody comes from an address of their own, as if through a proxy.
        TRUST_PROXY: '127.0.0.1',
        // The soak's agents never rest.
        LIMIT_TOOL_CALLS: '0',
        LIMIT_BIDS: '0',
        LIMIT_WRITES: '0',
        LIMIT_DRAFTS: '0',
        LIMIT_READS: '0',
        LIMIT_AIRDROPS: '0',
        ...CAPS,
        SPONSOR_DAY_SOL: SPONSORED_SOL,
        SPONSOR_OUTSTANDING_SOL: SPONSORED_SOL,
      },
      ready: () => isReady(`http://127.0.0.1:${port}`),
      lost: this.#lost,
    });
  }

  async #databaseUp(): Promise<void> {
    await this.#supervisor.up();
    const found = /^ready (postgresql:\S+)$/m.exec(this.#supervisor.printed)?.[1];
    if (this.#connectionString !== undefined && found !== this.#connectionString) {
      this.#lost(`PostgreSQL moved from ${this.#connectionString} to ${found}`);
    }
    this.#connectionString = found;
    for (const deadline = Date.now() + DATABASE_MS; !(await isUp(this.connectionString)); await sleep(50)) {
      if (Date.now() > deadline) throw new Error(`PostgreSQL is not back:\n${this.#supervisor.lastWords}`);
    }
  }

  async #killPostgres(supervisorToo: boolean): Promise<void> {
    const lines = await readFile(join(this.folder, 'postgres', 'cluster', 'postmaster.pid'), 'utf8');
    const pid = Number.parseInt(lines, 10);
    if (!Number.isSafeInteger(pid) || pid <= 1) throw new Error(`postmaster.pid says ${lines}`);
    const supervisor = supervisorToo ? this.#supervisor.end('SIGKILL') : undefined;
    process.kill(pid, 'SIGKILL');
    await supervisor;
  }
}

async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5_000) }).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function isUp(connectionString: string): Promise<boolean> {
  const client = new Client({ connectionString, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
