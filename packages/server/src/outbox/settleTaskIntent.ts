import { legsOf } from '../db/digitalLegs.js';
import { readAssignedLegs } from '../ledger/accounts.js';
import { findTransactionOf } from '@legwork/program-client/history';
import { recordTaskSettled } from '../mirror/taskSettled.js';
import { settleTaskInstruction } from '../ledger/taskInstructions.js';
import { settlementIntent } from './settlementIntent.js';
import { taskOf } from './taskOf.js';
import { tryAgain } from './tryAgain.js';

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
