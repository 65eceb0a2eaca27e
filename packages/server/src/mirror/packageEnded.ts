import type { FailureReason } from '@legwork/protocol/contract';
import type { Trx } from '../db/connect.js';
import { lockPackage, markEnded } from '../db/packages.js';
import { markSwarmEnded } from '../db/swarms.js';
import { appendEvent } from '../db/events.js';

/**
 * Projects that the ledger shows the package cancelled or reclaimed: it is failed for good, and so is its swarm, if one was
 * forming or active. False when the mirror has it already. Rule M-9.
 */
export async function recordEnded(
  trx: Trx,
  packageId: string,
  failureReason: FailureReason,
  endSignature: string,
): Promise<boolean> {
  await lockPackage(trx, packageId);
  if (!(await markEnded(trx, packageId, failureReason, endSignature))) return false;
  await markSwarmEnded(trx, packageId, failureReason);
  await appendEvent(trx, 'PACKAGE_FAILED', `package:${packageId}`, { packageId, failureReason });
  return true;
}
