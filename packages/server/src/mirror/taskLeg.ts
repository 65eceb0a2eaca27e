import type { RelayInstruction } from '@legwork/program-client';
import { legShare } from '@legwork/protocol/rules';
import type { Logger } from 'pino';
import { announceReleased, isAssignmentDecided } from '../coordinator/taskWork.js';
import { projectedAmong } from '../db/appliedInstructions.js';
import { markAssigned, markConfirmed, markReleased } from '../db/digitalClaims.js';
import {
  bar,
  findDigitalLeg,
  legsOf,
  type LegWithoutResult,
  markTurn,
  noteHeldElsewhere,
  releasesOf,
} from '../db/digitalLegs.js';
import { addIntent, taskSubject } from '../db/outbox.js';
import type { Trx } from '../db/connect.js';
import { lockTask, markTaskInProgress, markTaskListedAgain } from '../db/digitalTasks.js';
import { appendEvent } from '../db/events.js';
import type { DigitalTaskRow } from '../db/schema.js';
import { changed, type Landed, type Named, type Projection } from './projection.js';

/** The instructions about one leg of a digital task. */
export type LegInstruction = Named<'assignTaskLeg' | 'releaseTaskLeg' | 'confirmTaskLeg'>;

/**
 * Projects an instruction about a leg of the task into the mirror. The caller holds the task's lock. Only the coordinator's
 * key moves legs: what was not decided here means that somebody else has that key.
 */
export async function projectLeg(
  trx: Trx,
  log: Logger,
  task: DigitalTaskRow,
  instruction: LegInstruction,
  landed: Landed,
): Promise<Projection> {
  const onChainLeg = instruction.accounts.taskLeg.address;
  const leg = (await legsOf(trx, task.id)).find((one) => one.on_chain_leg === onChainLeg);
  const projection = leg ? await projectOfLeg(trx, log, leg, instruction, landed) : 'foreign';
  if (projection === 'foreign') {
    const { name } = instruction;
    log.warn(
      { taskId: task.id, legId: leg?.id, name, transaction: landed.signature },
      'the ledger shows something about a leg that was not decided here',
    );
  }
  return projection;
}

async function projectOfLeg(
  trx: Trx,
  log: Logger,
  leg: LegWithoutResult,
  instruction: LegInstruction,
  landed: Landed,
): Promise<Projection> {
  if (instruction.name === 'assignTaskLeg') return projectAssignment(trx, leg, instruction, landed);
  if (instruction.name === 'confirmTaskLeg') return projectConfirmation(trx, log, leg, instruction, landed);
  return projectRelease(trx, leg, landed);
}

/** Returns whether the instruction assigns this very leg to the agent that has it. */
export function assigns(instruction: RelayInstruction, leg: LegWithoutResult): boolean {
  return (
    instruction.name === 'assignTaskLeg' &&
    instruction.accounts.taskLeg.address === leg.on_chain_leg &&
    instruction.accounts.agent.address === leg.agent_pubkey
  );
}

async function projectAssignment(
  trx: Trx,
  leg: LegWithoutResult,
  instruction: Named<'assignTaskLeg'>,
  { signature }: Landed,
): Promise<Projection> {
  const agent = instruction.accounts.agent.address;
  // An agent never gets a leg again that was taken from it: this is the assignment before that.
  if ((await releasesOf(trx, leg.id)).some((release) => release.agent_pubkey === agent)) return 'known';
  const isDecided = assigns(instruction, leg) && (await isAssignmentDecided(trx, leg));
  if (isDecided) return changed(await recordTaskLegAssigned(trx, leg, signature));
  await noteHeldElsewhere(trx, leg.id, agent);
  return 'foreign';
}

/**
 * Records that the ledger shows the claim assigned: its agent's clock starts, its task is under way. Returns false when the
 * mirror has it already. Rule M-56.
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

/** A release names no agent: it ends the present claim if that claim's assignment came before it in the ledger's history. */
async function projectRelease(trx: Trx, leg: LegWithoutResult, { signature }: Landed): Promise<Projection> {
  if (leg.held_elsewhere !== null) await noteHeldElsewhere(trx, leg.id, null);
  if ((await releasesOf(trx, leg.id)).some((release) => release.release_signature === signature)) return 'known';
  const { assign_signature: assignment } = leg;
  const isAfter = assignment !== null && (await projectedAmong(trx, [assignment])).has(assignment);
  return isAfter && leg.status === 'in_progress'
    ? changed(await recordTaskLegReleased(trx, leg, signature))
    : 'foreign';
}

/**
 * Records that the ledger shows the claim released: the leg is open again, its agent is barred from the task, and a task
 * with no leg in work or completed is listed again. Returns false when the mirror has it already. Rules M-57, M-60.
 */
export async function recordTaskLegReleased(trx: Trx, claimed: LegWithoutResult, signature: string): Promise<boolean> {
  await lockTask(trx, claimed.task_id);
  const leg = await findDigitalLeg(trx, claimed.id);
  if (leg?.agent_pubkey == null || leg.claim !== claimed.claim || !(await markReleased(trx, leg))) return false;
  const reason = leg.release_reason ?? 'released';
  await bar(trx, {
    task_id: leg.task_id,
    agent_pubkey: leg.agent_pubkey,
    leg_id: leg.id,
    reason,
    release_signature: signature,
  });
  await markTaskListedAgain(trx, leg.task_id);
  await announceReleased(trx, leg, reason, signature);
  return true;
}

/** A confirmation on the ledger. */
export interface Confirmation {
  signature: string;
  /** sha256 (hex) of the result that was confirmed, which may be another than was handed in here. */
  resultHash: string;
}

/** Returns the hash of the result for which the instruction pays the agent that has this very leg; undefined: it does not. */
export function confirmedHash(instruction: RelayInstruction, leg: LegWithoutResult): string | undefined {
  if (instruction.name !== 'confirmTaskLeg') return undefined;
  const { accounts, data } = instruction;
  const isOfLeg = accounts.taskLeg.address === leg.on_chain_leg && accounts.agent.address === leg.agent_pubkey;
  return isOfLeg ? Buffer.from(data.resultHash).toString('hex') : undefined;
}

/** What the agent was paid for counts, even if something else was handed in here: the ledger is the truth. */
async function projectConfirmation(
  trx: Trx,
  log: Logger,
  leg: LegWithoutResult,
  instruction: Named<'confirmTaskLeg'>,
  { signature }: Landed,
): Promise<Projection> {
  if (leg.confirm_signature === signature) return 'known';
  const resultHash = confirmedHash(instruction, leg);
  if (leg.status !== 'in_progress' || resultHash === undefined) return 'foreign';
  if (resultHash !== leg.result_hash) {
    log.warn(
      { taskId: leg.task_id, legId: leg.id, confirmed: resultHash, handedIn: leg.result_hash, transaction: signature },
      'the ledger shows a result confirmed that was not handed in here',
    );
  }
  return changed(await recordTaskLegConfirmed(trx, leg, { signature, resultHash }));
}

/**
 * Records that the ledger shows the result confirmed and its agent paid. After the last leg it decides the settlement, before
 * that it is the next leg's turn. Returns false when the mirror has it already. Rule M-59.
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
