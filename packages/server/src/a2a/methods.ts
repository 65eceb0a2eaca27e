import { z } from 'zod';
import type { Identity } from '../api/identity.js';
import { parseInput } from '../api/parseInput.js';
import type { AppContext } from '../context.js';
import type { Runs } from '../operations/index.js';
import { askToCancel, isNoLongerListed, notCanceled, requireCancelable } from './cancel.js';
import { A2aError } from './errors.js';
import { updatesOf, watchTask } from './follow.js';
import type { Fanout } from '../events/fanout.js';
import { listTasks, listTasksParams } from './listTasks.js';
import {
  createPush,
  createPushParams,
  deletePush,
  getPush,
  listPush,
  listPushParams,
  pushParams,
} from './pushConfigs.js';
import { sendMessageParams, takeMessage } from './sendMessage.js';
import { type A2aTask, hasEnded, isSettled, readA2aTask } from './taskView.js';

/** A call of a method, and who sent it. */
export interface A2aCall {
  context: AppContext;
  runs: Runs;
  fanout: Pick<Fanout, 'join' | 'leave'>;
  identity: Identity;
  /** Ends what goes on: its client is gone, or the service stops. */
  signal: AbortSignal;
  /** Counts the answer among what its client holds open. @throws LegworkError `rate_limited` */
  hold: () => void;
}

/** What a method answers: one result, or a stream of them. */
export type Answer = { result: unknown } | { stream: AsyncIterable<unknown> };

type Method = (call: A2aCall, params: unknown) => Promise<Answer>;

/** So long `SendMessage` waits for an answer that is not there at once, milliseconds. */
const PATIENCE_MS = 20_000;

/** Reads the parameters of a method. @throws LegworkError `invalid_input` that names every wrong one */
function read<Schema extends z.ZodObject>(schema: Schema, params: unknown): z.output<Schema> {
  return parseInput(
    { params: undefined, query: undefined, body: schema },
    { params: {}, query: {}, body: camelNamed(params ?? {}) },
  ) as z.output<Schema>;
}

/** ProtoJSON has its names as `taskId`, and takes them as `task_id` too. */
function camelNamed(params: unknown): unknown {
  if (typeof params !== 'object' || params === null || Array.isArray(params)) return params;
  const named = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [named(name), value]));
}

const taskParams = z.object({ id: z.string(), historyLength: z.int().min(0).optional() });

/** `SendMessage`: answers at once if told to, else when the task is over or wants its poster, or after 20 seconds as it stands. Rule S-281. */
async function sendMessage(call: A2aCall, params: unknown): Promise<Answer> {
  const given = read(sendMessageParams, params);
  const isWaiting = given.configuration?.returnImmediately !== true;
  if (isWaiting) call.hold();
  const taken = await takeMessage(call, given);
  if ('role' in taken) return { result: { message: taken } };
  return { result: { task: isWaiting ? await settled(call, taken, isSettled) : taken } };
}

/** The task once it is as a client waits for it, or as it stands when its patience is over. */
async function settled(
  { context, fanout, signal }: A2aCall,
  posted: A2aTask,
  isEnough: (task: A2aTask) => boolean,
): Promise<A2aTask> {
  const patience = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
  let shown = posted;
  for await (const task of watchTask(context, fanout, posted.id, patience)) {
    shown = task;
    if (isEnough(task)) break;
  }
  return shown;
}

async function sendStreamingMessage(call: A2aCall, params: unknown): Promise<Answer> {
  const given = read(sendMessageParams, params);
  call.hold();
  const taken = await takeMessage(call, given);
  return { stream: 'role' in taken ? one({ message: taken }) : follow(call, taken.id) };
}

async function* one(message: object): AsyncGenerator<object> {
  yield message;
}

const follow = ({ context, fanout, signal }: A2aCall, taskId: string) =>
  updatesOf(watchTask(context, fanout, taskId, signal));

async function subscribeToTask(call: A2aCall, params: unknown): Promise<Answer> {
  const { id } = read(taskParams, params);
  if (hasEnded(await readA2aTask(call.context, id)))
    throw new A2aError(
      'UNSUPPORTED_OPERATION',
      'The task is over: nothing more happens to it. GetTask has its results.',
    );
  call.hold();
  return { stream: follow(call, id) };
}

/** Cancels what the coordinator paid for and nobody works on, for its poster; all else is refused. Rule S-286. */
async function cancelTask(call: A2aCall, params: unknown): Promise<Answer> {
  const { id } = read(taskParams, params);
  const task = await readA2aTask(call.context, id);
  await requireCancelable(call, task);
  call.hold();
  await call.identity.spendNonce();
  await askToCancel(call.context, task);
  const shown = await settled(call, task, isNoLongerListed);
  if (shown.status.state === 'TASK_STATE_CANCELED') return { result: shown };
  throw new A2aError('TASK_NOT_CANCELABLE', notCanceled(shown));
}

/** The methods of A2A 1.0. */
export const METHODS: Readonly<Record<string, Method>> = {
  SendMessage: sendMessage,
  SendStreamingMessage: sendStreamingMessage,
  GetTask: async ({ context }, params) => ({ result: await readA2aTask(context, read(taskParams, params).id) }),
  ListTasks: async (call, params) => ({ result: await listTasks(call, read(listTasksParams, params)) }),
  CancelTask: cancelTask,
  SubscribeToTask: subscribeToTask,
  CreateTaskPushNotificationConfig: async (call, params) => ({
    result: await createPush(call, read(createPushParams, params)),
  }),
  GetTaskPushNotificationConfig: async (call, params) => ({ result: await getPush(call, read(pushParams, params)) }),
  ListTaskPushNotificationConfigs: async (call, params) => ({
    result: await listPush(call, read(listPushParams, params)),
  }),
  DeleteTaskPushNotificationConfig: async (call, params) => ({
    result: await deletePush(call, read(pushParams, params)),
  }),
  GetExtendedAgentCard: async () => {
    throw new A2aError('UNSUPPORTED_OPERATION', 'There is one card, the public one.');
  },
};
