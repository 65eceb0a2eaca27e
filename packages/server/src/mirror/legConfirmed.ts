import type { RelayInstruction } from '@legwork/program-client';
import type { Trx } from '../db/connect.js';
import { addIntent } from '../db/outbox.js';
import { lockPackage } from '../db/packages.js';
import type { LegRow, PackageRow } from '../db/schema.js';
import { markLegCompleted } from '../db/legs.js';
import type { SwarmWithLegs } from '../db/swarms.js';
import { appendEvent } from '../db/events.js';

/** A leg with what it belongs to. */
export interface LegInSwarm {
  leg: LegRow;
  swarm: SwarmWithLegs;
  item: PackageRow;
}

/**
 * Whether the instruction confirms this very leg: of this formation of the package, not of another one, which has the same
 * addresses. Rule P-38.
 */
export function confirms(instruction: RelayInstruction, { leg, swarm, item }: LegInSwarm): boolean {
  return (
    instruction.name === 'confirmLeg' &&
    instruction.accounts.package.address === item.on_chain_package &&
    instruction.accounts.swarm.address === swarm.on_chain_swarm &&
    instruction.accounts.leg.address === leg.on_chain_leg &&
    instruction.accounts.courier.address === leg.agent_pubkey &&
    instruction.data.formation === swarm.formation
  );
}

/**
 * Projects that the ledger shows the leg confirmed; after the last one decides the settlement. False when the mirror has it
 * already. Rule M-9.
 */
export async function recordLegConfirmed(
  trx: Trx,
  { leg, swarm, item }: LegInSwarm,
  signature: string,
): Promise<boolean> {
  await lockPackage(trx, item.id);
  if (!(await markLegCompleted(trx, leg.id, signature))) return false;
  const subject = `package:${item.id}`;
  await appendEvent(trx, 'LEG_CONFIRMED', subject, {
    packageId: item.id,
    swarmId: swarm.id,
    legId: leg.id,
    legIndex: leg.leg_index,
    agentPubkey: leg.agent_pubkey,
    paymentLamports: leg.agreed_payment_lamports,
    signature,
  });
  if (leg.leg_index === swarm.total_legs - 1) {
    await addIntent(trx, { kind: 'settle', subject, key: `settle:${swarm.id}`, swarmId: swarm.id });
  }
  return true;
}
