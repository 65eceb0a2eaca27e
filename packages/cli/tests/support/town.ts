import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createKeyFile } from '@legwork/agents';
import { createLegworkClient } from '@legwork/sdk';
import type { Instance } from '../../src/start/instanceFile.js';
import { startCommand } from './command.js';
import { runHere } from './line.js';

/** People with key files, on a running instance. */
export interface Town {
  readonly folder: string;
  readonly instance: Instance;
}

/** Starts an instance in the folder, where each of these people registers. */
export async function openTown(folder: string, people: readonly string[]): Promise<Town> {
  const data = join(folder, 'data');
  const command = startCommand(['start', '--data', data, '--port', '0', '--ledger-port', '0']);
  await command.shows('Stop     Ctrl-C');
  const instance = JSON.parse(await readFile(join(data, 'instance.json'), 'utf8')) as Instance;
  for (const name of people) {
    const signer = await createKeyFile(join(folder, `${name}.json`));
    await createLegworkClient({ url: instance.url, signer }).registerAgent({ agentPubkey: signer.address });
  }
  return { folder, instance };
}

/** Runs a command of an agent. @returns its JSON */
export async function say<T = Record<string, unknown>>(
  { url }: Instance,
  key: string | undefined,
  args: readonly string[],
): Promise<T> {
  const who = key === undefined ? [] : ['--key', key];
  const { code, stdout, stderr } = await runHere([...args, '--url', url, ...who, '--json']);
  if (code !== 0) throw new Error(`legwork ${args.join(' ')}: ${stderr}`);
  return JSON.parse(stdout) as T;
}
