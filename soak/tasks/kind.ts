import {
  type DigitalTaskDetail,
  type DigitalTaskDraft,
  everyItem,
  signDigitalTask,
  submitDigitalTask,
} from '@legwork/sdk';
import type { Kind } from '../kind.js';
import { TASK_ALONE } from './alone.js';

export const TASKS: Kind<DigitalTaskDetail, DigitalTaskDraft> = {
  noun: 'task',
  listing: 'listTask',
  tools: { post: 'svc_post_digital_task', get: 'svc_get_digital_task' },
  named: (taskId) => ({ taskId }),
  open: ['listed', 'in_progress'],
  done: 'completed',
  accountOf: ({ onChainTask }) => onChainTask,
  async sign(client, shipper, draft) {
    const listing = await signDigitalTask(client, shipper, draft);
    return { id: listing.taskId, submit: (at) => submitDigitalTask(at, listing) };
  },
  async build(client, { address: shipperPubkey }, draft) {
    const { taskId, ...built } = await client.buildListDigitalTaskTx({ ...draft, shipperPubkey });
    return { id: taskId, ...built };
  },
  async sponsor(client, { address: shipperPubkey }, draft, idempotencyKey) {
    const options = idempotencyKey === undefined ? {} : { idempotencyKey };
    return (await client.postSponsoredDigitalTask({ ...draft, shipperPubkey }, options)).id;
  },
  get: (client, taskId) => client.getDigitalTask({ taskId }),
  async *list(client) {
    for await (const { id, title } of everyItem(client.listDigitalTasks, {})) yield { id, text: title };
  },
  cancel: { instruction: 'cancelTask', build: (client, taskId) => client.buildCancelDigitalTaskTx({ taskId }) },
  reclaim: { instruction: 'reclaimTask', build: (client, taskId) => client.buildReclaimDigitalTaskTx({ taskId }) },
  close: { instruction: 'closeTask', build: (client, taskId) => client.buildCloseDigitalTaskTx({ taskId }) },
  alone: TASK_ALONE,
};
