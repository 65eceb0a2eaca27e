import type { RelayInstruction } from '@legwork/program-client';
import type { Trx } from '../db/connect.js';
import { tryAgainNow } from '../db/outbox.js';
import { evaluateBidsOf, evaluateNow } from '../packages/evaluationRows.js';
import type { Projection } from './projection.js';

/** Projects an instruction that is about no listing into the mirror: about an agent, or the program itself. */
export async function projectProgramInstruction(trx: Trx, instruction: RelayInstruction): Promise<Projection> {
  if (instruction.name === 'openReputation') {
    // The agent's first leg costs the coordinator less now: bids of its that were passed over may win.
    await evaluateBidsOf(trx, instruction.accounts.agent.address);
    return 'projected';
  }
  const endsPause = instruction.name === 'setPaused' && !instruction.data.paused;
  return endsPause && (await recordPauseEnded(trx)) ? 'projected' : 'known';
}

/** Tries again at once what the paused program refused. Returns false when nothing waits. Rules M-42, M-59, M-61. */
async function recordPauseEnded(trx: Trx): Promise<boolean> {
  const hasPackages = await evaluateNow(trx);
  const hasIntents = await tryAgainNow(trx, ['assign_task_leg', 'confirm_task_leg']);
  return hasPackages || hasIntents;
}
