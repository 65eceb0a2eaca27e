import { mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readKeyFile, readPolicies } from '@legwork/agents';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KINDS } from '../src/init/project.js';
import { writeProject } from '../src/init/writeProject.js';

const URL = 'https://legwork.example:8443/market';

let parent: string;
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'legwork-init-'));
});
afterAll(() => rm(parent, { recursive: true, force: true }));

describe('a new project', () => {
  it.each(KINDS)('of a %s has a key for its owner alone, and asks the service it was made for', async (kind) => {
    const folder = join(parent, 'new', kind);
    const { address } = await writeProject(kind, folder, URL);

    expect((await readKeyFile(join(folder, 'key.json'))).address).toBe(address);
    expect((await stat(join(folder, 'key.json'))).mode & 0o777).toBe(0o600);
    expect(await readFile(join(folder, '.gitignore'), 'utf8')).toContain('key.*');
    expect(await readFile(join(folder, 'README.md'), 'utf8')).toContain(address);
    const names = (await readdir(folder)).filter((name) => /\.(yaml|mjs)$/.test(name));
    const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
    expect(texts.join('')).toContain(URL);
    expect(texts.join('')).not.toContain('127.0.0.1');
  });

  it.each(KINDS)('of a %s has a policy without a fault (A-2)', async (kind) => {
    const folder = join(parent, 'policies', kind);
    await writeProject(kind, folder, URL);
    const [policy] = await readPolicies(join(folder, 'legwork.yaml'));
    expect(policy).toMatchObject({ service: URL, key: join(folder, 'key.json') });
    expect(policy?.courier !== undefined).toBe(kind === 'courier');
    expect(policy?.worker !== undefined).toBe(kind === 'worker');
  });

  it.each(KINDS)('of a %s works in another asset as well, with limits of its own for it (A-150)', async (kind) => {
    const folder = join(parent, 'assets', kind);
    await writeProject(kind, folder, URL, 'usdc');
    const [policy] = await readPolicies(join(folder, 'legwork.yaml'));
    expect(policy?.asset).toMatchObject({ name: 'usdc' });
    expect(policy?.asset?.price !== undefined).toBe(kind === 'courier');
    // The rent of a token account fits into a transaction.
    expect(policy?.limits.perTransaction).toBeGreaterThan(2_039_280n);
    const { scripts } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
      scripts: { start: string };
    };
    expect(scripts.start.includes('--budget 10 --asset usdc')).toBe(kind === 'shipper');
  });

  it.each(['sdk', '@legwork', 'Ünïcode – 1', '...', 'legwork'])(
    'in a folder named %s has a name that npm takes',
    async (name) => {
      const folder = join(parent, 'names', name);
      await writeProject('worker', folder, URL);
      const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { name: string };
      expect(manifest.name).toMatch(/^[a-z0-9]+(-+[a-z0-9]+)*$/);
      expect(manifest.name).not.toBe('legwork');
    },
  );

  it('is not written over anything', async () => {
    const folder = join(parent, 'full');
    await mkdir(folder);
    await writeFile(join(folder, 'notes.txt'), 'mine');
    await expect(writeProject('courier', folder, URL)).rejects.toThrow('is not empty');
    expect(await readdir(folder)).toEqual(['notes.txt']);
    await expect(writeProject('courier', join(folder, 'notes.txt'), URL)).rejects.toThrow(
      "cannot be a project's folder",
    );
    expect(await readFile(join(folder, 'notes.txt'), 'utf8')).toBe('mine');
  });
});
