import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Runs mount or umount; whether it was allowed. */
export function ran(command: string, ...args: string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Only root may mount, and not in every container. */
export const mayMount = await (async () => {
  const probe = await mkdtemp(join(tmpdir(), 'relay-mount-'));
  const mounted = ran('mount', '-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', probe) && ran('umount', probe);
  await rm(probe, { recursive: true });
  return mounted;
})();
