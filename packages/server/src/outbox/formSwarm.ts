import type { AppContext } from '../context.js';
import { excludeBids } from '../bids/bidRows.js';
import { chosenBids } from '../db/decisions.js';
import { finishIntent, swarmIdOf } from '../db/outbox.js';
import { lockPackage } from '../packages/packageRows.js';
import { markFormationFailed, type SwarmWithLegs } from '../packages/swarmRows.js';
import { inOrder, inTransaction } from '../db/transaction.js';
import { readSwarmAccount } from '../ledger/accounts.js';
import { BUDGET_INSTRUCTIONS } from '../ledger/compile.js';
import { FIRST_ASSIGN_LEG, formSwarmInstructions } from '../ledger/packageInstructions.js';
import type { TransactionFailure } from '../ledger/submitTransaction.js';
import { type IntentHandler, nothingLeft, packageOf, swarmOf } from './intentHandler.js';
import { verifyDecision } from './verifyDecision.js';

/** Refusals after which another chain of bids would be refused just the same. */
const HOPELESS: ReadonlySet<string | undefined> = new Set(['InvalidStatus', 'DeadlinePassed']);

/** Commits a swarm on the ledger. When that is refused, the swarm has failed and the package may find another chain. Rules M-42, M-44. */
export const formSwarmIntent: IntentHandler = {
  policy: { tries: 10, surprises: 50 },

  async instructions(context, intent) {
    // Over one connection they go together.
    const [swarm, parcel, bids] = await inOrder(context.db, (db) =>
      Promise.all([swarmOf({ db }, intent), packageOf({ db }, intent), chosenBids(db, swarmIdOf(intent))]),
    );
    // Formed already, or its package was cancelled before.
    if (swarm.status !== 'forming') return undefined;
    await verifyDecision(context, intent, { parcel, swarm, bids });
    return { about: parcel, instructions: await formSwarmInstructions(context.ledger, parcel, swarm) };
  },

  async refused(context, intent, failure) {
    const swarm = await swarmOf(context, intent);
    if (swarm.status !== 'forming') return nothingLeft(context, intent);
    await requireUnformed(context, swarm);
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

/** @throws Error when the ledger holds this very swarm: its formation landed, and this node does not list it yet */
async function requireUnformed({ ledger }: AppContext, swarm: SwarmWithLegs): Promise<void> {
  const account = await readSwarmAccount(ledger, swarm.on_chain_swarm);
  const isOurs =
    account?.formation === swarm.formation &&
    account.totalLegs === swarm.total_legs &&
    account.totalLamports === swarm.total_lamports &&
    account.lastCourier === swarm.legs.at(-1)?.agent_pubkey;
  if (isOurs) throw new Error(`the ledger holds swarm ${swarm.id} and does not show how it was formed`);
}

/** Returns the courier whose assign_leg the program refused; undefined when it refused something else. */
function offendingCourier(swarm: SwarmWithLegs, failure: TransactionFailure): string | undefined {
  if (failure.relayError === undefined || failure.instructionIndex === undefined) return undefined;
  return swarm.legs[failure.instructionIndex - BUDGET_INSTRUCTIONS - FIRST_ASSIGN_LEG]?.agent_pubkey;
}
