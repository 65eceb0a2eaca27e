import type { AppContext } from '../../context.js';
import { excludeBids } from '../../db/bids.js';
import type { Trx } from '../../db/connect.js';
import { finishIntent, type LeasedIntent } from '../../db/outbox.js';
import { findPackage, lockPackage } from '../../db/packages.js';
import { mirrorReputations } from '../../db/reputations.js';
import { findSwarm, lockSwarm, markFormationFailed, markFormed, type SwarmWithLegs } from '../../db/swarms.js';
import { inTransaction } from '../../db/transaction.js';
import { appendEvent } from '../../events/appendEvent.js';
import { readSwarmAccount } from '../accounts.js';
import { FIRST_ASSIGN_LEG, formSwarmInstructions } from '../coordinatorInstructions.js';
import { findTransactionOf } from '../findTransaction.js';
import { readReputations } from '../reputationReadings.js';
import type { TransactionFailure } from '../transactionFailure.js';
import type { IntentHandler } from './intentHandler.js';
import { COMPUTE_BUDGET_INSTRUCTIONS } from './signIntent.js';

async function swarmOf(context: AppContext, intent: LeasedIntent): Promise<SwarmWithLegs> {
  const swarm = await findSwarm(context.db, intent.payload.swarmId);
  if (!swarm) throw new Error(`intent ${intent.id} names a swarm that does not exist`);
  return swarm;
}

/** The courier whose assign_leg was refused; undefined when something else was. */
function offendingCourier(swarm: SwarmWithLegs, failure: TransactionFailure): string | undefined {
  if (failure.instructionIndex === undefined) return undefined;
  return swarm.legs[failure.instructionIndex - COMPUTE_BUDGET_INSTRUCTIONS - FIRST_ASSIGN_LEG]?.agent_pubkey;
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

/**
 * The transaction that formed this very swarm, when the ledger shows it formed: bytes that looked expired may have landed
 * all the same, on a node that lagged or had lost its history.
 */
async function findFormation({ chain }: AppContext, swarm: SwarmWithLegs): Promise<string | undefined> {
  const account = await readSwarmAccount(chain, swarm.on_chain_swarm);
  const isOurs =
    account?.formation === swarm.formation &&
    account.totalLegs === swarm.total_legs &&
    account.totalLamports === swarm.total_lamports &&
    account.lastCourier === swarm.legs.at(-1)?.agent_pubkey;
  if (!isOurs) return undefined;
  return findTransactionOf(
    chain,
    swarm.on_chain_swarm,
    (instruction) => instruction.name === 'formSwarm' && instruction.accounts.swarm.address === swarm.on_chain_swarm,
  );
}

async function recordFormed(context: AppContext, intent: LeasedIntent, formSignature: string): Promise<void> {
  const swarm = await swarmOf(context, intent);
  const readings = await readReputations(
    context.chain,
    swarm.legs.map((leg) => leg.agent_pubkey),
  );
  await inTransaction(context.db, async (trx) => {
    await lockPackage(trx, swarm.package_id);
    const locked = await lockSwarm(trx, swarm.id);
    if (locked && (await markFormed(trx, locked, formSignature))) {
      await mirrorReputations(trx, readings);
      await announce(trx, locked, formSignature);
    }
    await finishIntent(trx, intent);
  });
}

/** Refusals after which another chain of bids would be refused just the same. */
const HOPELESS: ReadonlySet<string | undefined> = new Set(['InvalidStatus', 'DeadlinePassed']);

/** Commits a swarm on the ledger: active and in transit when it lands, failed and listed again when it is refused. */
export const formSwarmIntent: IntentHandler = {
  async instructions(context, intent) {
    const swarm = await swarmOf(context, intent);
    const item = await findPackage(context.db, swarm.package_id);
    if (!item) throw new Error(`swarm ${swarm.id} names a package that does not exist`);
    return formSwarmInstructions(context.chain, item, swarm);
  },

  landed: recordFormed,

  async refused(context, intent, failure) {
    const swarm = await swarmOf(context, intent);
    const formation = await findFormation(context, swarm);
    if (formation !== undefined) return recordFormed(context, intent, formation);
    const courier = offendingCourier(swarm, failure);
    await inTransaction(context.db, async (trx) => {
      await lockPackage(trx, swarm.package_id);
      if (courier !== undefined) await excludeBids(trx, swarm.package_id, courier);
      await markFormationFailed(trx, swarm, { reason: failure.reason, retry: !HOPELESS.has(failure.relayError) });
      await finishIntent(trx, intent);
    });
    const { package_id: packageId, id: swarmId } = swarm;
    context.log.warn({ packageId, swarmId, reason: failure.reason, courier }, 'formation failed');
  },
};
