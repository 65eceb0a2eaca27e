import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';

/** The process of the server in this data folder. */
export async function postmasterOf(folder: string): Promise<number> {
  const lines = await readFile(join(folder, 'postgres', 'cluster', 'postmaster.pid'), 'utf8');
  const pid = Number.parseInt(lines, 10);
  if (!Number.isSafeInteger(pid) || pid <= 1) throw new Error(`postmaster.pid says ${lines}`);
  return pid;
}

/** The server's process and those of its connections and of its own work, in the order in which they began. */
export async function postgresProcesses(folder: string): Promise<number[]> {
  const postmaster = await postmasterOf(folder);
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=']);
  const rows = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
  return [postmaster, ...rows.flatMap(([pid, parent]) => (parent === postmaster && pid !== undefined ? [pid] : []))];
}

/** Stops these processes where they stand, and lets them go on. One that has ended meanwhile is no error. */
export async function standStill(pids: readonly number[], ms: number): Promise<void> {
  for (const pid of pids) signal(pid, 'SIGSTOP');
  try {
    await sleep(ms);
  } finally {
    for (const pid of pids) signal(pid, 'SIGCONT');
  }
}

/** Lets no file of this server grow beyond so many bytes, for a while: one that starts meanwhile has the limit too. */
export async function fillDisk(folder: string, bytes: number, ms: number): Promise<void> {
  const limit = async (most: string, pids: readonly number[]) => {
    await Promise.all(pids.map((pid) => limitFiles(pid, most)));
  };
  await limit(String(bytes), await postgresProcesses(folder));
  try {
    await sleep(ms);
  } finally {
    // A server that ended meanwhile left nothing behind; one process may have been born as the others were let go.
    for (const _ of [1, 2]) await limit('unlimited', await postgresProcesses(folder).catch(() => []));
  }
}

/** Sets it as the process's own user: root may not, where it lacks the capability. One that has ended meanwhile is no error. */
async function limitFiles(pid: number, most: string): Promise<void> {
  try {
    const { uid, gid } = await stat(`/proc/${pid}`);
    await promisify(execFile)('prlimit', [`--pid=${pid}`, `--fsize=${most}:`], { uid, gid });
  } catch (error) {
    if (existsSync(`/proc/${pid}`)) throw error;
  }
}

/** How often a PostgreSQL with a log in one of these folders could not write for want of room. */
export async function refusedWrites(folders: readonly string[]): Promise<number> {
  const logs = await Promise.all(
    folders.map((folder) => readFile(join(folder, 'postgres.log'), 'utf8').catch(() => '')),
  );
  return logs.join('').split('File too large').length - 1;
}

/** Has each commit wait for its disk, for a while. */
export async function slowDisk(connectionString: string, commitMs: number, ms: number): Promise<void> {
  const set = async (...settings: string[]) => {
    const client = new Client({ connectionString: connectionString.replace(/\/\/\w+@/, '//postgres@') });
    client.on('error', () => undefined);
    await client.connect();
    for (const setting of settings) await client.query(`alter system ${setting}`);
    await client.query('select pg_reload_conf()');
    await client.end();
  };
  await set(`set commit_delay = ${Math.round(commitMs * 1_000)}`, 'set commit_siblings = 0');
  try {
    await sleep(ms);
  } finally {
    await set('reset commit_delay', 'reset commit_siblings');
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** Reports whether the database answers. */
export async function isUp(connectionString: string): Promise<boolean> {
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
