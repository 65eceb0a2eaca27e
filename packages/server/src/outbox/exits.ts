import { type Package, PackageStatus, type Task, TaskStatus } from '@legwork/program-client';
import type { Instruction } from '@solana/kit';
import type { AppContext } from '../context.js';
import { legsOf } from '../db/digitalLegs.js';
import type { LeasedIntent } from '../db/outbox.js';
import type { DigitalTaskRow, PackageRow } from '../db/schema.js';
import { readAssignedLegs, readFormedSwarm, readPackageAccount, readTaskAccount } from '../ledger/accounts.js';
import {
  cancelPackageInstruction,
  closePackageInstruction,
  reclaimPackageInstruction,
} from '../ledger/packageInstructions.js';
import { cancelTaskInstruction, closeTaskInstruction, reclaimTaskInstruction } from '../ledger/taskInstructions.js';
import { UNTIL_DONE, type IntentHandler, packageOf, taskOf, tryAgain } from './intentHandler.js';

/** A way out of escrow for money that the coordinator advanced. Rule M-49. */
interface Exit<T> {
  /** The listing that it funded. */
  subject: (context: AppContext, intent: LeasedIntent) => Promise<T>;
  /** Returns undefined when it is certain that this way was taken or will never be open. */
  instruction: (context: AppContext, subject: T) => Promise<Instruction | undefined>;
}

/** Asks the ledger until the way is open, or somebody else has taken it. */
function exitIntent<T>({ subject, instruction }: Exit<T>): IntentHandler {
  return {
    policy: UNTIL_DONE,

    async instructions(context, intent) {
      const next = await instruction(context, await subject(context, intent));
      return next && [next];
    },

    refused: tryAgain,
  };
}

/**
 * Reads a package that is not closed; undefined once the mirror has its end.
 *
 * @throws Error when the ledger shows no such package: the worker tries again, for the node may only lag
 */
async function readOpenPackage(context: AppContext, parcel: PackageRow): Promise<Package | undefined> {
  const account = await readPackageAccount(context.ledger, parcel.on_chain_package);
  if (account !== undefined || parcel.status === 'delivered' || parcel.status === 'failed') return account;
  throw new Error(`the ledger shows no account of package ${parcel.id}`);
}

export const cancelPackageIntent = exitIntent({
  subject: packageOf,
  async instruction(context, parcel) {
    const account = await readOpenPackage(context, parcel);
    if (account?.status !== PackageStatus.Listed) return undefined;
    return cancelPackageInstruction(context.ledger, parcel, context.ledger.coordinator);
  },
});

export const reclaimPackageIntent = exitIntent({
  subject: packageOf,
  async instruction(context, parcel) {
    const account = await readOpenPackage(context, parcel);
    if (account?.status !== PackageStatus.InTransit) return undefined;
    const swarm = await readFormedSwarm(context.ledger, parcel.on_chain_package);
    if (!swarm) throw new Error(`the ledger shows no swarm of package ${parcel.id}`);
    // Completed: it is settled instead.
    if (swarm.completedLegs === swarm.totalLegs) return undefined;
    return reclaimPackageInstruction(context.ledger, parcel, swarm, context.ledger.coordinator);
  },
});

export const closePackageIntent = exitIntent({
  subject: packageOf,
  async instruction({ ledger }, parcel) {
    if (parcel.close_signature !== null) return undefined;
    return closePackageInstruction(ledger, parcel, ledger.coordinator);
  },
});

/**
 * Reads a task that is not closed; undefined once the mirror has its end.
 *
 * @throws Error when the ledger shows no such task: the worker tries again, for the node may only lag
 */
async function readOpenTask(context: AppContext, task: DigitalTaskRow): Promise<Task | undefined> {
  const account = await readTaskAccount(context.ledger, task.on_chain_task);
  if (account !== undefined || task.status === 'completed' || task.status === 'failed') return account;
  throw new Error(`the ledger shows no account of task ${task.id}`);
}

export const cancelTaskIntent = exitIntent({
  subject: taskOf,
  async instruction(context, task) {
    const account = await readOpenTask(context, task);
    if (account?.status !== TaskStatus.Listed) return undefined;
    return cancelTaskInstruction(context.ledger, task, context.ledger.coordinator);
  },
});

export const reclaimTaskIntent = exitIntent({
  subject: taskOf,
  async instruction(context, task) {
    const account = await readOpenTask(context, task);
    // Completed: it is settled instead.
    if (account?.status !== TaskStatus.InProgress || account.completedLegs === account.numLegs) return undefined;
    const { ledger, db } = context;
    const legs = await legsOf(db, task.id);
    const assigned = await readAssignedLegs(
      ledger,
      legs.map((leg) => leg.on_chain_leg),
    );
    return reclaimTaskInstruction(ledger, task, assigned, ledger.coordinator);
  },
});

export const closeTaskIntent = exitIntent({
  subject: taskOf,
  async instruction({ ledger }, task) {
    if (task.close_signature !== null) return undefined;
    return closeTaskInstruction(ledger, task, ledger.coordinator);
  },
});
