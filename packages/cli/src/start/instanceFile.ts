import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What other programs on this machine need to find a running instance; kept as `instance.json` while it runs. */
export interface Instance {
  readonly url: string;
  /** The event stream. */
  /** Where MCP clients connect. */
  readonly mcpUrl: string;
  readonly wsUrl: string;
  /** JSON-RPC of the ledger or cluster. */
  readonly rpcUrl: string;
  readonly rpcSubscriptionsUrl: string;
  readonly programId: string;
  readonly coordinatorPubkey: string;
  /** Absolute. */
  readonly dataDir: string;
  readonly pid: number;
}

/** Writes the file; a reader sees all of it or none. */
export async function writeInstance(instance: Instance): Promise<void> {
  const file = join(instance.dataDir, 'instance.json');
  await writeFile(`${file}.new`, `${JSON.stringify(instance, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/** Removes what an instance, this one or a killed one, has left. */
export async function removeInstance(dataDir: string): Promise<void> {
  await rm(join(dataDir, 'instance.json'), { force: true });
}
