import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { type FileHandle, open, rename, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { runAs } from './account.js';
import type { Binaries } from './binaries.js';
import { SUPERUSER } from './cluster.js';
import { codeOf, messageOf, PostgresFailedError } from './errors.js';
import { asArgument, type Layout, SOCKET_PORT } from './layout.js';
import { findPostmaster, type RunningPostmaster } from './lockFiles.js';
import { isAlive, isRecovering, orphansOf, signalProcess, waitForExit, environment } from './processes.js';

/** A started log is set aside once it is larger. */
const LARGEST_LOG_BYTES = 10 * 1024 * 1024;
/**
 * How long a server may not answer at all, and how long it may answer that it still recovers. A postmaster that lost the process that
 * recovers, as on a full disk, may say so for ever (PostgreSQL 18.4): that one has no longer than one that is silent.
 */
const SILENT_MS = 30_000;
const RECOVERING_MS = 600_000;
/** A refusal in PostgreSQL's own words, not the system's (`ENOENT`, `ECONNREFUSED`). */
const SQLSTATE = /^[0-9FHPX][0-9A-Z]{4}$/;

/** A server process of ours, and where its words begin in the log. */
export interface Spawned extends RunningPostmaster {
  readonly logStart: number;
}

/**
 * Starts the server in a session of its own, so that Ctrl-C in a terminal reaches only those who then stop it in order.
 * It listens on the unix socket alone.
 */
export async function spawnPostmaster(layout: Layout, binaries: Binaries): Promise<Spawned> {
  const log = await openLog(layout);
  try {
    const logStart = (await log.stat()).size;
    const settings = {
      listen_addresses: '',
      port: String(SOCKET_PORT),
      unix_socket_directories: layout.socketDirArgument,
      unix_socket_permissions: '0700',
      cluster_name: layout.marker,
      logging_collector: 'off',
      log_destination: 'stderr',
    };
    const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const child = spawn(binaries.postgres, ['-D', asArgument(layout, layout.cluster), ...args], {
      ...runAs(layout.account),
      cwd: layout.cluster,
      env: environment,
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) =>
        reject(new PostgresFailedError(`PostgreSQL could not be started: ${error.message}`)),
      );
    });
    child.unref();
    if (child.pid === undefined) throw new PostgresFailedError('PostgreSQL could not be started.');
    return { pid: child.pid, socketDir: layout.socketDir, logStart };
  } finally {
    await log.close();
  }
}

/** The log belongs to the account too: a later start as that account can go on with it. */
async function openLog(layout: Layout): Promise<FileHandle> {
  const logSize = (await stat(layout.logFile).catch(() => undefined))?.size ?? 0;
  if (logSize > LARGEST_LOG_BYTES) await rename(layout.logFile, `${layout.logFile}.1`);
  // Root follows no link that somebody else may have put there.
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;
  const log = await open(layout.logFile, O_APPEND | O_CREAT | O_NOFOLLOW | O_WRONLY, 0o600);
  if (layout.account) await log.chown(layout.account.uid, layout.account.gid);
  return log;
}

/** The outcome of waiting for a server: a superuser's connection, its end, or no answer in the time given. */
export type Readiness = { client: Client } | 'ended' | 'silent';

/**
 * Waits until the server lets the supervisor in.
 *
 * @throws {@link PostgresFailedError} when it answers with a refusal that waiting does not change
 */
export async function waitUntilReady(
  postmaster: RunningPostmaster,
  signal: AbortSignal,
  log: (line: string) => void,
): Promise<Readiness> {
  const started = Date.now();
  let told = false;
  while (await isAlive(postmaster.pid)) {
    signal.throwIfAborted();
    const outcome = await tryConnect(postmaster);
    if (outcome instanceof Client) return { client: outcome };
    const waited = Date.now() - started;
    // 57P03: starting, recovering or shutting down; 53300: every connection is taken.
    const busy = codeOf(outcome) === '57P03' || codeOf(outcome) === '53300';
    if (!busy && SQLSTATE.test(codeOf(outcome) ?? ''))
      throw new PostgresFailedError(`PostgreSQL refuses its supervisor: ${messageOf(outcome)}`);
    if (waited > RECOVERING_MS) return 'silent';
    if (waited > SILENT_MS && !(busy && (await mayCome(outcome, postmaster)))) return 'silent';
    if (busy && waited > 5000 && !told) {
      told = true;
      log(`Waiting for PostgreSQL: ${messageOf(outcome)}.`);
    }
    await sleep(25);
  }
  return 'ended';
}

/** Reports whether waiting may change this refusal. */
async function mayCome(refusal: Error, { pid }: RunningPostmaster): Promise<boolean> {
  const isOnItsWay = codeOf(refusal) === '57P03' && !messageOf(refusal).includes('shutting down');
  return !isOnItsWay || isRecovering(pid);
}

async function tryConnect(postmaster: RunningPostmaster): Promise<Client | Error> {
  const client = new Client({
    host: postmaster.socketDir,
    port: SOCKET_PORT,
    user: SUPERUSER,
    database: 'postgres',
    ssl: false,
    options: '-c idle_session_timeout=0',
    application_name: `legwork supervisor, process ${process.pid}`,
    connectionTimeoutMillis: 5000,
  });
  // Those who wait for the end of the connection hear of it by `end`; unheard errors would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return client;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** The last lines the server wrote since it was started. */
export async function lastWords(layout: Layout, spawned: Spawned): Promise<string> {
  const file = await open(layout.logFile, 'r');
  try {
    const { size } = await file.stat();
    const from = Math.max(spawned.logStart, size - 4096);
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(4096), position: from });
    return buffer.toString('utf8', 0, bytesRead).trim().split('\n').slice(-8).join('\n');
  } finally {
    await file.close();
  }
}

/** How a server is stopped: one signal after the other, with what it has time for, and then its orphans; milliseconds. */
interface Stopping {
  readonly signals: readonly (readonly [NodeJS.Signals, number])[];
  readonly orphansMs: number;
}

/** Fast (clients are sent away, everything is written), then immediate (the next start recovers), then by force. */
const IN_ORDER: Stopping = {
  signals: [
    ['SIGINT', 8000],
    ['SIGQUIT', 7000],
    ['SIGKILL', 5000],
  ],
  orphansMs: 5000,
};
/** Nothing is waited for that the next start can recover. */
export const AT_ONCE: Stopping = {
  signals: [
    ['SIGQUIT', 500],
    ['SIGKILL', 500],
  ],
  orphansMs: 0,
};

/**
 * Stops the server. It has ended when this returns.
 *
 * @throws {@link PostgresFailedError} when nothing helped
 */
export async function stopPostmaster(
  layout: Layout,
  pid: number,
  log: (line: string) => void,
  { signals, orphansMs }: Stopping = IN_ORDER,
): Promise<void> {
  for (const [index, [signal, patienceMs]] of signals.entries()) {
    if (index > 0) log(`PostgreSQL (process ${pid}) has not stopped yet: sending ${signal}.`);
    signalProcess(pid, signal);
    if (await waitForExit(pid, patienceMs)) return endOrphans(layout, orphansMs);
  }
  throw new PostgresFailedError(`PostgreSQL (process ${pid}) of ${layout.cluster} could not be stopped.`);
}

/**
 * Waits for server processes that outlived their postmaster: while they hold the shared memory no new server may start.
 * They leave when they notice; after `patienceMs` they are ended.
 */
export async function endOrphans(layout: Layout, patienceMs: number): Promise<void> {
  const deadline = Date.now() + patienceMs;
  let orphans = await orphansOf(layout);
  while (orphans.length > 0) {
    // A server that somebody else started meanwhile: these are its processes.
    if (await findPostmaster(layout)) return;
    if (Date.now() >= deadline) {
      for (const pid of orphans) signalProcess(pid, 'SIGKILL');
    }
    await sleep(50);
    orphans = await orphansOf(layout);
    if (Date.now() > deadline + 10_000) {
      throw new PostgresFailedError(`Processes of an ended PostgreSQL hold ${layout.cluster}: ${orphans.join(', ')}.`);
    }
  }
}
