import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { relayGenesis } from '@legwork/deploy';
import { readKeypairFile, startLedger } from '@legwork/ledger';
import type { Address } from '@solana/kit';
import { Closers } from '../closers.js';
import { ledgerFolder, ledgerKeyFile, PROGRAM_FILE } from '../paths.js';
import { openDataFolder } from '../start/dataFolder.js';
import { findInstance } from '../start/instanceFile.js';

const CLOSE_MS = 9_500;

interface FoundLedger {
  readonly rpcUrl: string;
  readonly programId: string;
  /** True if it belongs to a running instance; otherwise it was started for this work. */
  readonly isRunning: boolean;
}

/** Runs `work` on the ledger of a data folder: that of the running instance, or one started for the work. */
export async function withEmbeddedLedger<T>(dataDir: string, work: (ledger: FoundLedger) => Promise<T>): Promise<T> {
  const instance = await findInstance(dataDir);
  if (instance !== undefined) return work({ ...instance, isRunning: true });
  const closers = new Closers();
  try {
    await openDataFolder(dataDir, closers);
    const genesis = relayGenesis(PROGRAM_FILE);
    const ledger = await startLedger({ dataDir: ledgerFolder(dataDir), port: 0, genesis });
    closers.add('The ledger', () => ledger.close());
    const { rpcUrl, keypairs } = ledger;
    return await work({ rpcUrl, programId: keypairs.program.signer.address, isRunning: false });
  } finally {
    await closers.close(CLOSE_MS);
  }
}

/**
 * Puts another coordinator's key in its place in the data folder, whole or not at all. The former key stays beside it,
 * under its address. Does nothing when the key is there already.
 */
export async function replaceCoordinatorKey(dataDir: string, newFile: string, newCoordinator: Address): Promise<void> {
  const file = ledgerKeyFile(dataDir, 'coordinator');
  const { address: present } = await readKeypairFile(file);
  if (present === newCoordinator) return;
  const kept = join(dirname(file), `coordinator-keypair.${present}.json`);
  await rm(kept, { force: true });
  await link(file, kept);
  const draft = `${file}.new`;
  await writeFile(draft, await readFile(newFile), { mode: 0o600, flush: true });
  await rename(draft, file);
}
