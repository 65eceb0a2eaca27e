import { join, resolve } from 'node:path';
import { lockFile, type FileLock } from '@legwork/agents';
import { UserError, messageOf } from '../screen.js';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { Closers } from '../closers.js';

/**
 * Makes this process the only one that uses the folder. Takes over the lock of a process that is gone.
 *
 * @throws UserError when another living process has it
 */
export async function lockFolder(folder: string): Promise<FileLock> {
  const lock = await lockFile(join(folder, 'lock'));
  if (!('heldBy' in lock)) return lock;
  throw new UserError(
    `The data folder ${folder} is in use by another running Legwork (process ${lock.heldBy}). ` +
      'Stop that one, or choose another folder with --data.',
  );
}

/**
 * Makes the data folder if it is missing, and locks it.
 *
 * @param folder - `undefined` makes a temporary one that is removed at the end
 * @returns its absolute path
 */
export async function openDataFolder(folder: string | undefined, closers: Closers): Promise<string> {
  const path = folder === undefined ? await temporaryFolder(closers) : await permanentFolder(resolve(folder));
  const lock = await lockFolder(path);
  closers.add('The data folder', () => lock.release());
  return path;
}

async function temporaryFolder(closers: Closers): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'legwork-'));
  // Processes that were just killed may still write a file.
  const remove = () => rm(path, { recursive: true, force: true, maxRetries: 3 });
  closers.add('The temporary folder', remove, remove);
  return path;
}

async function permanentFolder(path: string): Promise<string> {
  await mkdir(path, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw new UserError(`The data folder ${path} cannot be made: ${messageOf(error)}.`);
  });
  return path;
}
