import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runCommand } from './command.js';

const RECORDER = (list: string) => `
import { appendFileSync } from 'node:fs';
export function load(url, context, next) {
  appendFileSync(${JSON.stringify(list)}, url + '\\n');
  return next(url, context);
}`;

const REGISTER = (recorder: string) => `
import { register } from 'node:module';
register(${JSON.stringify(pathToFileURL(recorder))});`;

const COMPILED = `
import { runCli } from ${JSON.stringify(new URL('../../dist/runCli.js', import.meta.url))};
await runCli(process.argv);`;

/**
 * The ES modules, as URLs, that the compiled command loads until it ends; `folder` is for what records them. In one piece, its
 * modules have no names.
 */
export async function modulesLoadedBy(args: readonly string[], folder: string): Promise<string[]> {
  const list = join(folder, 'loaded.txt');
  const recorder = join(folder, 'recorder.mjs');
  const register = join(folder, 'register.mjs');
  const compiled = join(folder, 'compiled.mjs');
  await writeFile(recorder, RECORDER(list));
  await writeFile(register, REGISTER(recorder));
  await writeFile(compiled, COMPILED);
  await runCommand(args, { NODE_OPTIONS: `--import ${pathToFileURL(register).href}` }, compiled);
  return (await readFile(list, 'utf8')).trim().split('\n');
}
