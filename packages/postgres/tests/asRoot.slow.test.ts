import { chmod, chown, lchown, mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Account, isRoot, nobody } from '../src/account.js';
import { tryFolder } from '../src/binaries.js';
import { bundledFolder } from '../src/bundle.js';
import { startPostgres } from '../src/index.js';
import { sharedCopy } from '../src/sharedCopy.js';
import {
  clusterOf,
  postmasterPid,
  query,
  removeFolder,
  superviseElsewhere,
  temporaryFolder,
  untilEnded,
} from './scenario.js';

// Making a cluster writes a thousand files to disk.
vi.setConfig({ testTimeout: 90_000 });

async function ownerOf(path: string): Promise<number> {
  return (await stat(path)).uid;
}

async function giveTree(path: string, { uid, gid }: Account): Promise<void> {
  await lchown(path, uid, gid);
  if (!(await stat(path)).isDirectory()) return;
  for (const name of await readdir(path)) await giveTree(join(path, name), { uid, gid });
}

describe.runIf(isRoot())('started by root', () => {
  let folder: string;
  let account: Account;

  beforeAll(async () => {
    folder = await temporaryFolder();
    account = await nobody();
  });

  afterAll(() => removeFolder(folder));

  test('PostgreSQL runs as nobody, who gets one folder and the log and no more', async () => {
    const postgres = await startPostgres({ dataDir: folder });
    expect(await ownerOf(clusterOf(folder))).toBe(account.uid);
    expect(await ownerOf(folder)).toBe(0);
    // Written by the running server itself.
    expect(await ownerOf(join(clusterOf(folder), 'postmaster.pid'))).toBe(account.uid);
    await postgres.stop();
  });

  test('data that came back from a backup as root’s is given to nobody again', async () => {
    await giveTree(join(folder, 'postgres'), { uid: 0, gid: 0 });
    const postgres = await startPostgres({ dataDir: folder });
    expect(await ownerOf(join(clusterOf(folder), 'PG_VERSION'))).toBe(account.uid);
    await postgres.stop();
  });

  test('data of an ordinary user is served as that user, so that the user can start it again', async () => {
    const user = { uid: 54_321, gid: 54_321 };
    await giveTree(join(folder, 'postgres'), user);
    const postgres = await startPostgres({ dataDir: folder });
    expect(await query(postgres.connectionString, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(await ownerOf(join(clusterOf(folder), 'postmaster.pid'))).toBe(user.uid);
    expect(await ownerOf(postgres.poolConfig.host ?? '')).toBe(user.uid);
    expect(await ownerOf(join(folder, 'postgres.log'))).toBe(user.uid);
    await postgres.stop();
  });

  test.runIf(process.platform === 'linux')(
    'a data folder that nobody cannot reach keeps its data in it, through SIGKILL and restart',
    async () => {
      const closed = join(folder, 'closed');
      const dataDir = join(closed, 'project', 'data');
      await mkdir(dataDir, { recursive: true });
      await chmod(closed, 0o700);

      const killed = await superviseElsewhere(dataDir);
      await query(killed.connectionString, 'create table kept as select 1 as id');
      const pid = await postmasterPid(dataDir);
      await killed.kill();

      const adopting = await startPostgres({ dataDir });
      expect(adopting.adopted).toBe(true);
      expect(await postmasterPid(dataDir)).toBe(pid);
      await adopting.stop();
      await untilEnded(pid);

      const restarted = await startPostgres({ dataDir });
      expect(restarted.adopted).toBe(false);
      expect(await query(restarted.connectionString, 'select id from kept')).toEqual([{ id: 1 }]);
      expect((await stat(closed)).mode & 0o777).toBe(0o700);
      expect(await readFile(join(clusterOf(dataDir), 'PG_VERSION'), 'utf8')).toMatch(/^\d+/);
      await restarted.stop();
    },
  );

  test('programs that nobody cannot read run from a copy that only root can change', async () => {
    const bundle = await bundledFolder();
    if (!bundle) throw new Error('No PostgreSQL is bundled for this platform.');
    const works = (copy: string) => tryFolder(join(copy, 'bin'), account);
    const notOurs = join(folder, 'not-ours');
    await mkdir(notOurs);
    await chown(notOurs, account.uid, account.gid);
    const writable = join(folder, 'writable');
    await mkdir(writable);
    await chmod(writable, 0o777);
    const lines: string[] = [];
    const parents = [notOurs, writable, join(folder, 'programs')];

    const found = await sharedCopy(bundle, account, works, (line) => lines.push(line), parents);
    expect(found?.postgres).toBe(join(folder, 'programs', bundle.name, 'bin', 'postgres'));
    expect(await ownerOf(found?.postgres ?? '')).toBe(0);
    expect(await readdir(notOurs)).toEqual([]);
    expect(await readdir(writable)).toEqual([]);
    expect(await readdir(join(folder, 'programs'))).toEqual([bundle.name]);

    const again = await sharedCopy(bundle, account, works, (line) => lines.push(line), parents);
    expect(again).toEqual(found);
    expect(lines).toHaveLength(1);
  });
});

test.runIf(!isRoot())('started by an ordinary user, PostgreSQL runs as that user', async () => {
  const dataDir = await temporaryFolder();
  const postgres = await startPostgres({ dataDir });
  expect(await ownerOf(join(clusterOf(dataDir), 'postmaster.pid'))).toBe(process.getuid?.());
  await postgres.stop();
  await removeFolder(dataDir);
});
