import type { RelayInstruction } from '@legwork/program-client';
import { type FailureReason, toLamports } from '@legwork/protocol/contract';
import type { Logger } from 'pino';
import { failOpenLegs } from '../db/digitalClaims.js';
import { paidFor } from '../db/digitalLegs.js';
import { taskSubject } from '../db/outbox.js';
import type { Trx } from '../db/connect.js';
import { lockTask, markTaskClosed, markTaskCompleted, markTaskEnded, markTaskListed } from '../db/digitalTasks.js';
import { appendEvent } from '../db/events.js';
import type { DigitalTaskRow } from '../db/schema.js';
import { unixSeconds } from '../ledger/ledger.js';
import { changed, departuresAmong, type Landed, type Named, type Projection } from './projection.js';
import { projectLeg } from './taskLeg.js';

/** The instructions about a digital task. */
export type TaskInstruction = Extract<RelayInstruction, { accounts: { task: object } }>;

/** Projects an instruction about the digital task into the mirror. The caller holds the task's lock. Rule M-9. */
export async function projectTaskInstruction(
  trx: Trx,
  log: Logger,
  task: DigitalTaskRow,
  instruction: TaskInstruction,
  landed: Landed,
): Promise<Projection> {
  const { signature } = landed;
  switch (instruction.name) {
    case 'listTask':
      return projectListing(trx, log, task, instruction, landed);
    case 'assignTaskLeg':
    case 'releaseTaskLeg':
    case 'confirmTaskLeg':
      return projectLeg(trx, log, task, instruction, landed);
    case 'settleTask':
      return changed(await recordTaskSettled(trx, task.id, signature));
    case 'cancelTask':
      return changed(await recordTaskEnded(trx, task.id, 'cancelled', signature));
    case 'reclaimTask':
      return changed(await recordTaskEnded(trx, task.id, 'reclaimed', signature));
    case 'closeTask':
      break;
  }
  return changed(await markTaskClosed(trx, task.id, signature));
}

/**
 * Returns in words which of the draft's terms the listing departs from; undefined when the instruction does not list this
 * task.
 */
export function taskListingDepartures(instruction: RelayInstruction, draft: DigitalTaskRow): string[] | undefined {
  if (instruction.name !== 'listTask') return undefined;
  const { accounts, data } = instruction;
  if (accounts.task.address !== draft.on_chain_task) return undefined;
  return departuresAmong([
    ['poster', accounts.poster.address, draft.shipper_pubkey],
    ['funder', accounts.funder.address, draft.funder_pubkey],
    ['number of legs', data.numLegs, draft.num_legs],
    ['budget in lamports', data.maxBudget, draft.max_budget_lamports],
    ['deadline in unix seconds', data.deadline, unixSeconds(draft.deadline)],
    ['terms hash', Buffer.from(data.termsHash).toString('hex'), draft.terms_hash],
  ]);
}

async function projectListing(
  trx: Trx,
  log: Logger,
  task: DigitalTaskRow,
  instruction: Named<'listTask'>,
  { signature }: Landed,
): Promise<Projection> {
  const departures = taskListingDepartures(instruction, task) ?? [];
  if (departures.length === 0) return changed(await recordTaskListed(trx, task, signature));
  log.debug({ taskId: task.id, departures }, 'a listing is not of its draft and counts for nothing');
  return 'foreign';
}

/** Records that the ledger shows the draft listed with its terms. Returns false when the mirror has it already. */
export async function recordTaskListed(trx: Trx, draft: DigitalTaskRow, listSignature: string): Promise<boolean> {
  if (!(await markTaskListed(trx, draft.id, listSignature))) return false;
  await appendEvent(trx, 'TASK_LISTED', taskSubject(draft.id), {
    taskId: draft.id,
    shipperPubkey: draft.shipper_pubkey,
    title: draft.title,
    numLegs: draft.num_legs,
    maxBudgetLamports: draft.max_budget_lamports,
    deadline: draft.deadline,
    onChainTask: draft.on_chain_task,
    listSignature,
  });
  return true;
}

/**
 * Records that the ledger shows the task settled: it is completed, the rest of its budget is back with the funder. Returns
 * false when the mirror has it already. Rule M-59.
 */
export async function recordTaskSettled(trx: Trx, taskId: string, settleSignature: string): Promise<boolean> {
  const task = await lockTask(trx, taskId);
  if (!task) return false;
  const refundLamports = toLamports(task.max_budget_lamports - (await paidFor(trx, taskId)));
  if (!(await markTaskCompleted(trx, taskId, settleSignature, refundLamports))) return false;
  await appendEvent(trx, 'TASK_COMPLETED', taskSubject(taskId), { taskId, settleSignature, refundLamports });
  return true;
}

/**
 * Records that the ledger shows the task cancelled or reclaimed: it has failed for good, and so have its legs that are not
 * completed. Returns false when the mirror has it already. Rule M-60.
 */
export async function recordTaskEnded(
  trx: Trx,
  taskId: string,
  failureReason: FailureReason,
  endSignature: string,
): Promise<boolean> {
  await lockTask(trx, taskId);
  if (!(await markTaskEnded(trx, taskId, failureReason, endSignature))) return false;
  await failOpenLegs(trx, taskId, failureReason);
  await appendEvent(trx, 'TASK_FAILED', taskSubject(taskId), { taskId, failureReason });
  return true;
}
