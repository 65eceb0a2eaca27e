import { PackageStatus, TaskStatus } from '@legwork/program-client';
import type { AppContext } from '../context.js';
import { legsOf } from '../tasks/taskLegRows.js';
import type { LeasedIntent } from '../db/outbox.js';
import type { DigitalTaskRow, PackageRow } from '../db/schema.js';
import { formedSwarm } from '../packages/swarmRows.js';
import { readAssignedLegs, readFormedSwarm, readPackageAccount, readTaskAccount } from '../ledger/accounts.js';
import {
  cancelPackageInstruction,
  closePackageInstruction,
  reclaimPackageInstruction,
} from '../ledger/packageInstructions.js';
import { cancelTaskInstruction, closeTaskInstruction, reclaimTaskInstruction } from '../ledger/taskInstructions.js';
import { endingIntent } from './ending.js';
import { packageOf, taskOf } from './intentHandler.js';

// Ways out of escrow for money that the coordinator advanced. Rule M-49.

const ofPackage = { subject: packageOf, account: (parcel: PackageRow) => parcel.on_chain_package };
const ofTask = { subject: taskOf, account: (task: DigitalTaskRow) => task.on_chain_task };

export const cancelPackageIntent = endingIntent({
  ...ofPackage,
  // What forms may still fail, and is listed again.
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
  account: ({ parcel }) => parcel.on_chain_package,
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
  account: ({ task }) => task.on_chain_task,
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
