import type { AppContext } from '../context.js';
import { legsOf } from '../tasks/taskLegRows.js';
import type { LeasedIntent } from '../db/outbox.js';
import type { PackageRow } from '../db/schema.js';
import type { SwarmWithLegs } from '../packages/swarmRows.js';
import { readAssignedLegs, readSwarmAccount } from '../ledger/accounts.js';
import { settleInstruction } from '../ledger/packageInstructions.js';
import { settleTaskInstruction } from '../ledger/taskInstructions.js';
import { endingIntent } from './ending.js';
import { packageOf, swarmOf, taskOf } from './intentHandler.js';

async function toSettle(
  context: AppContext,
  intent: LeasedIntent,
): Promise<{ swarm: SwarmWithLegs; parcel: PackageRow }> {
  const [swarm, parcel] = await Promise.all([swarmOf(context, intent), packageOf(context, intent)]);
  return { swarm, parcel };
}

/** Settles a swarm whose legs are all completed: the rest of the vault returns to the funder. */
export const settleIntent = endingIntent({
  subject: toSettle,
  account: ({ parcel }) => parcel.on_chain_package,
  isOver: ({ swarm }) => swarm.status !== 'active',
  async instruction({ ledger }, { swarm, parcel }) {
    // A settlement closes the swarm.
    const account = await readSwarmAccount(ledger, swarm.on_chain_swarm);
    return account && settleInstruction(ledger, parcel, swarm, account.rentPayer);
  },
});

/** Settles a task whose legs are all completed: the rest of the budget returns to the funder. Rule M-59. */
export const settleTaskIntent = endingIntent({
  subject: taskOf,
  account: (task) => task.on_chain_task,
  isOver: ({ status }) => status !== 'in_progress',
  async instruction({ ledger, db }, task) {
    const legs = await legsOf(db, task.id);
    const assigned = await readAssignedLegs(
      ledger,
      legs.map((leg) => leg.on_chain_leg),
    );
    // A settlement closes every leg.
    return assigned.length === legs.length
      ? settleTaskInstruction(ledger, task, assigned, ledger.coordinator)
      : undefined;
  },
});
