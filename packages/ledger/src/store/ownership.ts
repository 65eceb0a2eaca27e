import { readFileSync } from 'node:fs';
import type { Database, RootDatabase } from 'lmdb';
import { LedgerInUseError } from '../errors.js';

type Owner = { readonly pid: number; readonly started: string };

const KEY = 'owner';

/** Folders that this very process has open: a process id cannot tell two owners in one process apart. */
const openHere = new Set<string>();

/**
 * Makes this process the owner of a data folder. Checking and taking happen in one write transaction of the store, which
 * LMDB gives to one process at a time and takes back from one that was killed; so no stale lock file can be left and no two
 * starters can both win.
 *
 * @throws LedgerInUseError
 */
export function takeOwnership(root: RootDatabase, meta: Database<unknown, string>, dataDir: string): void {
  const outcome = root.transactionSync((): Owner | undefined => {
    const owner = meta.get(KEY) as Owner | undefined;
    if (owner !== undefined && isRunning(owner) && (owner.pid !== process.pid || openHere.has(dataDir))) return owner;
    meta.putSync(KEY, { pid: process.pid, started: startOf(process.pid) } satisfies Owner);
    return undefined;
  });
  if (outcome !== undefined) throw new LedgerInUseError(dataDir, outcome.pid);
  openHere.add(dataDir);
}

export function giveUpOwnership(meta: Database<unknown, string>, dataDir: string): void {
  meta.removeSync(KEY);
  openHere.delete(dataDir);
}

function isRunning(owner: Owner): boolean {
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  return startOf(owner.pid) === owner.started;
}

/**
 * When a process started, where the system tells (Linux); process ids are used again, this pair is not. Nothing for one
 * that is dead and only waits for its parent to notice: it holds no folder any more.
 */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const afterName = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return afterName[0] === 'Z' ? '' : (afterName[19] ?? '');
  } catch {
    return '';
  }
}
