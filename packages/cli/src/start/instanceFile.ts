import { access, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { SETTINGS_FILE, type SettingOptions } from '@legwork/agents';
import { ledgerKeyFile } from '../paths.js';
import { UserError } from '../screen.js';

/** The facts by which other programs on this machine find a running instance; kept as `instance.json` while it runs. */
export interface Instance {
  readonly url: string;
  /** For MCP clients. */
  readonly mcpUrl: string;
  /** The event stream. */
  readonly wsUrl: string;
  /** JSON-RPC of the ledger or cluster. */
  readonly rpcUrl: string;
  readonly rpcSubscriptionsUrl: string;
  readonly programId: string;
  readonly coordinatorPubkey: string;
  /** Rules disputes; null: terms have to name somebody. */
  readonly arbiterPubkey: string | null;
  /** Absolute. */
  readonly dataDir: string;
  readonly pid: number;
}

/** Writes the file, whole or not at all. */
export async function writeInstance(instance: Instance): Promise<void> {
  const file = join(instance.dataDir, 'instance.json');
  await writeFile(`${file}.new`, `${JSON.stringify(instance, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/** Removes the file of this instance or of a killed one. */
export async function removeInstance(dataDir: string): Promise<void> {
  await rm(join(dataDir, 'instance.json'), { force: true });
}

/** The instance that runs in the data folder; the file of a killed one does not count. */
export async function findInstance(dataDir: string): Promise<Instance | undefined> {
  const text = await readFile(join(dataDir, 'instance.json'), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const instance: Instance = JSON.parse(text);
  return isAlive(instance.pid) ? instance : undefined;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/**
 * The address of the instance that runs in a data folder, and the key file of its program's authority; nothing where options or a policy
 * say who acts.
 *
 * @throws UserError when nothing runs in the folder that was named, or its ledger is not the embedded one
 */
export async function operatorHere({ data, key, policy }: SettingOptions & { readonly data?: string }): Promise<{
  readonly url?: string;
  readonly key?: string;
}> {
  if (data === undefined && (key !== undefined || policy !== undefined || (await exists(SETTINGS_FILE)))) return {};
  const folder = resolve(data ?? '.data');
  const instance = await findInstance(folder);
  const file = ledgerKeyFile(folder, 'authority');
  const hasKey = await exists(file);
  if (instance !== undefined && hasKey) return { url: instance.url, key: file };
  if (data === undefined) return {};
  throw new UserError(
    instance === undefined
      ? `No Legwork runs in ${folder}.`
      : `${folder} has no key of the program's authority: its ledger is not the embedded one. Name the key of an operator with --key.`,
  );
}

const exists = (file: string) =>
  access(file).then(
    () => true,
    () => false,
  );
