import { execFile } from 'node:child_process';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';

interface Owner {
  readonly pid: number;
  /** When that process began, as the system reports it: process ids are used again. */
  readonly began: string;
}

/** A lock that is ours until released. */
export interface FileLock {
  release(): Promise<void>;
}

let locks = 0;

/**
 * Takes the lock that this file is, also from a process that is gone.
 *
 * @returns the process that has it, when it lives: `{ heldBy }`
 */
export async function lockFile(file: string): Promise<FileLock | { readonly heldBy: number }> {
  locks += 1;
  const mine = `${file}.${process.pid}.${locks}`;
  const text = JSON.stringify({ pid: process.pid, began: await ownBeginning() } satisfies Owner);
  await writeFile(mine, text, { mode: 0o600 });
  try {
    // A link appears with its content or not at all, and never replaces another.
    while (!(await linked(mine, file))) {
      const heldBy = await clearStale(file, `${mine}.stale`);
      if (heldBy !== undefined) return { heldBy };
    }
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

/** Removes the lock of a process that is gone. @returns the process that has it, when it lives */
async function clearStale(file: string, aside: string): Promise<number | undefined> {
  const found = await readText(file);
  if (found === undefined) return undefined;
  const owner = parseOwner(found);
  if (owner && (await beginningOf(owner.pid)) === owner.began) return owner.pid;
  // Two processes may find the same stale lock: the one that moved a fresh one away puts it back.
  await rename(file, aside).catch(() => undefined);
  const moved = await readText(aside);
  if (moved !== undefined && moved !== found) await linked(aside, file);
  await rm(aside, { force: true });
  return undefined;
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

let own: Promise<string> | undefined;
const ownBeginning = () => (own ??= beginningOf(process.pid));

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
