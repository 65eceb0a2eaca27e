import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What `web/` is compiled to; at the same place from the sources as from what they are compiled to. */
const COMPILED = join(import.meta.dirname, '../../dist/web');

async function readModules(): Promise<ReadonlyMap<string, string>> {
  const names = (await readdir(COMPILED)).filter((name) => name.endsWith('.js'));
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(COMPILED, name), 'utf8')] as const)),
  );
}

let modules: Promise<ReadonlyMap<string, string>> | undefined;

/** The text of a page's script module, read once; undefined: there is none of that name. */
export async function webModule(name: string): Promise<string | undefined> {
  modules ??= readModules();
  return (await modules).get(name);
}
