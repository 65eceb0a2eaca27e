import type { RelayInstruction } from '@legwork/program-client';
import { legShare } from '@legwork/protocol/rules';
import type { Trx } from '../db/connect.js';
import { markConfirmed } from '../db/digitalClaims.js';
import { type LegWithoutResult, markTurn } from '../db/digitalLegs.js';
import { addIntent, taskSubject } from '../db/outbox.js';
import { lockTask } from '../db/digitalTasks.js';
import { appendEvent } from '../db/events.js';

/** The hash of the result for which the instruction pays the agent that has this very leg; undefined: it does not. */
export function confirmedHash(instruction: RelayInstruction, leg: LegWithoutResult): string | undefined {
  if (instruction.name !== 'confirmTaskLeg') return undefined;
  const { accounts, data } = instruction;
  const isOfLeg = accounts.taskLeg.address === leg.on_chain_leg && accounts.agent.address === leg.agent_pubkey;
  return isOfLeg ? Buffer.from(data.resultHash).toString('hex') : undefined;
}

/** A confirmation on the ledger. */
export interface Confirmation {
  signature: string;
  /** sha256 (hex) of the result that was confirmed, which may be another than was handed in here. */
  resultHash: string;
}

/**
 * Projects that the ledger shows the result confirmed and its agent paid; after the last leg it decides the settlement,
 * otherwise the turn of the next leg has come. False when the mirror has it already. Rules M-9, M-59.
 */
export async function recordTaskLegConfirmed(
  trx: Trx,
  leg: LegWithoutResult,
  { signature, resultHash }: Confirmation,
): Promise<boolean> {
  const task = await lockTask(trx, leg.task_id);
  if (!task || leg.agent_pubkey === null) return false;
  const paymentLamports = legShare(task.max_budget_lamports, task.num_legs);
  if (!(await markConfirmed(trx, leg, { signature, resultHash, paymentLamports }))) return false;
  const subject = taskSubject(task.id);
  await appendEvent(trx, 'TASK_LEG_COMPLETED', subject, {
    taskId: task.id,
    legId: leg.id,
    legIndex: leg.leg_index,
    agentPubkey: leg.agent_pubkey,
    paymentLamports,
    resultHash,
    signature,
  });
  if (leg.leg_index === task.num_legs - 1) {
    await addIntent(trx, { kind: 'settle_task', subject, key: `settle_task:${task.id}`, taskId: task.id });
  } else {
    await markTurn(trx, task.id, leg.leg_index + 1);
  }
  return true;
}
