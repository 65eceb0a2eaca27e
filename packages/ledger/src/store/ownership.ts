import { readFileSync } from 'node:fs';
import type { Database, RootDatabase } from 'lmdb';
import { LedgerInUseError } from '../errors.js';

type Owner = { readonly pid: number; readonly started: string };

const KEY = 'owner';

/** Folders that this process has open: a process id does not distinguish two owners in one process. */
const openHere = new Set<string>();

/**
 * Makes this process the owner of a data folder. Rule L-1. Check and write are one LMDB write transaction, which one
 * process at a time can hold and a killed one loses: there is no stale lock file, and of two processes that start at
 * once one wins.
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
 * When a process started, on Linux: process ids are used again, this pair is not. Empty for a zombie, which holds no
 * folder any more.
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
