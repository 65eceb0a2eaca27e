import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { createKeyFile, SETTINGS_FILE } from '@legwork/agents';
import { z } from 'zod';
import { COMMAND_FILE, IS_CLONE, MANIFEST_FILE, TEMPLATES } from '../paths.js';
import { UserError } from '../screen.js';
import { type Calling, type Kind, manifestOf, policyIn, PROJECTS, readmeOf, USUAL_URL } from './project.js';

const manifestSchema = z.object({ version: z.string() });

/**
 * Writes a project that runs into a new or empty folder, with a key of its own.
 *
 * @throws {UserError} when there is something in the folder already, which is then left as it is
 */
export async function writeProject(
  kind: Kind,
  folder: string,
  url: string,
  asset?: string,
): Promise<{ readonly address: string }> {
  await claimFolder(folder);
  const calling = await callingIn(folder);
  const { address } = await createKeyFile(join(folder, 'key.json'));
  const texts = new Map([
    ['package.json', manifestOf(kind, basename(resolve(folder)), calling, asset)],
    ['README.md', readmeOf(kind, address, url, calling)],
    ['.gitignore', 'node_modules/\nkey.*\n'],
  ]);
  const policy = (await readFile(join(TEMPLATES, `${kind}.yaml`), 'utf8')).replaceAll(USUAL_URL, url);
  texts.set(SETTINGS_FILE, asset === undefined ? policy : policyIn(kind, policy, asset));
  for (const name of PROJECTS[kind].files) texts.set(name, await readFile(join(TEMPLATES, name), 'utf8'));
  for (const [name, text] of texts) await writeFile(join(folder, name), text, { flag: 'wx' });
  return { address };
}

/** Reports whether the command has to be installed before the project runs. */
export function needsInstall(folder: string): boolean {
  return !IS_CLONE && !isInstalledAbove(folder);
}

/** A clone is on no registry: outside of it its command runs from where it is. */
async function callingIn(folder: string): Promise<Calling> {
  const { version } = manifestSchema.parse(JSON.parse(await readFile(MANIFEST_FILE, 'utf8')));
  const program = `node ${JSON.stringify(COMMAND_FILE)}`;
  return IS_CLONE && !isInstalledAbove(folder)
    ? { inScripts: program, atTerminal: program, version: undefined }
    : { inScripts: 'legwork', atTerminal: 'npx legwork', version };
}

/** Reports whether the command is installed in a folder above, where npm and Node look for it too. */
function isInstalledAbove(folder: string): boolean {
  const parent = dirname(resolve(folder));
  return (
    existsSync(join(parent, 'node_modules', 'legwork')) || (parent !== resolve(folder) && isInstalledAbove(parent))
  );
}

async function claimFolder(folder: string): Promise<void> {
  const found = await mkdir(folder, { recursive: true }).then(
    () => readdir(folder),
    (error: NodeJS.ErrnoException) => error,
  );
  if (found instanceof Error) throw new UserError(`${resolve(folder)} cannot be a project's folder: ${found.message}.`);
  if (found.length > 0) throw new UserError(`${resolve(folder)} is not empty. Name a new folder; nothing was changed.`);
}
