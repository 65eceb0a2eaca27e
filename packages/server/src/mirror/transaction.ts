import type { RelayInstruction } from '@legwork/program-client';
import type { Logger } from 'pino';
import type { AppContext } from '../context.js';
import type { Trx } from '../db/connect.js';
import { lockTask, taskAt } from '../db/digitalTasks.js';
import { lockPackage, packageAt } from '../db/packages.js';
import { mirrorReputations } from '../db/reputations.js';
import { inTransaction } from '../db/transaction.js';
import { claimInstructions, type HistoryPosition } from '../db/appliedInstructions.js';
import { readReputations } from '../ledger/reputation.js';
import { type PackageInstruction, projectPackageInstruction } from './package.js';
import { projectProgramInstruction } from './program.js';
import type { Landed, Projection } from './projection.js';
import { projectTaskInstruction, type TaskInstruction } from './task.js';

/**
 * Projects a ledger transaction into the mirror, in one database transaction and once among all replicas. Rule S-51.
 *
 * @param instructions all of the program's in it, in the order they ran
 */
export async function projectTransaction(
  { ledger, db, log, metrics, wakers }: AppContext,
  position: HistoryPosition,
  instructions: readonly RelayInstruction[],
): Promise<void> {
  const agents = agentsOf(instructions);
  const readings = agents.length === 0 ? [] : await readReputations(ledger, agents);
  const landed = { signature: position.signature, instructions };
  const outcomes = await inTransaction(db, async (trx) => {
    const projected: [name: RelayInstruction['name'], outcome: Projection][] = [];
    const claimed = await claimInstructions(
      trx,
      position,
      instructions.map(({ name }) => name),
    );
    for (const [index, instruction] of instructions.entries()) {
      if (!claimed.has(index)) continue;
      projected.push([instruction.name, await projectInstruction(trx, log, instruction, landed)]);
    }
    await mirrorReputations(trx, readings);
    return projected;
  });
  for (const [name, outcome] of outcomes) metrics.mirroredInstructions.inc({ name, outcome });
  if (!outcomes.some(([, outcome]) => outcome === 'projected')) return;
  wakers.sequencer.wake();
  // A confirmation makes a reservation due, the last one decides a settlement.
  wakers.taskClaims.wake();
  wakers.outbox.wake();
  // A reputation that was opened and a pause that ended make packages due.
  wakers.evaluator.wake();
}

/** Projects one instruction into the mirror, under the lock of its listing. */
async function projectInstruction(
  trx: Trx,
  log: Logger,
  instruction: RelayInstruction,
  landed: Landed,
): Promise<Projection> {
  if (isAboutPackage(instruction)) {
    const found = await packageAt(trx, instruction.accounts.package.address);
    const parcel = found && (await lockPackage(trx, found.id));
    return parcel ? projectPackageInstruction(trx, log, parcel, instruction, landed) : 'foreign';
  }
  if (isAboutTask(instruction)) {
    const found = await taskAt(trx, instruction.accounts.task.address);
    const task = found && (await lockTask(trx, found.id));
    return task ? projectTaskInstruction(trx, log, task, instruction, landed) : 'foreign';
  }
  return projectProgramInstruction(trx, instruction);
}

const isAboutPackage = (instruction: RelayInstruction): instruction is PackageInstruction =>
  'package' in instruction.accounts;
const isAboutTask = (instruction: RelayInstruction): instruction is TaskInstruction => 'task' in instruction.accounts;

/** The agents whose reputation the instructions may have changed. */
function agentsOf(instructions: readonly RelayInstruction[]): string[] {
  return instructions.flatMap(({ accounts }) => {
    if ('courier' in accounts) return [accounts.courier.address];
    return 'agent' in accounts && accounts.agent ? [accounts.agent.address] : [];
  });
}
