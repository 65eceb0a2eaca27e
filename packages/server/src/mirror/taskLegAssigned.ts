import type { RelayInstruction } from '@legwork/program-client';
import type { Trx } from '../db/connect.js';
import { markAssigned } from '../db/digitalClaims.js';
import type { LegWithoutResult } from '../db/digitalLegs.js';
import { taskSubject } from '../db/outbox.js';
import { lockTask, markTaskInProgress } from '../db/digitalTasks.js';
import { appendEvent } from '../db/events.js';

/** Whether the instruction assigns this very leg to the agent that has it. */
export function assigns(instruction: RelayInstruction, leg: LegWithoutResult): boolean {
  return (
    instruction.name === 'assignTaskLeg' &&
    instruction.accounts.taskLeg.address === leg.on_chain_leg &&
    instruction.accounts.agent.address === leg.agent_pubkey
  );
}

/**
 * Projects that the ledger shows the claim assigned: its agent's clock starts, its task is under way. False when the mirror
 * has it already. Rules M-9, M-56.
 */
export async function recordTaskLegAssigned(trx: Trx, claimed: LegWithoutResult, signature: string): Promise<boolean> {
  const task = await lockTask(trx, claimed.task_id);
  if (!task) return false;
  const leg = await markAssigned(trx, claimed, { signature, claimTimeoutSec: task.claim_timeout_sec });
  if (!leg) return false;
  await markTaskInProgress(trx, task.id);
  const { agent_pubkey: agentPubkey, due_at: dueAt } = leg;
  if (agentPubkey === null || dueAt === null) throw new Error(`leg ${leg.id} is assigned to nobody`);
  await appendEvent(trx, 'TASK_LEG_ASSIGNED', taskSubject(task.id), {
    taskId: task.id,
    legId: leg.id,
    legIndex: leg.leg_index,
    agentPubkey,
    dueAt,
    signature,
  });
  return true;
}
