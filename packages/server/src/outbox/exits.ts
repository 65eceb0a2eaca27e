import { accountOf, type ListingRow } from '../db/listings.js';
import type { Returning } from '@legwork/program-client';
import type { AppContext } from '../context.js';
import type { LeasedIntent } from '../db/outbox.js';
import { catchUp } from '../mirror/applyLanded.js';
import { type IntentHandler, tryAgain, UNTIL_DONE, packageOf, taskOf, swarmOf } from './intentHandler.js';
import { PackageStatus, TaskStatus } from '@legwork/program-client';
import { legsOf } from '../tasks/taskLegRows.js';
import type { DigitalTaskRow, PackageRow } from '../db/schema.js';
import { formedSwarm, type SwarmWithLegs } from '../packages/swarmRows.js';
import {
  readAssignedLegs,
  readFormedSwarm,
  readPackageAccount,
  readTaskAccount,
  readSwarmAccount,
} from '../ledger/accounts.js';
import {
  cancelPackageInstruction,
  closePackageInstruction,
  reclaimPackageInstruction,
  settleInstruction,
} from '../ledger/packageInstructions.js';
import {
  cancelTaskInstruction,
  closeTaskInstruction,
  reclaimTaskInstruction,
  settleTaskInstruction,
} from '../ledger/taskInstructions.js';

/** An end of a listing on the ledger, or of a part of its life: a settlement, or a way out of escrow. */
interface Ending<T> {
  subject: (context: AppContext, intent: LeasedIntent) => Promise<T>;
  /** The listing. */
  listing: (subject: T) => ListingRow;
  /** True if the mirror shows that it was done, no matter by whom, or that it never will be. */
  isOver: (subject: T) => boolean;
  /** Returns undefined when the ledger does not show what it takes. */
  instruction: (context: AppContext, subject: T) => Promise<Returning | undefined>;
}

/**
 * Asks the ledger until it is done. Only the mirror says that there is nothing left to do: a node may lag, or show accounts as
 * they were before something that the ledger forgot and will show again. Rule S-113.
 */
export function endingIntent<T>({ subject, listing: listingIn, isOver, instruction }: Ending<T>): IntentHandler {
  return {
    policy: UNTIL_DONE,

    async instructions(context, intent) {
      const ending = await subject(context, intent);
      if (isOver(ending)) return undefined;
      const about = listingIn(ending);
      const next = await instruction(context, ending);
      if (next !== undefined) return { about, instructions: [next] };
      await catchUp(context, accountOf(about));
      if (isOver(await subject(context, intent))) return undefined;
      throw new Error(`the ledger shows neither what intent ${intent.id} (${intent.kind}) ends nor its end`);
    },

    refused: tryAgain,
  };
}

// Ways out of escrow for money that the coordinator advanced. Rule M-49.

const ofPackage = { subject: packageOf, listing: (parcel: PackageRow) => parcel };
const ofTask = { subject: taskOf, listing: (task: DigitalTaskRow) => task };

export const cancelPackageIntent = endingIntent({
  ...ofPackage,
  // A forming swarm may still fail, and then the package is listed again.
  isOver: ({ status }) => status !== 'listed' && status !== 'swarm_forming',
  async instruction({ ledger }, parcel) {
    const account = await readPackageAccount(ledger, parcel.on_chain_package);
    if (account?.status !== PackageStatus.Listed) return undefined;
    return cancelPackageInstruction(ledger, parcel, ledger.coordinator);
  },
});

/** Then it is settled instead. */
const isCompleted = (legs: readonly { status: string }[]) =>
  legs.length > 0 && legs.every(({ status }) => status === 'completed');

async function packageUnderWay(context: AppContext, intent: LeasedIntent) {
  const parcel = await packageOf(context, intent);
  const swarm = await formedSwarm(context.db, parcel.id);
  return { parcel, legs: swarm?.legs ?? [] };
}

export const reclaimPackageIntent = endingIntent({
  subject: packageUnderWay,
  listing: ({ parcel }) => parcel,
  isOver: ({ parcel, legs }) => parcel.status !== 'in_transit' || isCompleted(legs),
  async instruction({ ledger }, { parcel }) {
    const account = await readPackageAccount(ledger, parcel.on_chain_package);
    if (account?.status !== PackageStatus.InTransit) return undefined;
    const swarm = await readFormedSwarm(ledger, parcel.on_chain_package);
    if (!swarm || swarm.completedLegs === swarm.totalLegs) return undefined;
    return reclaimPackageInstruction(ledger, parcel, swarm, ledger.coordinator);
  },
});

export const closePackageIntent = endingIntent({
  ...ofPackage,
  isOver: (parcel) => parcel.close_signature !== null,
  instruction: async ({ ledger }, parcel) => closePackageInstruction(ledger, parcel, ledger.coordinator),
});

export const cancelTaskIntent = endingIntent({
  ...ofTask,
  isOver: ({ status }) => status !== 'listed',
  async instruction({ ledger }, task) {
    const account = await readTaskAccount(ledger, task.on_chain_task);
    if (account?.status !== TaskStatus.Listed) return undefined;
    return cancelTaskInstruction(ledger, task, ledger.coordinator);
  },
});

async function taskUnderWay(context: AppContext, intent: LeasedIntent) {
  const task = await taskOf(context, intent);
  return { task, legs: await legsOf(context.db, task.id) };
}

export const reclaimTaskIntent = endingIntent({
  subject: taskUnderWay,
  listing: ({ task }) => task,
  isOver: ({ task, legs }) => task.status !== 'in_progress' || isCompleted(legs),
  async instruction({ ledger }, { task, legs }) {
    const account = await readTaskAccount(ledger, task.on_chain_task);
    if (account?.status !== TaskStatus.InProgress || account.completedLegs === account.numLegs) return undefined;
    const assigned = await readAssignedLegs(
      ledger,
      legs.map((leg) => leg.on_chain_leg),
    );
    return reclaimTaskInstruction(ledger, task, assigned, ledger.coordinator);
  },
});

export const closeTaskIntent = endingIntent({
  ...ofTask,
  isOver: (task) => task.close_signature !== null,
  instruction: async ({ ledger }, task) => closeTaskInstruction(ledger, task, ledger.coordinator),
});

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
  listing: ({ parcel }) => parcel,
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
  listing: (task) => task,
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
