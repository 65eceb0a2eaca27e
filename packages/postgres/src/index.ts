import { resolve } from 'node:path';
import type { PoolConfig } from 'pg';
import { clusterFolder, SOCKET_PORT } from './layout.js';
import { socketDirOf } from './lockFiles.js';
import { Supervisor } from './supervisor.js';
import { RELAY } from './tenancy.js';

export { PostgresFailedError, PostgresInUseError, PostgresUnavailableError } from './errors.js';

/** A PostgreSQL of our own, running until {@link Postgres.stop}; if this process is killed it stays and is found again. */
export interface Postgres {
  /** For role and database `relay`, over the unix socket; understood by `pg`, Kysely's dialect and libpq. */
  readonly connectionString: string;
  /** The same as options of a `pg` pool. */
  readonly poolConfig: PoolConfig;
  /** True if the server was still running from an earlier start. */
  readonly adopted: boolean;
  /**
   * Ends the server, adopted or not: at first in order (at most 8 s), then at once, then by force. Connections are cut,
   * so stop what uses them before. Repeated calls are the same call.
   */
  stop(): Promise<void>;
  /** Ends the server at once, also while {@link stop} waits for it; the next start recovers. */
  kill(): Promise<void>;
}

/** The place of the data and the listener of events. */
export interface PostgresOptions {
  /** The product's data folder; the database takes `postgres/` and `postgres.log` in it. */
  readonly dataDir: string;
  /** Hears a few lines about what happens; the server's own words go to `postgres.log`. */
  readonly log?: (line: string) => void;
}

/**
 * Starts the bundled PostgreSQL on a data folder, or finds the one that still runs there. The first start makes the
 * cluster; every start makes sure of role and database `relay`. While it runs, a server that is lost is started again.
 *
 * @throws PostgresUnavailableError when there is no program to run; the message says to set DATABASE_URL
 * @throws PostgresInUseError when another living process supervises this folder's server
 * @throws PostgresFailedError when it cannot be set up or started; the message carries its last words
 */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const supervisor = await Supervisor.start(options.dataDir, options.log ?? (() => undefined));
  const { socketDir, adopted } = supervisor;
  return {
    connectionString: connectionString(socketDir),
    poolConfig: { host: socketDir, port: SOCKET_PORT, user: RELAY, database: RELAY, ssl: false },
    adopted,
    stop: () => supervisor.stop(),
    kill: () => supervisor.kill(),
  };
}

/**
 * How to connect to the bundled PostgreSQL that another process runs on the data folder, for its owner and for root;
 * undefined: none does. Nothing in the folder is touched.
 */
export async function runningPostgres(dataDir: string): Promise<string | undefined> {
  const socketDir = await socketDirOf(clusterFolder(resolve(dataDir)));
  return socketDir === undefined ? undefined : connectionString(socketDir);
}

function connectionString(socketDir: string): string {
  const host = encodeURIComponent(socketDir).replaceAll('%2F', '/');
  return `postgresql://${RELAY}@/${RELAY}?host=${host}&port=${SOCKET_PORT}&sslmode=disable`;
}
