import { findPackagePda } from '@agent-relay/program-client';
import { uuidToBytes } from '@agent-relay/protocol';
import type { AnswerOf, operations, PackageDetail } from '@agent-relay/protocol';
import { address } from '@solana/kit';
import type { RelayClient } from './client.js';
import { LedgerRefusedError, RelayApiError, RelayNetworkError, TransactionRefusedError } from './errors.js';
import { pause } from './pause.js';
import { serviceConfig } from './serviceConfig.js';
import type { RelaySigner } from './signer.js';
import { readTransaction } from './transactions/readTransaction.js';
import { sendTransaction } from './transactions/sendTransaction.js';
import type { SendRpc } from './transactions/sendTransaction.js';
import { signTransaction } from './transactions/signTransaction.js';

type Built = AnswerOf<(typeof operations)['buildCancelTx']>;

/** A way to end a package, and what the service calls a package that ended so. */
interface Ending {
  readonly instruction: 'cancelPackage' | 'reclaimPackage';
  readonly reason: NonNullable<PackageDetail['failureReason']>;
  readonly build: (client: RelayClient, packageId: string) => Promise<Built>;
}

const CANCELLING: Ending = {
  instruction: 'cancelPackage',
  reason: 'cancelled',
  build: (client, packageId) => client.buildCancelTx({ packageId }),
};
const RECLAIMING: Ending = {
  instruction: 'reclaimPackage',
  reason: 'reclaimed',
  build: (client, packageId) => client.buildReclaimTx({ packageId }),
};

/** How long the service may take to show what the ledger confirmed, milliseconds. */
const SHOWN_WITHIN_MS = 60_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

/**
 * Cancels a listed package as its shipper: the whole escrow returns to whoever funded it. Signs, sends, and waits until
 * the service shows the package as cancelled. Safe to repeat: a package cancelled before is answered as it is.
 *
 * @param rpc of the service's ledger, `createSolanaRpc((await client.getConfig()).rpcUrl)`
 * @throws {RelayApiError} `invalid_status` when it is not listed any more
 * @throws {LedgerRefusedError} when the ledger refuses the transaction
 * @throws {TransactionRefusedError} when the service built another transaction
 * @throws {RelayNetworkError} when the service does not show within a minute what the ledger confirmed
 */
export function cancelPackage(
  client: RelayClient,
  rpc: SendRpc,
  signer: RelaySigner,
  packageId: string,
): Promise<PackageDetail> {
  return endPackage(client, rpc, signer, packageId, CANCELLING);
}

/**
 * Takes back what is left in escrow of a package whose deadline has passed, as its shipper. Otherwise as
 * {@link cancelPackage}.
 *
 * @throws {RelayApiError} `invalid_status` before the deadline, or when nothing is left to reclaim
 */
export function reclaimPackage(
  client: RelayClient,
  rpc: SendRpc,
  signer: RelaySigner,
  packageId: string,
): Promise<PackageDetail> {
  return endPackage(client, rpc, signer, packageId, RECLAIMING);
}

async function endPackage(
  client: RelayClient,
  rpc: SendRpc,
  signer: RelaySigner,
  packageId: string,
  ending: Ending,
): Promise<PackageDetail> {
  try {
    const built = await ending.build(client, packageId);
    const signed = await signEnding(client, signer, packageId, ending, built);
    await sendTransaction(rpc, signed, built.lastValidBlockHeight);
  } catch (error) {
    // Another run of the same wallet may have been faster.
    const turnPassed = error instanceof RelayApiError && error.code === 'invalid_status';
    if (!turnPassed && !(error instanceof LedgerRefusedError)) throw error;
    const item = await client.getPackage({ packageId });
    if (item.failureReason !== ending.reason) throw error;
    return item;
  }
  return untilShown(client, packageId, ending);
}

/** @throws {TransactionRefusedError} unless it ends this very package of this wallet */
async function signEnding(
  client: RelayClient,
  signer: RelaySigner,
  packageId: string,
  { instruction: name }: Ending,
  built: Built,
): Promise<string> {
  const programAddress = address((await serviceConfig(client)).programId);
  const expected = { programId: programAddress, name };
  const { instruction } = readTransaction(built.transaction, expected);
  const seeds = { shipper: signer.address, packageId: uuidToBytes(packageId) };
  const [own] = await findPackagePda(seeds, { programAddress });
  const found = instruction.accounts.package.address;
  if (found !== own) {
    throw new TransactionRefusedError(
      `the transaction ends the package at ${found}, but that of ${packageId} by ${signer.address} is at ${own}`,
    );
  }
  return signTransaction(built.transaction, signer, expected);
}

async function untilShown(client: RelayClient, packageId: string, { reason }: Ending): Promise<PackageDetail> {
  const until = Date.now() + SHOWN_WITHIN_MS;
  for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
    const item = await client.getPackage({ packageId });
    if (item.failureReason === reason) return item;
    if (Date.now() > until) {
      throw new RelayNetworkError(`the ledger shows package ${packageId} as ${reason}, the service not yet`);
    }
    await pause(wait);
  }
}
