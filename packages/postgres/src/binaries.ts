import { readdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Account } from './account.js';
import { bundledFolder } from './bundle.js';
import { PostgresUnavailableError } from './errors.js';
import { run } from './processes.js';
import { sharedCopy } from './sharedCopy.js';

/** A PostgreSQL that was seen to run. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  /** As it names itself, for example `18.4`. */
  readonly version: string;
  readonly major: number;
}

/** The oldest PostgreSQL of the machine that is taken in place of the bundled one: its initdb knows `--set`. */
const OLDEST_MAJOR = 16;

/**
 * Finds the bundled PostgreSQL, or else one of this machine.
 *
 * @param account - the account that will run it; `undefined` is ourselves
 * @param major - the version an existing cluster needs
 * @throws {@link PostgresUnavailableError}
 */
export async function findBinaries(
  account: Account | undefined,
  major: number | undefined,
  log: (line: string) => void,
): Promise<Binaries> {
  const reasons: string[] = [];
  const bundle = await bundledFolder();
  if (bundle) {
    const found = (await tryFolder(join(bundle.native, 'bin'), account)) ?? (await tryCopy(bundle, account, log));
    if (found && (major === undefined || found.major === major)) return found;
    reasons.push(found ? `the bundled one is version ${found.major}` : 'the bundled one does not run here');
  } else {
    reasons.push(`none is bundled for ${process.platform} on ${process.arch}`);
  }
  const installed = await findInstalled(account, major);
  if (installed) return installed;
  const wanted = major === undefined ? `${OLDEST_MAJOR} or newer` : `${major}, which made the data in this folder,`;
  reasons.push(`no PostgreSQL ${wanted} was found on PATH or in the usual folders`);
  throw new PostgresUnavailableError(
    `No PostgreSQL to start: ${reasons.join('; ')}. Set DATABASE_URL to a PostgreSQL of yours, or install one.`,
  );
}

/** The first fitting PostgreSQL of this machine: on PATH, then in the usual folders, the newest first. */
export async function findInstalled(
  account: Account | undefined,
  major: number | undefined,
): Promise<Binaries | undefined> {
  for (const folder of await systemFolders()) {
    const found = await tryFolder(folder, account);
    if (found && (major === undefined ? found.major >= OLDEST_MAJOR : found.major === major)) return found;
  }
  return undefined;
}

/** The PostgreSQL in one folder, if `account` can run it. */
export async function tryFolder(folder: string, account: Account | undefined): Promise<Binaries | undefined> {
  const postgres = join(folder, 'postgres');
  const initdb = join(folder, 'initdb');
  const options = { account, timeoutMs: 20_000 };
  const [server, maker] = await Promise.all([
    run(postgres, ['--version'], options),
    run(initdb, ['--version'], options),
  ]);
  const version = /\(PostgreSQL\) ((\d+)\S*)/.exec(server.stdout);
  if (!server.ok || !maker.ok || !version?.[1] || !version[2]) return undefined;
  return { initdb, postgres, version: version[1], major: Number(version[2]) };
}

/** A root's project folder is often closed to others: then the programs run from a copy that everybody may read. */
async function tryCopy(
  bundle: { native: string; name: string },
  account: Account | undefined,
  log: (line: string) => void,
): Promise<Binaries | undefined> {
  if (!account) return undefined;
  return sharedCopy(bundle, account, (folder) => tryFolder(join(folder, 'bin'), account), log);
}

async function systemFolders(): Promise<string[]> {
  const onPath = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder.startsWith('/'));
  const versioned = await Promise.all([
    newestFirst('/usr/lib/postgresql', '', '/bin'),
    newestFirst('/usr', 'pgsql-', '/bin'),
    newestFirst('/opt/homebrew/opt', 'postgresql@', '/bin'),
    newestFirst('/usr/local/opt', 'postgresql@', '/bin'),
    newestFirst('/Applications/Postgres.app/Contents/Versions', '', '/bin'),
  ]);
  return [...onPath, ...versioned.flat(), '/usr/local/pgsql/bin', '/usr/libexec/postgresql'];
}

async function newestFirst(parent: string, prefix: string, suffix: string): Promise<string[]> {
  const names = await readdir(parent).catch(() => []);
  const versions = names
    .filter((name) => name.startsWith(prefix) && /^\d+(\.\d+)?$/.test(name.slice(prefix.length)))
    .sort((a, b) => Number(b.slice(prefix.length)) - Number(a.slice(prefix.length)));
  return versions.map((name) => join(parent, name + suffix));
}
