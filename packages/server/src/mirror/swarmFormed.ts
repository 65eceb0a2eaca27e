import type { Trx } from '../db/connect.js';
import { lockPackage } from '../db/packages.js';
import type { SwarmRow } from '../db/schema.js';
import { lockSwarm, markFormed, type SwarmWithLegs } from '../db/swarms.js';
import { appendEvent } from '../db/events.js';

async function announce(trx: Trx, swarm: SwarmWithLegs, formSignature: string): Promise<void> {
  const { id: swarmId, package_id: packageId } = swarm;
  const subject = `package:${packageId}`;
  await appendEvent(trx, 'SWARM_FORMED', subject, {
    packageId,
    swarmId,
    onChainSwarm: swarm.on_chain_swarm,
    formSignature,
    totalLegs: swarm.total_legs,
    totalLamports: swarm.total_lamports,
  });
  for (const leg of swarm.legs) {
    await appendEvent(trx, 'BID_RECEIVED', subject, {
      packageId,
      swarmId,
      legId: leg.id,
      legIndex: leg.leg_index,
      agentPubkey: leg.agent_pubkey,
      costLamports: leg.cost_lamports,
      agreedPaymentLamports: leg.agreed_payment_lamports,
    });
  }
}

/**
 * Projects that the ledger shows the swarm formed, with all its legs assigned: active, its package in transit. False when
 * the mirror has it already. Rule M-9.
 */
export async function recordFormed(
  trx: Trx,
  { id, package_id: packageId }: Pick<SwarmRow, 'id' | 'package_id'>,
  formSignature: string,
): Promise<boolean> {
  await lockPackage(trx, packageId);
  const swarm = await lockSwarm(trx, id);
  if (!swarm || !(await markFormed(trx, swarm, formSignature))) return false;
  await announce(trx, swarm, formSignature);
  return true;
}
