import { randomBytes } from 'node:crypto';
import { chmod, chown, lchown, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Account } from './account.js';
import type { Binaries } from './binaries.js';
import { codeOf, PostgresFailedError } from './errors.js';
import { asArgument, type Layout, ownFolder } from './layout.js';
import { isAlive, run } from './processes.js';

/** The superuser that the supervisor itself connects as. */
export const SUPERUSER = 'postgres';

/** Defaults an operator may change in `cluster/postgresql.conf`: durable, and modest in memory. */
const SETTINGS = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  max_connections: '100',
  shared_buffers: '128MB',
  work_mem: '8MB',
  maintenance_work_mem: '64MB',
  max_wal_size: '512MB',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  log_line_prefix: '%m [%p] %d ',
};

/** The major version of the PostgreSQL that made the existing cluster; `undefined` when there is none. */
export async function clusterVersion(layout: Layout): Promise<number | undefined> {
  const text = await readFile(join(layout.cluster, 'PG_VERSION'), 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (text !== undefined) return Number.parseInt(text, 10);
  const found = await readdir(layout.cluster).catch(() => []);
  if (found.length === 0) return undefined;
  throw new PostgresFailedError(
    `${layout.cluster} holds files but no PostgreSQL data (no PG_VERSION): restore it or move it away and start again.`,
  );
}

/**
 * Makes the cluster, once. It appears under its name complete and written to disk, or not at all.
 *
 * @throws {@link PostgresFailedError} with what initdb said
 */
export async function createCluster(layout: Layout, binaries: Binaries): Promise<void> {
  await removeUnfinished(layout);
  const name = `initdb-${process.pid}-${randomBytes(4).toString('hex')}`;
  inMaking.add(name);
  try {
    await fillCluster(layout, binaries, join(layout.home, name));
  } finally {
    inMaking.delete(name);
  }
}

async function fillCluster(layout: Layout, binaries: Binaries, unfinished: string): Promise<void> {
  await ownFolder(unfinished, layout.account);
  try {
    // Reaching the socket is the permission: its folder is closed to all but one account.
    const access = ['--username', SUPERUSER, '--auth-local=trust', '--auth-host=reject'];
    const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
    const made = await run(
      binaries.initdb,
      ['-D', asArgument(layout, unfinished), ...access, '--encoding=UTF8', '--locale=C', ...settings],
      { account: layout.account, cwd: unfinished, timeoutMs: 120_000 },
    );
    if (!made.ok) {
      throw new PostgresFailedError(
        `PostgreSQL could not make its data folder in ${layout.home}: ${made.output.split('\n').slice(-8).join('\n')}\n` +
          'Mend that, or set DATABASE_URL to a PostgreSQL of yours.',
      );
    }
    await rename(unfinished, layout.cluster);
    await sync(layout.home);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    // Another start was faster: its cluster is as good as ours.
    if (codeOf(error) !== 'ENOTEMPTY' && codeOf(error) !== 'EEXIST') throw error;
  }
}

/** As root, data restored from a backup often belongs to root: it is given to the account again. */
export async function giveCluster(layout: Layout): Promise<void> {
  const { account, cluster } = layout;
  if (!account) return;
  const facts = await stat(cluster);
  if (facts.uid !== account.uid) await giveTree(cluster, account);
  if ((facts.mode & 0o077) !== 0) await chmod(cluster, 0o700);
}

/** The folder itself last: a kill in the middle leaves it to be done again. */
async function giveTree(folder: string, account: Account): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await giveTree(path, account);
    else await lchown(path, account.uid, account.gid);
  }
  await chown(folder, account.uid, account.gid);
}

/** Folders this very process is filling. After a restart in a container it may well have the number of a dead one. */
const inMaking = new Set<string>();

/** Removes the leftovers of starts that were killed. The number in the name is the process that was at it. */
async function removeUnfinished(layout: Layout): Promise<void> {
  for (const name of await readdir(layout.home)) {
    const maker = /^initdb-(\d+)-/.exec(name)?.[1];
    const busy = Number(maker) === process.pid ? inMaking.has(name) : await isAlive(Number(maker));
    if (maker === undefined || busy) continue;
    await rm(join(layout.home, name), { recursive: true, force: true, maxRetries: 3 });
  }
}

async function sync(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
