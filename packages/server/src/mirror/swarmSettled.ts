import { toLamports } from '@legwork/protocol/contract';
import type { Trx } from '../db/connect.js';
import { lockPackage, markDelivered } from '../db/packages.js';
import type { PackageRow, SwarmRow } from '../db/schema.js';
import { markSettled } from '../db/swarms.js';
import { appendEvent } from '../db/events.js';

/**
 * Projects that the ledger shows the swarm settled: its package is delivered and the surplus back at the funder. False when
 * the mirror has it already. Rule M-9.
 */
export async function recordSettled(
  trx: Trx,
  item: PackageRow,
  swarm: SwarmRow,
  settleSignature: string,
): Promise<boolean> {
  await lockPackage(trx, item.id);
  if (!(await markSettled(trx, swarm.id, settleSignature))) return false;
  const refundLamports = toLamports(item.max_budget_lamports - swarm.total_lamports);
  await markDelivered(trx, item.id, settleSignature, refundLamports);
  await appendEvent(trx, 'PACKAGE_DELIVERED', `package:${item.id}`, {
    packageId: item.id,
    settleSignature,
    refundLamports,
  });
  return true;
}
