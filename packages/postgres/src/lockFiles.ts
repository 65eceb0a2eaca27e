import { readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Layout, SOCKET_PORT } from './layout.js';
import { isAlive, isPostmasterOf } from './processes.js';

/** A server that runs on the cluster, as its `postmaster.pid` describes it. */
export interface RunningPostmaster {
  readonly pid: number;
  /** Absolute. It may differ from the layout's, when TMPDIR was another one then. */
  readonly socketDir: string;
}

/** The server of this cluster that runs already, if there is one. */
export async function findPostmaster(layout: Layout): Promise<RunningPostmaster | undefined> {
  const lines = await readLines(pidFile(layout));
  const pid = pidIn(lines);
  if (pid === undefined || !(await isPostmasterOf(layout, pid))) return undefined;
  // The fifth line appears only once the socket is open.
  return { pid, socketDir: lines?.[4] ? resolve(layout.cluster, lines[4]) : layout.socketDir };
}

/**
 * Where the server that runs on the cluster listens, by its `postmaster.pid` alone; undefined: none runs, or the file is
 * somebody else's.
 */
export async function socketDirOf(cluster: string): Promise<string | undefined> {
  const lines = await readLines(join(cluster, 'postmaster.pid'));
  return lines?.[4] ? resolve(cluster, lines[4]) : undefined;
}

/**
 * Removes lock files that PostgreSQL would take for a living server's: their process number meanwhile belongs to another
 * program, or they were torn in the writing. Those of plainly dead servers PostgreSQL removes itself.
 */
export async function removeStaleLocks(layout: Layout): Promise<void> {
  for (const file of [pidFile(layout), join(layout.socketDir, `.s.PGSQL.${SOCKET_PORT}.lock`)]) {
    let lines = await readLines(file);
    if (lines && pidIn(lines) === undefined) {
      // Possibly just being written.
      await sleep(200);
      lines = await readLines(file);
    }
    if (!lines) continue;
    const pid = pidIn(lines);
    const stale = pid === undefined || ((await isAlive(pid)) && !(await isPostmasterOf(layout, pid)));
    if (stale) await rm(file, { force: true });
  }
}

function pidFile(layout: Layout): string {
  return join(layout.cluster, 'postmaster.pid');
}

async function readLines(file: string): Promise<string[] | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return text?.split('\n').map((line) => line.trim());
}

function pidIn(lines: string[] | undefined): number | undefined {
  const pid = Number(lines?.[0]);
  return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
}
