import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKeyFile } from '@legwork/agents';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runHere } from './support/line.js';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'legwork-papers-'));
  await createKeyFile(join(folder, 'key.json'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Where no service answers: a file that holds no papers is not sent. */
const give = (of: string, ...more: string[]) =>
  runHere(['papers', 'give', of, ...more], {
    XDG_CONFIG_HOME: folder,
    LEGWORK_URL: 'http://127.0.0.1:1',
    LEGWORK_KEY: join(folder, 'key.json'),
  });

test('what is no file of papers is refused by name, and holds up none of the others (A-170)', async () => {
  const bad = join(folder, 'bad');
  const at = (name: string) => join(bad, `${name}.papers.json`);
  await mkdir(at('folder'), { recursive: true });
  execFileSync('mkfifo', [at('pipe')]);
  await symlink('/dev/zero', at('endless'));
  await symlink(at('nowhere'), at('broken'));
  await writeFile(at('huge'), '');
  await truncate(at('huge'), 100 * 1024 * 1024);
  await writeFile(at('nested'), '['.repeat(100_000));
  await writeFile(at('text'), 'no JSON');
  const { code, stdout } = await give(bad, '--json');
  const { taken, refused } = JSON.parse(stdout) as { taken: string[]; refused: string[] };
  expect({ code, taken }).toEqual({ code: 0, taken: [] });
  const [broken, ...others] = refused;
  expect(broken).toContain('broken: ENOENT');
  expect(others).toEqual(
    ['endless', 'folder', 'huge', 'nested', 'pipe', 'text'].map((name) => `${name}: its file holds no papers`),
  );
});

test('of many that are refused a person sees the first twenty and how many there are (A-170)', async () => {
  const many = join(folder, 'many');
  await mkdir(many);
  for (let index = 0; index < 50; index += 1) await writeFile(join(many, `${100 + index}.papers.json`), 'x');
  const { stdout } = await give(many);
  expect(stdout.trimEnd().split('\n')).toHaveLength(21);
  expect(stdout).toContain('50 files: 0 taken, 0 known to the service already, 50 refused, all of them with --json.');
});

test('a file in place of the folder is said (A-170)', async () => {
  expect((await give(join(folder, 'key.json'))).stderr).toContain('is no folder');
});
