import { type Task, TaskStatus } from '@legwork/program-client';
import type { AppContext } from '../context.js';
import { legsOf } from '../db/digitalLegs.js';
import { markTaskClosed } from '../db/digitalTasks.js';
import type { DigitalTaskRow } from '../db/schema.js';
import { readAssignedLegs, readTaskAccount } from '../ledger/accounts.js';
import { recordTaskEnded } from '../mirror/taskEnded.js';
import { cancelTaskInstruction, closeTaskInstruction, reclaimTaskInstruction } from '../ledger/taskInstructions.js';
import { exitIntent } from './exitIntent.js';
import { taskOf } from './taskOf.js';

/**
 * What the ledger shows of a task that is not closed; undefined once the mirror has its end.
 *
 * @throws Error when the ledger shows no such task: whoever asks comes back, for the node may only lag
 */
async function readOpen(context: AppContext, task: DigitalTaskRow): Promise<Task | undefined> {
  const account = await readTaskAccount(context.ledger, task.on_chain_task);
  if (account !== undefined || task.status === 'completed' || task.status === 'failed') return account;
  throw new Error(`the ledger shows no account of task ${task.id}`);
}

export const cancelTaskIntent = exitIntent({
  subject: taskOf,
  async instruction(context, task) {
    const account = await readOpen(context, task);
    if (account?.status !== TaskStatus.Listed) return undefined;
    return cancelTaskInstruction(context.ledger, task, context.ledger.coordinator);
  },
  record: (trx, { id }, signature) => recordTaskEnded(trx, id, 'cancelled', signature),
});

export const reclaimTaskIntent = exitIntent({
  subject: taskOf,
  async instruction(context, task) {
    const account = await readOpen(context, task);
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
  record: (trx, { id }, signature) => recordTaskEnded(trx, id, 'reclaimed', signature),
});

export const closeTaskIntent = exitIntent({
  subject: taskOf,
  async instruction({ ledger }, task) {
    if (task.close_signature !== null) return undefined;
    return closeTaskInstruction(ledger, task, ledger.coordinator);
  },
  record: (trx, { id }, signature) => markTaskClosed(trx, id, signature),
});
