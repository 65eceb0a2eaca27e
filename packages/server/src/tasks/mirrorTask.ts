import { assetOf, told, type Assets } from '../ledger/assets.js';
import type { Named, RelayInstruction, TaskInstruction } from '@legwork/program-client';
import type { FailureReason } from '@legwork/protocol/contract';
import { unwrapOption } from '@solana/kit';
import { failOpenLegs } from './claimRows.js';
import { countOpen } from './taskLegRows.js';
import { markTaskClosed, markTaskCompleted, markTaskEnded, markTaskListed } from './taskRows.js';
import { appendEvent } from '../db/events.js';
import { leftInVault } from '../legs/legRows.js';
import type { DigitalTaskRow } from '../db/schema.js';
import { taskSubject } from '../db/listings.js';
import { unixSeconds } from '../ledger/ledger.js';
import { termsCompared } from '../ledger/terms.js';
import { foldOnto } from '../mirror/facts.js';
import { projectMove, writeFolded } from '../legs/mirrorMoves.js';
import { type Applying, departuresAmong, hasAllBefore, outcomeOf, type Projection } from '../mirror/projection.js';
import { projectLeg } from './mirrorTaskLeg.js';

/** Projects an instruction about the digital task into the mirror. Rule M-9. */
export async function projectTaskInstruction(
  applying: Applying,
  task: DigitalTaskRow,
  instruction: TaskInstruction,
): Promise<Projection> {
  switch (instruction.name) {
    case 'listTask':
      return projectListing(applying, task, instruction);
    case 'assignTaskLeg':
    case 'releaseTaskLeg':
    case 'confirmTaskLeg':
      return projectLeg(applying, task, instruction);
    case 'settleTask':
      return projectSettlement(applying, task);
    case 'cancelTask':
      return projectEnd(applying, task, instruction, 'cancelled');
    case 'reclaimTask':
      return projectEnd(applying, task, instruction, 'reclaimed');
    case 'closeTask':
      return outcomeOf(await markTaskClosed(applying.trx, task.id, applying.signature), applying, task.close_signature);
    case 'accept':
    case 'vacate':
    case 'claim':
    case 'dispute':
    case 'rule':
      break;
  }
  return projectMove(applying, task, instruction);
}

/**
 * Returns in words which of the draft's terms the listing departs from; undefined when the instruction does not list this
 * task.
 */
export function taskListingDepartures(
  assets: Assets,
  instruction: RelayInstruction,
  draft: DigitalTaskRow,
): string[] | undefined {
  if (instruction.name !== 'listTask') return undefined;
  const { accounts, data, tokens } = instruction;
  if (accounts.task.address !== draft.on_chain_task) return undefined;
  return departuresAmong([
    ['poster', accounts.poster.address, draft.shipper_pubkey],
    ['funder', accounts.funder.address, draft.funder_pubkey],
    ['number of legs', data.numLegs, draft.num_legs],
    ['asset', tokens?.asset ?? 'SOL', assetOf(assets, draft).token?.account ?? 'SOL'],
    ['budget in lamports', data.maxBudget, draft.max_budget_lamports],
    ['deadline in unix seconds', data.deadline, unixSeconds(draft.deadline)],
    ['terms hash', Buffer.from(data.termsHash).toString('hex'), draft.terms_hash],
    ...termsCompared(unwrapOption(data.terms), draft.terms),
  ]);
}

/** The draft is listed, if the listing has exactly its terms. */
async function projectListing(
  applying: Applying,
  draft: DigitalTaskRow,
  instruction: Named<'listTask'>,
): Promise<Projection> {
  const { trx, log, signature } = applying;
  const departures = taskListingDepartures(applying.assets, instruction, draft) ?? [];
  if (departures.length > 0) {
    log.debug({ taskId: draft.id, departures }, 'a listing is not of its draft and counts for nothing');
    return 'foreign';
  }
  if (!(await markTaskListed(trx, draft.id, signature))) return outcomeOf(false, applying, draft.list_signature);
  appendEvent(trx, 'TASK_LISTED', taskSubject(draft.id), {
    taskId: draft.id,
    shipperPubkey: draft.shipper_pubkey,
    title: draft.title,
    numLegs: draft.num_legs,
    ...told('maxBudget', assetOf(applying.assets, draft), draft.max_budget_lamports),
    deadline: draft.deadline,
    onChainTask: draft.on_chain_task,
    listSignature: signature,
  });
  return 'projected';
}

/** The task is completed, the rest of its budget is back with the funder. Rule M-59. */
async function projectSettlement(applying: Applying, task: DigitalTaskRow): Promise<Projection> {
  const { trx, signature } = applying;
  if (!hasAllBefore(applying) && (await countOpen(trx, task.id)) > 0) return 'foreign';
  const refundLamports = await leftInVault(trx, task);
  if (!(await markTaskCompleted(trx, task.id, signature, refundLamports))) {
    return outcomeOf(false, applying, task.settle_signature);
  }
  const refund = told('refund', assetOf(applying.assets, task), refundLamports);
  const event = { taskId: task.id, settleSignature: signature, ...refund };
  appendEvent(trx, 'TASK_COMPLETED', taskSubject(task.id), event);
  return 'projected';
}

/** The task is cancelled or reclaimed: it has failed for good, and so have its legs that are not completed. Rule M-60. */
async function projectEnd(
  applying: Applying,
  task: DigitalTaskRow,
  instruction: Named<'cancelTask' | 'reclaimTask'>,
  failureReason: FailureReason,
): Promise<Projection> {
  const { trx, signature, isInOrder } = applying;
  const { id: taskId, end_signature: recorded } = task;
  // Whatever came before it must be applied first: afterwards it would not fit.
  if (!isInOrder && recorded !== signature) return 'foreign';
  const folded = await foldOnto(applying, task, instruction);
  if (!(await markTaskEnded(trx, taskId, failureReason, signature))) return outcomeOf(false, applying, recorded);
  if (folded) await writeFolded(folded);
  await failOpenLegs(trx, taskId, failureReason);
  appendEvent(trx, 'TASK_FAILED', taskSubject(taskId), { taskId, failureReason });
  return 'projected';
}
