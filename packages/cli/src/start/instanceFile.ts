import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What other programs on this machine need to find a running instance; kept as `instance.json` while it runs. */
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
