import { createHash } from 'node:crypto';
import { chmod, chown, lstat, mkdir, realpath, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Account, canReach, isRoot, nobody } from './account.js';
import { codeOf, PostgresFailedError } from './errors.js';

/** Where everything of one data folder's PostgreSQL is. All paths are absolute. */
export interface Layout {
  /** Owned by the account PostgreSQL runs as, closed to everybody else. */
  readonly home: string;
  /** PostgreSQL's own data directory, under `home`. */
  readonly cluster: string;
  readonly logFile: string;
  /** The folder of the unix socket, as a client names it. */
  readonly socketDir: string;
  /** The same folder as PostgreSQL is told it: relative to `cluster` where it can be. */
  readonly socketDirArgument: string;
  /** The account that runs PostgreSQL; `undefined` is ourselves. */
  readonly account: Account | undefined;
  /** True if that account can walk down to `home`. */
  readonly reachable: boolean;
  /** Appears in the command line of this cluster's server and in the titles of its processes. */
  readonly marker: string;
}

/** The port is only a part of the socket's file name. */
export const SOCKET_PORT = 5432;

/** The shortest limit of the systems we run on: `sun_path` has 104 bytes on macOS and 108 on Linux, one of them NUL. */
const LONGEST_SOCKET_PATH = 103;

/** PostgreSQL's own data directory in a data folder. */
export function clusterFolder(dataDir: string): string {
  return join(dataDir, 'postgres', 'cluster');
}

/**
 * Names and prepares the folders.
 *
 * @throws {@link PostgresFailedError} when the data belongs to somebody we cannot act for
 */
export async function prepareLayout(dataDir: string): Promise<Layout> {
  await mkdir(resolve(dataDir), { recursive: true });
  const folder = await realpath(resolve(dataDir));
  const home = join(folder, 'postgres');
  const cluster = clusterFolder(folder);
  const account = await chooseAccount(home, cluster);
  await ownFolder(home, account);
  const reachable = await canReach(account, home);
  if (!reachable && process.platform !== 'linux') {
    throw new PostgresFailedError(
      `PostgreSQL does not run as root, and the account nobody cannot reach ${home}. ` +
        'Start as an ordinary user, move the data folder, or set DATABASE_URL.',
    );
  }
  const identity = createHash('sha256').update(cluster).digest('hex').slice(0, 16);
  const socket = await chooseSocketDir(home, identity, account);
  await ownFolder(socket.socketDir, account);
  const marker = `relay-${identity}`;
  return { home, cluster, logFile: join(folder, 'postgres.log'), ...socket, account, reachable, marker };
}

/**
 * How a program started in `folder` is told that folder. Where its account cannot walk down from the root, the working
 * directory that it was given already open stands for the path.
 */
export function asArgument(layout: Layout, folder: string): string {
  return layout.reachable ? folder : '/proc/self/cwd';
}

/** PostgreSQL refuses root: then the owner of the existing data runs it, else `nobody`. */
async function chooseAccount(home: string, cluster: string): Promise<Account | undefined> {
  const owner = await ownerOf(cluster).catch(() => ownerOf(home));
  if (isRoot()) return owner && owner.uid !== 0 ? owner : nobody();
  if (owner && owner.uid !== process.getuid?.()) {
    throw new PostgresFailedError(
      `The database in ${home} belongs to the account with uid ${owner.uid}. ` +
        'Start as that account or as root (it was made so), or set DATABASE_URL.',
    );
  }
  return undefined;
}

async function ownerOf(path: string): Promise<Account | undefined> {
  try {
    const { uid, gid } = await stat(path);
    return { uid, gid };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function chooseSocketDir(
  home: string,
  identity: string,
  account: Account | undefined,
): Promise<{ socketDir: string; socketDirArgument: string }> {
  const inside = join(home, 'run');
  if (fits(inside)) return { socketDir: inside, socketDirArgument: '../run' };
  for (const parent of [tmpdir(), '/tmp']) {
    const outside = join(parent, `legwork-${identity}`);
    const usable = fits(outside) && (await canReach(account, parent).catch(() => false));
    if (usable) return { socketDir: outside, socketDirArgument: outside };
  }
  throw new PostgresFailedError(
    `No folder has a path short enough for a unix socket: tried ${inside}, ${tmpdir()} and /tmp.`,
  );
}

function fits(folder: string): boolean {
  return Buffer.byteLength(join(folder, `.s.PGSQL.${SOCKET_PORT}`)) <= LONGEST_SOCKET_PATH;
}

/** Makes a folder that only the account can enter. Somebody else's folder or a link under that name is refused. */
export async function ownFolder(folder: string, account: Account | undefined): Promise<void> {
  await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
  });
  const { uid, gid } = account ?? { uid: process.getuid?.(), gid: undefined };
  const found = await lstat(folder);
  if (!found.isDirectory() || (found.uid !== uid && found.uid !== process.getuid?.())) {
    throw new PostgresFailedError(
      `${folder} is not a folder of ours (owner uid ${found.uid}): move it away and start again.`,
    );
  }
  if (uid !== undefined && gid !== undefined && (found.uid !== uid || found.gid !== gid)) {
    await chown(folder, uid, gid).catch((error: unknown) => {
      throw new PostgresFailedError(
        `Root may not give ${folder} to uid ${uid} here (${codeOf(error) ?? 'refused'}). ` +
          'Start as an ordinary user or set DATABASE_URL.',
      );
    });
  }
  if ((found.mode & 0o777) !== 0o700) await chmod(folder, 0o700);
}
