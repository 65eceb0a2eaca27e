import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** A user account of this machine, as unsigned numbers. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** The ids that POSIX systems agree on where no `nobody` is listed. */
const OVERFLOW_ACCOUNT: Account = { uid: 65534, gid: 65534 };

/** Reports whether this process is root, which PostgreSQL refuses to run as. */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** The account of `nobody`, from /etc/passwd. */
export async function nobody(): Promise<Account> {
  const passwd = await readFile('/etc/passwd', 'utf8').catch(() => '');
  for (const line of passwd.split('\n')) {
    const [name, , uid, gid] = line.split(':');
    // macOS writes -2 where the system counts 4294967294.
    if (name === 'nobody' && uid && gid) return { uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 };
  }
  return OVERFLOW_ACCOUNT;
}

/** Options that make `spawn` run a program as that account; as ourselves when there is none. */
export function runAs(account: Account | undefined): { uid?: number; gid?: number } {
  // Node takes signed 32-bit numbers here.
  return account ? { uid: account.uid | 0, gid: account.gid | 0 } : {};
}

/** Reports whether the account may walk down to that folder: the execute bit of the folder and of every folder above. */
export async function canReach(account: Account | undefined, folder: string): Promise<boolean> {
  if (!account) return true;
  for (let at = folder; ; at = dirname(at)) {
    const { uid, gid, mode } = await stat(at);
    const bit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
    if ((mode & bit) === 0) return false;
    if (at === dirname(at)) return true;
  }
}
