import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import type { Binaries } from './binaries.js';
import { PostgresFailedError } from './errors.js';
import type { Layout } from './layout.js';
import { findPostmaster, removeStaleLocks, type RunningPostmaster } from './lockFiles.js';
import { endOrphans, lastWords, type Spawned, spawnPostmaster, stopPostmaster, waitUntilReady } from './postmaster.js';

/** A server that answers, and the superuser's connection to it. */
export interface Up {
  readonly postmaster: RunningPostmaster;
  readonly client: Client;
  /** It ran before we came. */
  readonly adopted: boolean;
}

/** The errors that another attempt can cure: somebody else was just starting, or processes of the last server still end. */
const PASSING = /lock file ".*" already exists|pre-existing shared memory block/;
const ORPHAN_PATIENCE_MS = 3000;
const ATTEMPTS_MS = 60_000;

/**
 * Finds the cluster's running server or starts one, whatever the last one left behind.
 *
 * @throws {@link PostgresFailedError} with the server's last words
 */
export async function bringUp(
  layout: Layout,
  binaries: Binaries,
  signal: AbortSignal,
  log: (line: string) => void,
): Promise<Up> {
  const deadline = Date.now() + ATTEMPTS_MS;
  for (;;) {
    signal.throwIfAborted();
    const running = await findPostmaster(layout);
    const up = running ? await adopt(layout, running, signal, log) : await startAnew(layout, binaries, signal, log);
    if (typeof up !== 'string') return up;
    if (Date.now() > deadline) throw new PostgresFailedError(`PostgreSQL in ${layout.cluster} did not come up:\n${up}`);
    await sleep(100);
  }
}

/** A server that is shutting down or cannot be reached any more is stopped: a new one takes its place. */
async function adopt(
  layout: Layout,
  postmaster: RunningPostmaster,
  signal: AbortSignal,
  log: (line: string) => void,
): Promise<Up | string> {
  const readiness = await waitUntilReady(postmaster, signal, log);
  if (readiness === 'ended') return 'The running server ended.';
  if (readiness !== 'silent') return { postmaster, client: readiness.client, adopted: true };
  log(`PostgreSQL (process ${postmaster.pid}) runs but lets nobody in, in ${postmaster.socketDir}: restarting it.`);
  await stopPostmaster(layout, postmaster.pid, log);
  return 'The running server did not answer.';
}

/** An own server, or the reason why another attempt is worth while. */
async function startAnew(
  layout: Layout,
  binaries: Binaries,
  signal: AbortSignal,
  log: (line: string) => void,
): Promise<Up | string> {
  await removeStaleLocks(layout);
  await endOrphans(layout, ORPHAN_PATIENCE_MS);
  const spawned = await spawnPostmaster(layout, binaries);
  try {
    return await awaitSpawned(layout, spawned, signal, log);
  } catch (error) {
    await stopPostmaster(layout, spawned.pid, log);
    throw error;
  }
}

async function awaitSpawned(
  layout: Layout,
  spawned: Spawned,
  signal: AbortSignal,
  log: (line: string) => void,
): Promise<Up | string> {
  const readiness = await waitUntilReady(spawned, signal, log);
  if (readiness === 'silent')
    throw new PostgresFailedError(`PostgreSQL does not answer:\n${await lastWords(layout, spawned)}`);
  if (readiness === 'ended') {
    const words = await lastWords(layout, spawned);
    if (PASSING.test(words)) return words;
    throw new PostgresFailedError(`PostgreSQL did not start (${layout.logFile}):\n${words}`);
  }
  // Another that starts at the same moment may be faster: then the answer came from that server, and ours gives way.
  const owner = await findPostmaster(layout);
  if (owner?.pid === spawned.pid) return { postmaster: spawned, client: readiness.client, adopted: false };
  await readiness.client.end();
  return 'Another server was faster.';
}
