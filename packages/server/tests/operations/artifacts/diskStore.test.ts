import { mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { DiskStore } from '../../../src/artifacts/diskStore.js';
import { mayMount, ran } from '../../../../postgres/tests/mount.js';
import { newBytes, sha256Of } from './scene.js';

const folderFor = (name: string) => mkdtemp(join(inject('scratch'), `${name}-`));

async function* pieces(bytes: Uint8Array) {
  for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000);
}

const partFrom = (bytes: Uint8Array, offset = 0) => ({
  part: offset === 0 ? 0 : 1,
  offset,
  bytes: bytes.length,
  sha256: sha256Of(bytes),
  content: pieces(bytes),
});

test.skipIf(!mayMount)('(M-79) a part that the disk has no room for leaves nothing', async () => {
  const folder = await folderFor('small');
  ran('mount', '-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder);
  onTestFinished(() => void ran('umount', folder));
  const store = await DiskStore.open(folder, 0);
  const upload = { id: 'one', sha256: 'a'.repeat(64), handle: null };
  await expect(store.take(upload, partFrom(newBytes(2 * 1024 * 1024)))).rejects.toMatchObject({ code: 'storage_full' });
  expect(await readdir(join(folder, 'uploads'))).toEqual([]);

  // It arrives, and there is no room to add it.
  const part = newBytes(600 * 1024);
  const taken = await store.take(upload, partFrom(part));
  await expect(taken.add()).rejects.toMatchObject({ code: 'storage_full' });
  await taken.end();
  await store.drop(upload);
  const small = await store.take(upload, partFrom(newBytes(300 * 1024)));
  await small.add();
  await small.end();
  expect(await readdir(join(folder, 'uploads'))).toEqual(['one']);
});

test('(M-79) what a crash left behind the last part that was kept is overwritten', async () => {
  const folder = await folderFor('crash');
  const store = await DiskStore.open(folder, 0);
  const [first, second] = [newBytes(5000), newBytes(300)];
  const whole = Buffer.concat([first, second]);
  const upload = { id: 'one', sha256: sha256Of(whole), handle: null };
  const taken = await store.take(upload, partFrom(first));
  await taken.add();
  await writeFile(join(folder, 'uploads', 'one'), newBytes(4000), { flag: 'a' });
  const last = await store.take(upload, partFrom(second, first.length));
  // As the database repeats a transaction.
  await last.add();
  await last.add();
  expect(await store.finish(upload)).toBe(true);
  expect(await store.finish(upload)).toBe(true);
  const content = await store.read(upload.sha256, { first: 0, last: whole.length - 1 });
  expect(Buffer.concat(await content.toArray()).equals(whole)).toBe(true);
});

test('(M-79) an upload whose file is gone or cut is lost, and says so', async () => {
  const folder = await folderFor('lost');
  const store = await DiskStore.open(folder, 0);
  const upload = { id: 'one', sha256: 'b'.repeat(64), handle: null };
  const taken = await store.take(upload, partFrom(newBytes(10), 5000));
  await expect(taken.add()).rejects.toMatchObject({ name: 'LostUploadError' });
  await writeFile(join(folder, 'uploads', 'one'), 'short');
  await expect(taken.add()).rejects.toMatchObject({ name: 'LostUploadError' });
  await store.drop(upload);
  expect(await store.finish(upload)).toBe(false);
  await expect(store.read(upload.sha256, { first: 0, last: 0 })).rejects.toMatchObject({ code: 'storage_unavailable' });
});
