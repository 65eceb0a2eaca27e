import { mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { handed, saveFiles, uploadFiles } from '@legwork/agents';
import { expect, test } from 'vitest';
import { claimedLeg } from '../operations/artifacts/scene.js';
import { untilTask } from '../operations/digitalTasks/scene.js';
import { withService } from '../support/service.js';

const service = withService();
const newFolder = () => mkdtemp(join(tmpdir(), 'legwork-files-'));

/** Files of these contents. @returns their paths */
async function written(contents: Readonly<Record<string, string>>): Promise<string[]> {
  const folder = await newFolder();
  for (const [name, content] of Object.entries(contents)) await writeFile(join(folder, name), content);
  return Object.keys(contents).map((name) => join(folder, name));
}

test('files of a folder are handed in by their names, and saved as they were (A-96, A-97)', async () => {
  const { agent, task, leg } = await claimedLeg(service.current);
  const paths = await written({ 'Bericht ü.CSV': 'late,2\n', notes: 'two topics' });
  const artifacts = await uploadFiles(agent.client, leg, paths);
  expect(artifacts).toMatchObject([
    { name: 'Bericht ü.CSV', contentType: 'text/csv', bytes: 7 },
    { name: 'notes', contentType: 'application/octet-stream', bytes: 10 },
  ]);
  const given = { ...leg, agentPubkey: agent.pubkey, result: 'See the files.', artifacts: artifacts.map(handed) };
  await agent.client.completeDigitalLeg(given);
  const { legs } = await untilTask(service.current, task.id, ({ completedLegs }) => completedLegs === 1);
  const folder = join(await newFolder(), 'to', 'be', 'made');
  const stranger = await service.current.party(0);
  const saved = await saveFiles(stranger.client, leg, legs[0]?.artifacts ?? [], folder);
  expect(saved.map((path) => relative(folder, path))).toEqual(['Bericht ü.CSV', 'notes']);
  expect(await Promise.all(saved.map((path) => readFile(path, 'utf8')))).toEqual(['late,2\n', 'two topics']);
  expect(await readdir(folder)).toHaveLength(2);
});

test('what a result cannot have is refused before anything is sent (A-96)', async () => {
  const { agent, leg } = await claimedLeg(service.current);
  const refused = async (paths: readonly string[]) =>
    expect(uploadFiles(agent.client, leg, paths)).rejects.toMatchObject({ name: 'ResultFileError' });
  const many = Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`${index}.txt`, String(index)]));
  await refused(await written(many));
  await refused(await written({ 'empty.txt': '' }));
  await refused(await written({ '.hidden': 'x' }));
  await refused([join(await newFolder(), 'nothing.txt')]);
  await refused([await newFolder()]);
  const uploads = service.current.db.selectFrom('artifacts').select('id').where('leg_id', '=', leg.legId);
  expect(await uploads.execute()).toEqual([]);
  await refused(await written({ 'a.txt': 'the same', 'b.txt': 'the same' }));
});

test('a saved file stays in its folder under a name of its own, and replaces nothing, whatever it is called (A-97)', async () => {
  const { agent, leg } = await claimedLeg(service.current);
  const [artifact] = await uploadFiles(agent.client, leg, await written({ 'a.txt': 'theirs' }));
  if (artifact === undefined) throw new Error('no file');
  const called = (...names: string[]) => names.map((name) => ({ ...artifact, name }));
  const within = await newFolder();
  const folder = join(within, 'saved');
  const names = ['../../evil', '/etc/passwd', '..', '.', '.bashrc', 'a\\b', 'a:b', 'a\u202Etxt.exe', 'A.txt', 'a.txt'];
  const saved = await saveFiles(agent.client, leg, called(...names, '長'.repeat(200), ''), folder);
  expect(await readdir(within)).toEqual(['saved']);
  expect(new Set(await readdir(folder))).toEqual(new Set(saved.map((path) => relative(folder, path))));
  expect(saved).toHaveLength(names.length + 2);
  expect(saved.every((path) => /^[^./\\:\p{C}][^/\\:\p{C}]*$/u.test(relative(folder, path)))).toBe(true);

  const other = await newFolder();
  await writeFile(join(other, 'mine.txt'), 'mine');
  await symlink(join(within, 'outside'), join(other, 'link.txt'));
  await mkdir(join(other, 'folder'));
  for (const name of ['mine.txt', 'link.txt', 'folder']) {
    await expect(saveFiles(agent.client, leg, called('new.txt', name), other)).rejects.toThrow('is there already');
  }
  expect((await readdir(other)).sort()).toEqual(['folder', 'link.txt', 'mine.txt']);
  expect(await readFile(join(other, 'mine.txt'), 'utf8')).toBe('mine');
  expect(await readdir(within)).toEqual(['saved']);
});

test('a file that is longer than the result says is not kept (A-97)', async () => {
  const { agent, leg } = await claimedLeg(service.current);
  const [artifact] = await uploadFiles(agent.client, leg, await written({ 'a.txt': 'theirs' }));
  if (artifact === undefined) throw new Error('no file');
  const folder = await newFolder();
  await expect(saveFiles(agent.client, leg, [{ ...artifact, bytes: 3 }], folder)).rejects.toThrow('more than 3 bytes');
  expect(await readdir(folder)).toEqual([]);
});
