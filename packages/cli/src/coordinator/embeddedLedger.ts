import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { relayGenesis } from '@legwork/deploy';
import { loadOrCreateKeypair, readKeypairFile, startLedger } from '@legwork/ledger';
import { type Address, createSolanaRpc, isAddress, lamports } from '@solana/kit';
import { Closers } from '../closers.js';
import { ledgerFolder, ledgerKeyFile, PROGRAM_FILE } from '../paths.js';
import { print } from '../print.js';
import { openDataFolder } from '../start/dataFolder.js';
import { findInstance } from '../start/instanceFile.js';
import { UserError } from '../userError.js';
import { type Done, nameCoordinator, readAuthority, summary } from './nameCoordinator.js';
import type { SetOptions } from './setCoordinator.js';

const CLOSE_MS = 9_500;
/** As the ledger's genesis gives its first coordinator. */
const FUNDS = lamports(1_000_000_000_000n);

/**
 * Names another coordinator on the ledger of a data folder, and puts its key where the next start takes it from. The ledger
 * is told first: a run that was interrupted between the two is repeated and then does the rest.
 *
 * @param dataDir absolute
 */
export async function onEmbeddedLedger(dataDir: string, options: SetOptions): Promise<void> {
  if (isAddress(options.coordinator)) {
    throw new UserError('With --data the new key itself is needed: give its key file as --coordinator.');
  }
  const authority = await readAuthority(options.authority ?? ledgerKeyFile(dataDir, 'authority'));
  const { address: coordinator } = await loadOrCreateKeypair(options.coordinator);
  const { done, isRunning } = await withLedger(dataDir, async ({ rpcUrl, programId }, running) => {
    const named = await nameCoordinator({ rpcUrl, programId, authority }, coordinator);
    if (named.balance === 0n) await createSolanaRpc(rpcUrl).requestAirdrop(coordinator, FUNDS).send();
    return { done: named, isRunning: running };
  });
  await swapKeyFile(ledgerKeyFile(dataDir, 'coordinator'), options.coordinator, done);
  const start = `legwork start --data ${dataDir}`;
  await print(
    summary(done, [
      isRunning
        ? `Stop the running service now and start it again, ${start}: with the former key it can do nothing more.`
        : `The next ${start} uses it.`,
    ]),
  );
}

interface Found {
  readonly rpcUrl: string;
  readonly programId: string;
}

/** Works with the ledger of the instance that runs in the folder, or starts it for as long as it takes. */
async function withLedger<T>(dataDir: string, work: (found: Found, isRunning: boolean) => Promise<T>): Promise<T> {
  const instance = await findInstance(dataDir);
  if (instance !== undefined) return work(instance, true);
  const closers = new Closers();
  try {
    await openDataFolder(dataDir, closers);
    const ledger = await startLedger({
      dataDir: ledgerFolder(dataDir),
      port: 0,
      genesis: relayGenesis(PROGRAM_FILE),
    });
    closers.add('The ledger', () => ledger.close());
    return await work({ rpcUrl: ledger.rpcUrl, programId: ledger.keypairs.program.signer.address }, false);
  } finally {
    await closers.close(CLOSE_MS);
  }
}

/** Puts the new key in the file's place, whole or not at all; the former one stays beside it under its address. */
async function swapKeyFile(file: string, from: string, { coordinator }: Pick<Done, 'coordinator'>): Promise<void> {
  const { address: present } = await readKeypairFile(file);
  if (present === coordinator) return;
  await keep(file, present);
  const draft = `${file}.new`;
  await writeFile(draft, await readFile(from), { mode: 0o600, flush: true });
  await rename(draft, file);
}

async function keep(file: string, present: Address): Promise<void> {
  const kept = join(dirname(file), `coordinator-keypair.${present}.json`);
  await rm(kept, { force: true });
  await link(file, kept);
}
