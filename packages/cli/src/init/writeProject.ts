import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { createKeyFile } from '@legwork/agents';
import { z } from 'zod';
import { MANIFEST_FILE, TEMPLATES } from '../paths.js';
import { UserError } from '../screen.js';
import { type Kind, manifestOf, PROJECTS, readmeOf, USUAL_URL } from './project.js';

const manifestSchema = z.object({ version: z.string() });

/**
 * Writes a project that runs into a new or empty folder, with a key of its own.
 *
 * @throws {UserError} when there is something in the folder already, which is then left as it is
 */
export async function writeProject(kind: Kind, folder: string, url: string): Promise<{ readonly address: string }> {
  await claimFolder(folder);
  const { version } = manifestSchema.parse(JSON.parse(await readFile(MANIFEST_FILE, 'utf8')));
  const { address } = await createKeyFile(join(folder, 'key.json'));
  const texts = new Map([
    ['package.json', manifestOf(kind, basename(resolve(folder)), version)],
    ['README.md', readmeOf(kind, address, url)],
    ['.gitignore', 'node_modules/\nkey.*\n'],
  ]);
  for (const name of PROJECTS[kind].files) {
    texts.set(name, (await readFile(join(TEMPLATES, name), 'utf8')).replaceAll(USUAL_URL, url));
  }
  for (const [name, text] of texts) await writeFile(join(folder, name), text, { flag: 'wx' });
  return { address };
}

/** Returns whether a package is installed in a folder above, where npm and Node look for it too. */
export function isInstalled(name: string, folder: string): boolean {
  const parent = dirname(resolve(folder));
  return existsSync(join(parent, 'node_modules', name)) || (parent !== resolve(folder) && isInstalled(name, parent));
}

async function claimFolder(folder: string): Promise<void> {
  const found = await mkdir(folder, { recursive: true }).then(
    () => readdir(folder),
    (error: NodeJS.ErrnoException) => error,
  );
  if (found instanceof Error) throw new UserError(`${resolve(folder)} cannot be a project's folder: ${found.message}.`);
  if (found.length > 0) throw new UserError(`${resolve(folder)} is not empty. Name a new folder; nothing was changed.`);
}
