import { createKeyFile, readKeyFile } from '@legwork/agents';
import type { Agent } from './agent.js';
import type { Shown } from './output.js';

/** Makes a key, in a file that only its owner may read. It is never printed. */
export async function newKey({ settings }: Agent, { file }: { readonly file?: string }): Promise<Shown> {
  const path = file ?? settings.key;
  return shown((await createKeyFile(path)).address, path);
}

export async function showKey({ settings }: Agent, { file }: { readonly file?: string }): Promise<Shown> {
  const path = file ?? settings.key;
  return shown((await readKeyFile(path)).address, path);
}

function shown(address: string, file: string): Shown {
  return { data: { address, file }, text: `${address}\n  in ${file}` };
}
