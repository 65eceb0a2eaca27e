import { randomBytes } from 'node:crypto';
import { chmod, copyFile, lstat, mkdir, readdir, readlink, rename, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Account, canReach } from './account.js';
import type { Bundle } from './bundle.js';
import { messageOf } from './errors.js';

/** Where root may keep a copy of programs, best first: they can be copied again, so a lost copy loses nothing. */
const PARENTS = ['/var/lib/legwork', '/var/tmp/legwork', join(tmpdir(), 'legwork')];

/**
 * As root: a copy of the bundled programs that `account` can read, made once a version in a folder only root can write.
 *
 * @param works - tries the programs in a copy (a folder may be mounted without the right to execute)
 * @param parents - folders to keep the copy in, best first
 */
export async function sharedCopy<T>(
  bundle: Bundle,
  account: Account,
  works: (folder: string) => Promise<T | undefined>,
  log: (line: string) => void,
  parents: readonly string[] = PARENTS,
): Promise<T | undefined> {
  for (const parent of parents) {
    try {
      const folder = join(parent, bundle.name);
      if (!(await rootsOwn(parent, account))) continue;
      if (!(await stat(folder).catch(() => undefined))) {
        await copyInto(parent, folder, bundle.native);
        log(`Copied the PostgreSQL programs to ${folder}, where the account they run as can read them.`);
      }
      const found = await works(folder);
      if (found) return found;
    } catch (error) {
      log(`Could not keep the PostgreSQL programs in ${parent}: ${messageOf(error)}`);
    }
  }
  return undefined;
}

/** Programs are taken only from a folder that nobody but root can have written. */
async function rootsOwn(parent: string, account: Account): Promise<boolean> {
  const made = await mkdir(parent, { recursive: true });
  if (made !== undefined) await chmod(parent, 0o755);
  const facts = await lstat(parent);
  return facts.isDirectory() && facts.uid === 0 && (facts.mode & 0o022) === 0 && (await canReach(account, parent));
}

/** A kill in the middle leaves only a folder that nobody looks at. */
async function copyInto(parent: string, folder: string, native: string): Promise<void> {
  const unfinished = join(parent, `unfinished-${randomBytes(6).toString('hex')}`);
  try {
    await copyTree(native, unfinished);
    await rename(unfinished, folder);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    // Somebody else finished the same copy first.
    if (!(await stat(folder).catch(() => undefined))) throw error;
  }
}

async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to);
  await chmod(to, 0o755);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const source = join(from, entry.name);
    const target = join(to, entry.name);
    if (entry.isDirectory()) await copyTree(source, target);
    else if (entry.isSymbolicLink()) await symlink(await readlink(source), target);
    // Static libraries serve only compilers.
    else if (!entry.name.endsWith('.a')) await copyReadable(source, target);
  }
}

async function copyReadable(source: string, target: string): Promise<void> {
  await copyFile(source, target);
  const { mode } = await stat(source);
  await chmod(target, (mode & 0o100) === 0 ? 0o644 : 0o755);
}
