import { execFile } from 'node:child_process';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { UserError } from '../screen.js';

interface Owner {
  readonly pid: number;
  /** When that process began, as the system reports it: process ids are used again. */
  readonly began: string;
}

/** A data folder that is ours until released. */
export interface FolderLock {
  release(): Promise<void>;
}

/**
 * Makes this process the only one that uses the folder. Takes over the lock of a process that is gone.
 *
 * @throws UserError when another living process has it
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  const file = join(folder, 'lock');
  const mine = join(folder, `lock.${process.pid}`);
  const text = JSON.stringify({ pid: process.pid, began: await beginningOf(process.pid) } satisfies Owner);
  await writeFile(mine, text, { mode: 0o600 });
  try {
    // A link appears with its content or not at all, and never replaces another.
    while (!(await linked(mine, file))) await clearStale(file, folder);
  } finally {
    await rm(mine, { force: true });
  }
  return {
    async release() {
      if ((await readText(file)) === text) await rm(file, { force: true });
    },
  };
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

async function clearStale(file: string, folder: string): Promise<void> {
  const found = await readText(file);
  if (found === undefined) return;
  const owner = parseOwner(found);
  if (owner && (await beginningOf(owner.pid)) === owner.began) {
    throw new UserError(
      `The data folder ${folder} is in use by another running Legwork (process ${owner.pid}). ` +
        'Stop that one, or choose another folder with --data.',
    );
  }
  // Two processes may find the same stale lock: the one that moved a fresh one away puts it back.
  const aside = join(folder, `lock.stale.${process.pid}`);
  await rename(file, aside).catch(() => undefined);
  const moved = await readText(aside);
  if (moved !== undefined && moved !== found) await linked(aside, file);
  await rm(aside, { force: true });
}

function parseOwner(text: string): Owner | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || !('pid' in value) || !('began' in value)) return undefined;
    const { pid, began } = value;
    return typeof pid === 'number' && typeof began === 'string' && began !== '' ? { pid, began } : undefined;
  } catch {
    return undefined;
  }
}

/** When a process began; empty when there is none with that id. */
async function beginningOf(pid: number): Promise<string> {
  if (process.platform === 'linux') {
    const stat = await readText(`/proc/${pid}/stat`);
    // The name in parentheses may contain anything. After it, state is the first field, start time the 20th.
    const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
    return fields[0] === 'Z' ? '' : (fields[19] ?? '');
  }
  const listed = await promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)]).catch(() => ({ stdout: '' }));
  return listed.stdout.trim();
}

async function readText(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined);
}
