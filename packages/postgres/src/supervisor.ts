import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { type Binaries, findBinaries } from './binaries.js';
import { bringUp, type Up } from './bringUp.js';
import { clusterVersion, createCluster, giveCluster } from './cluster.js';
import { messageOf, PostgresInUseError } from './errors.js';
import { type Layout, prepareLayout } from './layout.js';
import { findPostmaster } from './lockFiles.js';
import { AT_ONCE, stopPostmaster } from './postmaster.js';
import { ensureRelay, takeLease } from './tenancy.js';

/** How long after a lost server the next attempt to bring it up again comes, at most. */
const LONGEST_PAUSE_MS = 15_000;

type Log = (line: string) => void;

/** Keeps one cluster's server running from its start to {@link Supervisor.stop}. */
export class Supervisor {
  /** Where clients find the socket. It stays the same for this supervisor's life. */
  readonly socketDir: string;
  /** True if the server ran before this supervisor came. */
  readonly adopted: boolean;
  readonly #layout: Layout;
  readonly #binaries: Binaries;
  readonly #log: Log;
  readonly #stopping = new AbortController();
  #client: Client;
  #recovery: Promise<void> = Promise.resolve();
  #stopped: Promise<void> | undefined;
  /** Somebody else has taken over: their server is not ours to stop. */
  #dispossessed = false;

  /** Sets the cluster up if there is none, starts or adopts its server, and makes sure of the service's database. */
  static async start(dataDir: string, log: Log): Promise<Supervisor> {
    const layout = await prepareLayout(dataDir);
    const existing = await clusterVersion(layout);
    const binaries = await findBinaries(layout.account, existing, log);
    const began = Date.now();
    if (existing === undefined) await createCluster(layout, binaries);
    await giveCluster(layout);
    const up = await bringUp(layout, binaries, new AbortController().signal, log);
    await claim(layout, up, log);
    const how = up.adopted ? 'Found PostgreSQL still running' : `Started PostgreSQL ${binaries.version}`;
    log(`${how} (process ${up.postmaster.pid}, ${Date.now() - began} ms, log ${layout.logFile}).`);
    return new Supervisor(layout, binaries, log, up);
  }

  private constructor(layout: Layout, binaries: Binaries, log: Log, up: Up) {
    // A server brought up again must be found where the first one was.
    const moved = up.postmaster.socketDir !== layout.socketDir;
    this.#layout = moved
      ? { ...layout, socketDir: up.postmaster.socketDir, socketDirArgument: up.postmaster.socketDir }
      : layout;
    this.#binaries = binaries;
    this.#log = log;
    this.#client = up.client;
    this.socketDir = up.postmaster.socketDir;
    this.adopted = up.adopted;
    this.#watch();
  }

  /** Stops the server, adopted or not. Repeated calls get the same promise. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  /** Ends the server at once, also while it is being stopped. */
  async kill(): Promise<void> {
    this.#stopping.abort();
    const postmaster = this.#dispossessed ? undefined : await findPostmaster(this.#layout);
    if (postmaster) await stopPostmaster(this.#layout, postmaster.pid, this.#log, AT_ONCE);
  }

  async #stop(): Promise<void> {
    this.#stopping.abort();
    await this.#recovery;
    if (!this.#dispossessed) {
      const postmaster = await findPostmaster(this.#layout);
      // The lease is held until the shutdown ends its connection: nobody adopts a server that is about to go.
      if (postmaster) await stopPostmaster(this.#layout, postmaster.pid, this.#log);
    }
    await disconnect(this.#client);
  }

  /** The lease's connection ends with the server, or with this one connection: either way it is taken up again. */
  #watch(): void {
    this.#client.once('end', () => {
      if (this.#stopping.signal.aborted) return;
      this.#recovery = this.#recover();
    });
  }

  async #recover(): Promise<void> {
    const { signal } = this.#stopping;
    this.#log('The connection to PostgreSQL was lost.');
    for (let pauseMs = 100; !signal.aborted; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      try {
        const up = await bringUp(this.#layout, this.#binaries, signal, this.#log);
        await claim(this.#layout, up, this.#log);
        this.#client = up.client;
        this.#watch();
        this.#log(`PostgreSQL is back (process ${up.postmaster.pid}).`);
        return;
      } catch (error) {
        if (signal.aborted) return;
        this.#log(`PostgreSQL is not back yet: ${messageOf(error)}`);
        if (error instanceof PostgresInUseError) {
          this.#dispossessed = true;
          return;
        }
      }
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** Takes the lease and sees to role and database; if that fails, a server we started does not stay. */
async function claim(layout: Layout, up: Up, log: Log): Promise<void> {
  try {
    await takeLease(up.client, layout.cluster);
    await ensureRelay(up.client);
  } catch (error) {
    if (!up.adopted && !(error instanceof PostgresInUseError)) await stopPostmaster(layout, up.postmaster.pid, log);
    await disconnect(up.client);
    throw error;
  }
}

/** A connection whose server is gone may never answer the goodbye. */
async function disconnect(client: Client): Promise<void> {
  await Promise.race([client.end().catch(() => undefined), sleep(1000, undefined, { ref: false })]);
}
