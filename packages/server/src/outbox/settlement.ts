import { findTransactionOf } from '@legwork/program-client/history';
import type { Instruction } from '@solana/kit';
import type { AppContext } from '../context.js';
import type { Trx } from '../db/connect.js';
import { legsOf } from '../db/digitalLegs.js';
import { failIntent, finishIntent, type LeasedIntent, swarmIdOf } from '../db/outbox.js';
import { findPackage } from '../db/packages.js';
import type { PackageRow } from '../db/schema.js';
import { findSwarm, type SwarmWithLegs } from '../db/swarms.js';
import { inTransaction } from '../db/transaction.js';
import { readAssignedLegs, readSwarmAccount } from '../ledger/accounts.js';
import type { Ledger } from '../ledger/ledger.js';
import { settleInstruction } from '../ledger/packageInstructions.js';
import { settleTaskInstruction } from '../ledger/taskInstructions.js';
import { recordSettled } from '../mirror/package.js';
import { recordTaskSettled } from '../mirror/task.js';
import { UNTIL_DONE, type IntentHandler, taskOf, tryAgain } from './intentHandler.js';

/** A settlement: what the escrow still holds returns to the funder. */
interface Settlement<T> {
  subject: (context: AppContext, intent: LeasedIntent) => Promise<T>;
  /** Returns undefined when the ledger does not show it as one that can be settled: then it is settled already. */
  instruction: (context: AppContext, subject: T) => Promise<Instruction | undefined>;
  /** Returns the settlement that the ledger shows, no matter who sent it: the funder may settle too. */
  find: (ledger: Ledger, subject: T) => Promise<string | undefined>;
  record: (trx: Trx, subject: T, signature: string) => Promise<unknown>;
  /** The ledger said no and shows no settlement. */
  refused: IntentHandler['refused'];
}

/** Settles what is completed, or finds out who did. */
function settlementIntent<T>({ subject, instruction, find, record, refused }: Settlement<T>): IntentHandler {
  async function deliver(context: AppContext, intent: LeasedIntent, settled: T, signature: string): Promise<void> {
    await inTransaction(context.db, async (trx) => {
      await record(trx, settled, signature);
      await finishIntent(trx, intent);
    });
  }

  return {
    policy: UNTIL_DONE,

    async instructions(context, intent) {
      const completed = await subject(context, intent);
      const settle = await instruction(context, completed);
      if (settle !== undefined) return [settle];
      const signature = await find(context.ledger, completed);
      if (signature === undefined) {
        throw new Error(`the ledger shows neither what intent ${intent.id} settles nor its settlement`);
      }
      await deliver(context, intent, completed, signature);
      return undefined;
    },

    async landed(context, intent, signature) {
      await deliver(context, intent, await subject(context, intent), signature);
    },

    async refused(context, intent, failure) {
      const completed = await subject(context, intent);
      const signature = await find(context.ledger, completed);
      if (signature !== undefined) return deliver(context, intent, completed, signature);
      return refused(context, intent, failure);
    },
  };
}

async function swarmOf(
  context: AppContext,
  intent: LeasedIntent,
): Promise<{ swarm: SwarmWithLegs; parcel: PackageRow }> {
  const swarm = await findSwarm(context.db, swarmIdOf(intent));
  const parcel = swarm && (await findPackage(context.db, swarm.package_id));
  if (!parcel) throw new Error(`intent ${intent.id} names a swarm or a package that does not exist`);
  return { swarm, parcel };
}

/** Settles a swarm whose legs are all completed: the rest of the vault returns to the funder. */
export const settleIntent = settlementIntent({
  subject: swarmOf,
  async instruction({ ledger }, { swarm, parcel }) {
    const account = await readSwarmAccount(ledger, swarm.on_chain_swarm);
    return account && settleInstruction(ledger, parcel, swarm, account.rentPayer);
  },
  find: (ledger, { parcel }) =>
    findTransactionOf(
      ledger,
      parcel.on_chain_package,
      (instruction) =>
        instruction.name === 'settle' && instruction.accounts.package.address === parcel.on_chain_package,
    ),
  record: (trx, { parcel, swarm }, signature) => recordSettled(trx, parcel, swarm, signature),
  async refused({ db, log }, intent, { reason }) {
    log.error({ swarmId: swarmIdOf(intent), reason }, 'settlement given up: an operator has to look');
    return failIntent(db, intent, reason);
  },
});

/** Settles a task whose legs are all completed: the rest of the budget returns to the funder. Rule M-59. */
export const settleTaskIntent = settlementIntent({
  subject: taskOf,
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
  find: (ledger, task) =>
    findTransactionOf(
      ledger,
      task.on_chain_task,
      (instruction) => instruction.name === 'settleTask' && instruction.accounts.task.address === task.on_chain_task,
    ),
  record: (trx, { id }, signature) => recordTaskSettled(trx, id, signature),
  refused: tryAgain,
});
