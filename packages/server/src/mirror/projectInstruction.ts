import type { RelayInstruction } from '@legwork/program-client';
import type { Logger } from 'pino';
import type { Trx } from '../db/connect.js';
import { lockTask, taskAt } from '../db/digitalTasks.js';
import { evaluateBidsOf, lockPackage, packageAt } from '../db/packages.js';
import { recordPauseEnded } from './pauseEnded.js';
import { type PackageInstruction, projectPackageInstruction } from './projectPackageInstruction.js';
import { changed, type Landed, type Projection } from './projection.js';
import { projectTaskInstruction, type TaskInstruction } from './projectTaskInstruction.js';

const isAboutPackage = (instruction: RelayInstruction): instruction is PackageInstruction =>
  'package' in instruction.accounts;
const isAboutTask = (instruction: RelayInstruction): instruction is TaskInstruction => 'task' in instruction.accounts;

/** Projects one instruction of the program into the mirror, in the caller's database transaction. */
export async function projectInstruction(
  trx: Trx,
  log: Logger,
  instruction: RelayInstruction,
  landed: Landed,
): Promise<Projection> {
  if (isAboutPackage(instruction)) {
    const found = await packageAt(trx, instruction.accounts.package.address);
    const item = found && (await lockPackage(trx, found.id));
    return item ? projectPackageInstruction(trx, log, item, instruction, landed) : 'foreign';
  }
  if (isAboutTask(instruction)) {
    const found = await taskAt(trx, instruction.accounts.task.address);
    const task = found && (await lockTask(trx, found.id));
    return task ? projectTaskInstruction(trx, log, task, instruction, landed) : 'foreign';
  }
  if (instruction.name === 'openReputation') {
    // The agent's first leg costs the coordinator less now: bids of its that were passed over may win.
    await evaluateBidsOf(trx, instruction.accounts.agent.address);
    return 'projected';
  }
  // The rest is about the program itself.
  const letsGoOn = instruction.name === 'setPaused' && !instruction.data.paused;
  return changed(letsGoOn && (await recordPauseEnded(trx)));
}
