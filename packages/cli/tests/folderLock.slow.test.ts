import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lockFolder } from '../src/start/dataFolder.js';
import { temporaryFolders } from './support/command.js';

const newFolder = temporaryFolders();

/** The number of a process that has ended. */
async function deadProcess(): Promise<number> {
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  await once(child, 'exit');
  return child.pid ?? 0;
}

test('a locked folder is refused with a sentence that names the folder and the process', async () => {
  const folder = await newFolder();
  await lockFolder(folder);
  await expect(lockFolder(folder)).rejects.toThrow(
    `The data folder ${folder} is in use by another running Legwork (process ${process.pid}).`,
  );
});

test('a released folder can be locked again and holds no leftovers', async () => {
  const folder = await newFolder();
  await (await lockFolder(folder)).release();
  expect(await readdir(folder)).toEqual([]);
  await lockFolder(folder);
});

test('the lock of a dead process is taken over', async () => {
  const folder = await newFolder();
  await writeFile(join(folder, 'lock'), JSON.stringify({ pid: await deadProcess(), began: '1' }));
  await lockFolder(folder);
  expect(JSON.parse(await readFile(join(folder, 'lock'), 'utf8'))).toMatchObject({ pid: process.pid });
  expect(await readdir(folder)).toEqual(['lock']);
});

test('a lock whose process number now belongs to another process is taken over', async () => {
  const folder = await newFolder();
  await writeFile(join(folder, 'lock'), JSON.stringify({ pid: process.pid, began: 'long ago' }));
  await expect(lockFolder(folder)).resolves.toBeDefined();
});

test.each(['', '{"pid":', '{"pid":"1"}', 'null'])('a lock that says nothing (%j) is taken over', async (text) => {
  const folder = await newFolder();
  await writeFile(join(folder, 'lock'), text);
  await expect(lockFolder(folder)).resolves.toBeDefined();
});

test('of many who find the same stale lock, one gets the folder', async () => {
  const folder = await newFolder();
  await writeFile(join(folder, 'lock'), JSON.stringify({ pid: await deadProcess(), began: '1' }));
  const attempts = await Promise.allSettled(Array.from({ length: 8 }, () => lockFolder(folder)));
  expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test("releasing does not remove a lock that is somebody else's by now", async () => {
  const folder = await newFolder();
  const lock = await lockFolder(folder);
  await writeFile(join(folder, 'lock'), 'theirs');
  await lock.release();
  expect(await readFile(join(folder, 'lock'), 'utf8')).toBe('theirs');
});
