import type { Instruction } from '@solana/kit';
import type { AppContext } from '../context.js';
import { legsOf } from '../db/digitalLegs.js';
import { type LeasedIntent, idOf } from '../db/outbox.js';
import { findPackage } from '../db/packages.js';
import type { DigitalTaskRow, PackageRow } from '../db/schema.js';
import { findSwarm, type SwarmWithLegs } from '../db/swarms.js';
import { readAssignedLegs, readSwarmAccount } from '../ledger/accounts.js';
import { settleInstruction } from '../ledger/packageInstructions.js';
import { settleTaskInstruction } from '../ledger/taskInstructions.js';
import { catchUp } from '../mirror/applyLanded.js';
import { UNTIL_DONE, type IntentHandler, taskOf, tryAgain } from './intentHandler.js';

/** A settlement: what the escrow still holds returns to the funder. */
interface Settlement<T> {
  subject: (context: AppContext, intent: LeasedIntent) => Promise<T>;
  /** The account of the listing on the ledger. */
  account: (subject: T) => string;
  /** Whether the ledger has shown its end, no matter who sent it: the funder may settle too. */
  isOver: (subject: T) => boolean;
  /** Returns undefined when the ledger does not show it as one that can be settled: then it is settled already. */
  instruction: (context: AppContext, subject: T) => Promise<Instruction | undefined>;
}

/** Settles what is completed. */
function settlementIntent<T>({ subject, account, isOver, instruction }: Settlement<T>): IntentHandler {
  return {
    policy: UNTIL_DONE,

    async instructions(context, intent) {
      const completed = await subject(context, intent);
      if (isOver(completed)) return undefined;
      const settle = await instruction(context, completed);
      if (settle !== undefined) return [settle];
      await catchUp(context, account(completed));
      if (isOver(await subject(context, intent))) return undefined;
      throw new Error(`the ledger shows neither what intent ${intent.id} settles nor its settlement`);
    },

    refused: tryAgain,
  };
}

async function swarmOf(
  context: AppContext,
  intent: LeasedIntent,
): Promise<{ swarm: SwarmWithLegs; parcel: PackageRow }> {
  const swarm = await findSwarm(context.db, idOf(intent, 'swarmId'));
  const parcel = swarm && (await findPackage(context.db, swarm.package_id));
  if (!parcel) throw new Error(`intent ${intent.id} names a swarm or a package that does not exist`);
  return { swarm, parcel };
}

/** Settles a swarm whose legs are all completed: the rest of the vault returns to the funder. */
export const settleIntent = settlementIntent({
  subject: swarmOf,
  account: ({ parcel }) => parcel.on_chain_package,
  isOver: ({ swarm }) => swarm.status !== 'active',
  async instruction({ ledger }, { swarm, parcel }) {
    const account = await readSwarmAccount(ledger, swarm.on_chain_swarm);
    return account && settleInstruction(ledger, parcel, swarm, account.rentPayer);
  },
});

/** Settles a task whose legs are all completed: the rest of the budget returns to the funder. Rule M-59. */
export const settleTaskIntent = settlementIntent<DigitalTaskRow>({
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
