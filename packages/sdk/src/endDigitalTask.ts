import { taskAddress } from '@legwork/program-client';
import { uuidToBytes } from '@legwork/protocol/contract';
import type { DigitalTaskDetail } from '@legwork/protocol/contract';
import type { Signature } from '@solana/kit';
import type { RelayClient } from './client.js';
import { endListed, sendExit } from './ending.js';
import type { Listed } from './ending.js';
import type { Landed } from './landed.js';
import type { LedgerSigner } from './signer.js';
import type { SendRpc } from './transactions/sendTransaction.js';

/**
 * Cancels a digital task as its poster, while nobody works on it and nothing is completed: the whole escrow returns to
 * its funder. Signs, sends, and waits until the service shows the task as cancelled. Safe to repeat: a task
 * cancelled before is answered as it is. When the service does not show
 * within a minute what the ledger confirmed, `open` says so.
 *
 * @param rpc of the service's ledger, `createSolanaRpc((await client.getConfig()).rpcUrl)`
 * @throws {RelayApiError} `invalid_status` when it is not listed any more
 * @throws {LedgerRefusedError} when the ledger refuses the transaction
 * @throws {TransactionRefusedError} when the service built another transaction
 */
export function cancelDigitalTask(
  client: RelayClient,
  rpc: SendRpc,
  signer: LedgerSigner,
  taskId: string,
): Promise<DigitalTaskDetail & Partial<Landed>> {
  return endListed({ client, rpc, signer }, taskOf(client, taskId), {
    instruction: 'cancelTask',
    reason: 'cancelled',
    build: () => client.buildCancelDigitalTaskTx({ taskId }),
  });
}

/**
 * Takes back what is left in escrow of a digital task whose deadline has passed, as its poster. What was paid stays paid.
 * Otherwise as {@link cancelDigitalTask}.
 *
 * @throws {RelayApiError} `invalid_status` before the deadline, or when nothing is left to reclaim
 */
export function reclaimDigitalTask(
  client: RelayClient,
  rpc: SendRpc,
  signer: LedgerSigner,
  taskId: string,
): Promise<DigitalTaskDetail & Partial<Landed>> {
  return endListed({ client, rpc, signer }, taskOf(client, taskId), {
    instruction: 'reclaimTask',
    reason: 'reclaimed',
    build: () => client.buildReclaimDigitalTaskTx({ taskId }),
  });
}

/**
 * Closes the account of a digital task that is completed or failed, as the poster who funded it, and gets most of its rent
 * back.
 *
 * @returns the transaction's signature, once the ledger has confirmed it
 * @throws {RelayApiError} `invalid_status` when the task is not over, or its account is closed already
 * @throws as {@link cancelDigitalTask} otherwise
 */
export function closeDigitalTask(
  client: RelayClient,
  rpc: SendRpc,
  signer: LedgerSigner,
  taskId: string,
): Promise<Signature> {
  return sendExit({ client, rpc, signer }, taskOf(client, taskId), {
    instruction: 'closeTask',
    build: () => client.buildCloseDigitalTaskTx({ taskId }),
  });
}

function taskOf(client: RelayClient, taskId: string): Listed<DigitalTaskDetail> {
  return {
    name: `digital task ${taskId}`,
    accountOf: (programId, poster) => taskAddress(programId, poster, uuidToBytes(taskId)),
    read: () => client.getDigitalTask({ taskId }),
  };
}
