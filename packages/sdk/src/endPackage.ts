import { packageAddress } from '@legwork/program-client';
import { uuidToBytes } from '@legwork/protocol/contract';
import type { PackageDetail } from '@legwork/protocol/contract';
import type { RelayClient } from './client.js';
import { endListed } from './ending.js';
import type { Listed } from './ending.js';
import type { Landed } from './landed.js';
import type { LedgerSigner } from './signer.js';
import type { SendRpc } from './transactions/sendTransaction.js';

/**
 * Cancels a listed package as its shipper: the whole escrow returns to its funder. Signs, sends, and waits until
 * the service shows the package as cancelled. Safe to repeat: a package cancelled before is answered as it is. When the service does not show
 * within a minute what the ledger confirmed, `open` says so.
 *
 * @param rpc of the service's ledger, `createSolanaRpc((await client.getConfig()).rpcUrl)`
 * @throws {RelayApiError} `invalid_status` when it is not listed any more
 * @throws {LedgerRefusedError} when the ledger refuses the transaction
 * @throws {TransactionRefusedError} when the service built another transaction
 */
export function cancelPackage(
  client: RelayClient,
  rpc: SendRpc,
  signer: LedgerSigner,
  packageId: string,
): Promise<PackageDetail & Partial<Landed>> {
  return endListed({ client, rpc, signer }, packageOf(client, packageId), {
    instruction: 'cancelPackage',
    reason: 'cancelled',
    build: () => client.buildCancelTx({ packageId }),
  });
}

/**
 * Takes back what is left in escrow of a package whose deadline has passed, or whose swarm the ledger shows as begun and not
 * completed, as its shipper. Otherwise as {@link cancelPackage}.
 *
 * @throws {RelayApiError} `invalid_status` before the deadline, or when nothing is left to reclaim
 */
export function reclaimPackage(
  client: RelayClient,
  rpc: SendRpc,
  signer: LedgerSigner,
  packageId: string,
): Promise<PackageDetail & Partial<Landed>> {
  return endListed({ client, rpc, signer }, packageOf(client, packageId), {
    instruction: 'reclaimPackage',
    reason: 'reclaimed',
    build: () => client.buildReclaimTx({ packageId }),
  });
}

function packageOf(client: RelayClient, packageId: string): Listed<PackageDetail> {
  return {
    name: `package ${packageId}`,
    accountOf: (programId, shipper) => packageAddress(programId, shipper, uuidToBytes(packageId)),
    read: () => client.getPackage({ packageId }),
  };
}
