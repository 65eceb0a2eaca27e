import { resolve } from 'node:path';
import { setCoordinator, type SetCoordinatorOutcome } from '@legwork/deploy';
import { type Address, address, createSolanaRpc, isAddress, lamports } from '@solana/kit';
import { addressOf, readKeyFile, shownKeyFile } from '../keyFiles.js';
import { ledgerKeyFile } from '../paths.js';
import { printDone, UsageError } from '../screen.js';
import { replaceCoordinatorKey, withEmbeddedLedger } from './embeddedLedger.js';

/** The options of `legwork coordinator set`. */
export interface SetOptions {
  /** An address, or a key file, made when missing. */
  readonly coordinator: string;
  /** Key file of the authority. */
  readonly authority?: string;
  readonly rpcUrl?: string;
  readonly programId?: string;
  readonly data?: string;
  readonly json: boolean;
}

/** As much as the genesis gives the first coordinator. */
const FUNDS = lamports(1_000_000_000_000n);

/** Names the coordinator, and prints what was done and what to do next. */
export async function runSetCoordinator(options: SetOptions): Promise<void> {
  if (options.data === undefined) await setOnCluster(options);
  else await setOnEmbeddedLedger(resolve(options.data), options);
}

async function setOnCluster({ coordinator: given, authority, rpcUrl, programId, json }: SetOptions): Promise<void> {
  if (authority === undefined || rpcUrl === undefined || programId === undefined) {
    throw new UsageError(
      'Give --authority, --rpc-url (or SOLANA_RPC_URL) and --program-id (or RELAY_PROGRAM_ID); or --data for the ' +
        'ledger of legwork start.',
    );
  }
  const signer = await readKeyFile(authority);
  const coordinator = await addressOf(given);
  if (!isAddress(programId)) throw new UsageError(`--program-id is "${programId}", which is no address.`);
  const done = await setCoordinator({ rpcUrl, programAddress: programId, authority: signer, coordinator });
  const balance = await balanceOf(rpcUrl, coordinator);
  await printDone(
    json,
    { coordinator, ...done },
    summary(coordinator, done, [
      'What to do next:',
      '',
      `  1. Keep some SOL in its wallet, from which it pays fees and rent; it holds ${balance} lamports.`,
      `  2. Set COORDINATOR_KEYPAIR=${shownKeyFile(given)}`,
      '  3. Stop every replica of the service and start it again: with the former key it can do nothing more.',
    ]),
  );
}

/** The ledger comes first, then the key file: after an interruption between the two, the same command does the rest. */
async function setOnEmbeddedLedger(
  dataDir: string,
  { coordinator: newFile, authority, json }: SetOptions,
): Promise<void> {
  if (isAddress(newFile)) {
    throw new UsageError('With --data the new key itself is needed: give its key file as --coordinator.');
  }
  const signer = await readKeyFile(authority ?? ledgerKeyFile(dataDir, 'authority'));
  const coordinator = await addressOf(newFile);
  const { done, isRunning } = await withEmbeddedLedger(dataDir, async ({ rpcUrl, programId, isRunning }) => {
    const done = await setCoordinator({ rpcUrl, programAddress: address(programId), authority: signer, coordinator });
    const isPoor = (await balanceOf(rpcUrl, coordinator)) === 0n;
    if (isPoor) await createSolanaRpc(rpcUrl).requestAirdrop(coordinator, FUNDS).send();
    return { done, isRunning };
  });
  await replaceCoordinatorKey(dataDir, newFile, coordinator);
  const start = `legwork start --data ${dataDir}`;
  const next = isRunning
    ? `Stop the running service now and start it again, ${start}: with the former key it can do nothing more.`
    : `The next ${start} uses it.`;
  await printDone(json, { coordinator, ...done }, summary(coordinator, done, [next]));
}

async function balanceOf(rpcUrl: string, wallet: Address): Promise<bigint> {
  return (await createSolanaRpc(rpcUrl).getBalance(wallet, { commitment: 'confirmed' }).send()).value;
}

function summary(coordinator: Address, { outcome, former }: SetCoordinatorOutcome, next: readonly string[]): string {
  const done =
    outcome === 'set'
      ? [
          `The coordinator is ${coordinator} now. It was ${former}.`,
          '',
          'Keep the key of the former one: rent that it advanced and what it funded return to it.',
        ]
      : [`The coordinator was ${coordinator} already; nothing was sent.`];
  return [...done, '', ...next, ''].join('\n');
}
