import { chmod, lstat, mkdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { canReach } from '../src/account.js';
import { PostgresFailedError } from '../src/index.js';
import { ownFolder } from '../src/layout.js';
import { removeFolder, temporaryFolder } from './scenario.js';

let folder: string;

beforeAll(async () => {
  folder = await temporaryFolder();
});

afterAll(() => removeFolder(folder));

test('an own folder is closed to others, also when it was open before', async () => {
  const open = join(folder, 'open');
  await mkdir(open, { mode: 0o755 });
  await ownFolder(open, undefined);
  expect((await stat(open)).mode & 0o777).toBe(0o700);
});

test('a link or a file under the name of an own folder is refused', async () => {
  const target = join(folder, 'target');
  await mkdir(target, { mode: 0o755 });
  await symlink(target, join(folder, 'link'));
  await writeFile(join(folder, 'file'), '');
  for (const name of ['link', 'file']) {
    await expect(ownFolder(join(folder, name), undefined)).rejects.toBeInstanceOf(PostgresFailedError);
  }
  expect((await lstat(target)).mode & 0o777).toBe(0o755);
});

test('an account reaches a folder only if every folder above lets it through', async () => {
  const stranger = { uid: 54_321, gid: 54_321 };
  const inner = join(folder, 'outer', 'inner');
  await mkdir(inner, { recursive: true });
  expect(await canReach(stranger, inner)).toBe(true);
  await chmod(join(folder, 'outer'), 0o700);
  expect(await canReach(stranger, inner)).toBe(false);
  expect(await canReach(undefined, inner)).toBe(true);
});
