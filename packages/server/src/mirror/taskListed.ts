import type { RelayInstruction } from '@legwork/program-client';
import type { Trx } from '../db/connect.js';
import { markTaskListed } from '../db/digitalTasks.js';
import type { DigitalTaskRow } from '../db/schema.js';
import { appendEvent } from '../db/events.js';
import { taskSubject } from '../db/outbox.js';
import { unixSeconds } from '../ledger/walletTransactions.js';
import { departuresAmong } from './departures.js';

/**
 * Which of the draft's terms a listing of its task departs from, in words; undefined when the instruction does not list this
 * task at all.
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

/** Projects that the ledger shows the draft listed with its terms; false when the mirror has it already. Rule M-9. */
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
