import { getTaskSize } from '@legwork/program-client';
import type { operations } from '@legwork/protocol/contract';
import { listing } from '../../coordinator/decisions.js';
import { findTask, findTaskByRequestKey, insertTaskDraft, isTaskListed } from '../../db/digitalTasks.js';
import { taskSubject } from '../../db/subjects.js';
import type { Run } from '../run.js';
import type { FundedKind } from '../sponsorCaps.js';
import { sponsor, type ToBeFunded, untilListed } from '../sponsoring.js';
import { draftTask, type TaskDraft } from './draft.js';
import { readTask } from './view.js';

const KIND: FundedKind = { noun: 'digital task', path: '/digital-tasks' };

export const postSponsoredDigitalTask: Run<typeof operations.postSponsoredDigitalTask> = async (
  context,
  input,
  caller,
) => {
  // Looked up before the draft is checked: a deadline that was far enough at the first try may be too near now.
  const { requestKey } = caller;
  const earlier = requestKey === undefined ? undefined : await findTaskByRequestKey(context.db, requestKey);
  const { address: coordinator } = context.ledger.coordinator;
  const id = earlier?.id ?? (await sponsor(context, taskToFund(await draftTask(context, input, coordinator)), caller));
  const expected = {
    kind: KIND,
    id,
    intentKey: listIntentKey(id),
    find: () => findTask(context.db, id),
    isListed: isTaskListed,
  };
  await untilListed(context, expected, caller);
  return { answer: await readTask(context, id) };
};

const listIntentKey = (taskId: string) => `list_task:${taskId}`;

/** What funding a digital task takes. */
function taskToFund({ task, legs }: TaskDraft): ToBeFunded {
  const { id } = task;
  return {
    kind: KIND,
    id,
    posterPubkey: task.shipper_pubkey,
    budget: task.max_budget_lamports,
    deadline: task.deadline,
    accountBytes: getTaskSize(),
    findEarlier: findTaskByRequestKey,
    insert: (trx, requestKey) => insertTaskDraft(trx, { ...task, request_key: requestKey }, legs),
    intent: { kind: 'list_task', subject: taskSubject(id), key: listIntentKey(id), taskId: id },
    listing: listing(task),
  };
}
