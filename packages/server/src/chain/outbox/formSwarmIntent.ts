import type { AppContext } from '../../context.js';
import { excludeBid } from '../../db/bids.js';
import type { Trx } from '../../db/connect.js';
import { finishIntent, type LeasedIntent } from '../../db/outbox.js';
import { findPackage, lockPackage } from '../../db/packages.js';
import { mirrorReputations } from '../../db/reputations.js';
import { findSwarm, lockSwarm, markFormationFailed, markFormed, type SwarmWithLegs } from '../../db/swarms.js';
import { inTransaction } from '../../db/transaction.js';
import { appendEvent } from '../../events/appendEvent.js';
import { FIRST_ASSIGN_LEG, formSwarmInstructions } from '../coordinatorInstructions.js';
import { readReputations } from '../reputationReadings.js';
import type { TransactionFailure } from '../transactionFailure.js';
import type { IntentHandler } from './intentHandler.js';
import { COMPUTE_BUDGET_INSTRUCTIONS } from './signIntent.js';

async function swarmOf(context: AppContext, intent: LeasedIntent): Promise<SwarmWithLegs> {
  const swarm = await findSwarm(context.db, intent.payload.swarmId);
  if (!swarm) throw new Error(`intent ${intent.id} names a swarm that does not exist`);
  return swarm;
}

/** The bid whose assign_leg the program refused; undefined when it refused for another reason. */
function offendingBid(swarm: SwarmWithLegs, failure: TransactionFailure): string | undefined {
  if (failure.instructionIndex === undefined) return undefined;
  return swarm.legs[failure.instructionIndex - COMPUTE_BUDGET_INSTRUCTIONS - FIRST_ASSIGN_LEG]?.bid_id;
}

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

/** Commits a swarm on the ledger: active and in transit when it lands, failed and listed again when it is refused. */
export const formSwarmIntent: IntentHandler = {
  async instructions(context, intent) {
    const swarm = await swarmOf(context, intent);
    const item = await findPackage(context.db, swarm.package_id);
    if (!item) throw new Error(`swarm ${swarm.id} names a package that does not exist`);
    return formSwarmInstructions(context.chain, item, swarm);
  },

  async landed(context, intent, signature) {
    const swarm = await swarmOf(context, intent);
    const readings = await readReputations(
      context.chain,
      swarm.legs.map((leg) => leg.agent_pubkey),
    );
    await inTransaction(context.db, async (trx) => {
      await lockPackage(trx, swarm.package_id);
      const locked = await lockSwarm(trx, swarm.id);
      if (locked && (await markFormed(trx, locked, signature))) {
        await mirrorReputations(trx, readings);
        await announce(trx, locked, signature);
      }
      await finishIntent(trx, intent);
    });
  },

  async refused(context, intent, failure) {
    const swarm = await swarmOf(context, intent);
    const bid = offendingBid(swarm, failure);
    await inTransaction(context.db, async (trx) => {
      await lockPackage(trx, swarm.package_id);
      if (await markFormationFailed(trx, swarm, failure.reason)) {
        if (bid !== undefined) await excludeBid(trx, bid);
      }
      await finishIntent(trx, intent);
    });
    context.log.warn(
      { packageId: swarm.package_id, swarmId: swarm.id, reason: failure.reason, bid },
      'formation failed',
    );
  },
};
