import { createSalt, type operations } from '@legwork/protocol/contract';
import { listing } from '../../coordinator/decisions.js';
import { findTask, findTaskByRequestKey, insertTaskDraft } from '../../db/digitalTasks.js';
import { taskSubject } from '../../db/subjects.js';
import { taskBytes } from '../../ledger/terms.js';
import type { Run } from '../run.js';
import { type Fundable, postFunded, type ToBeFunded } from '../sponsoring.js';
import { draftTask, type TaskDraft } from './draft.js';
import { readTask } from './view.js';

const TASKS: Fundable = {
  kind: { noun: 'digital task', path: '/digital-tasks' },
  subject: taskSubject,
  intentKey: (id) => `list_task:${id}`,
  find: findTask,
  findEarlier: findTaskByRequestKey,
};

export const postSponsoredDigitalTask: Run<typeof operations.postSponsoredDigitalTask> = async (
  context,
  input,
  caller,
) => {
  const funder = context.ledger.coordinator.address;
  const draft = async () => taskToFund(await draftTask(context, { ...input, salt: createSalt() }, funder));
  const id = await postFunded(context, TASKS, draft, caller);
  return { answer: await readTask(context, id) };
};

/** What funding a digital task takes. */
function taskToFund({ task, legs }: TaskDraft): ToBeFunded {
  const { id } = task;
  return {
    of: TASKS,
    id,
    posterPubkey: task.shipper_pubkey,
    budget: task.max_budget_lamports,
    deadline: task.deadline,
    accountBytes: taskBytes(task.terms),
    insert: (trx, requestKey) => insertTaskDraft(trx, { ...task, request_key: requestKey }, legs),
    intent: { kind: 'list_task', subject: taskSubject(id), key: TASKS.intentKey(id), taskId: id },
    listing: listing(task),
  };
}
