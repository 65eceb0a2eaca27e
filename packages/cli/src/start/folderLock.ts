import { join } from 'node:path';
import { lockFile } from '@legwork/agents';
import type { FileLock } from '@legwork/agents';
import { UserError } from '../screen.js';

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
