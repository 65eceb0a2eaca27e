import {
  byteOperations,
  type DigitalLegDetail,
  type DigitalTaskDetail,
  formatAmount,
  isUuid,
  pagePath,
} from '@legwork/protocol/contract';
import type { AppContext } from '../context.js';
import { readEvents } from '../db/events.js';
import { taskSubject } from '../db/listings.js';
import { readTask } from '../tasks/read.js';
import { A2aError } from './errors.js';

/** The states of A2A that a digital task can be in. */
export type TaskState =
  `TASK_STATE_${'SUBMITTED' | 'WORKING' | 'INPUT_REQUIRED' | 'COMPLETED' | 'FAILED' | 'CANCELED'}`;

/** Content of a message or of an artifact. */
type Part =
  | { text: string; mediaType: string }
  | { data: object }
  | { url: string; filename: string; mediaType: string; metadata: object };

/** What the service says to a client. */
export interface AgentMessage {
  messageId: string;
  contextId?: string | undefined;
  taskId?: string;
  role: 'ROLE_AGENT';
  parts: Part[];
}

export interface TaskStatus {
  state: TaskState;
  message: AgentMessage;
  /** When something last happened to the task. */
  timestamp: string;
}

export interface Artifact {
  artifactId: string;
  name: string;
  description: string;
  parts: Part[];
  metadata: object;
}

/** A digital task as a Task of A2A, in its JSON form. */
export interface A2aTask {
  id: string;
  /** Who posted it: what a key posts is one context. */
  contextId: string;
  status: TaskStatus;
  artifacts: Artifact[];
  metadata: object;
}

const ENDED: ReadonlySet<TaskState> = new Set(['TASK_STATE_COMPLETED', 'TASK_STATE_FAILED', 'TASK_STATE_CANCELED']);

export const hasEnded = ({ status }: A2aTask): boolean => ENDED.has(status.state);

/** Whether a client that waits has its answer: the task is over, or it is the poster's turn. */
export const isSettled = (task: A2aTask): boolean =>
  hasEnded(task) || task.status.state === 'TASK_STATE_INPUT_REQUIRED';

/** What a task is read with. */
type Reading = Parameters<typeof readTask>[0] & Pick<AppContext, 'publicUrl'>;

/** @throws A2aError `TASK_NOT_FOUND` */
export async function readA2aTask(context: Reading, id: string): Promise<A2aTask> {
  if (!isUuid(id)) throw notFound();
  // First: a task that is read later may be further than its last event, and never behind it.
  const [last] = await readEvents(context.db, { subject: taskSubject(id), before: NEWEST, limit: 1 });
  const task = await readTask(context, id).catch((error: unknown) => {
    throw isNotFound(error) ? notFound() : error;
  });
  return viewAsA2a(context.publicUrl, task, last ?? { seq: 0n, occurredAt: task.listedAt });
}

/** Above every number of an event. */
const NEWEST = 2n ** 63n - 1n;

const notFound = () => new A2aError('TASK_NOT_FOUND', 'No digital task has this id, or it is not listed yet.');

const isNotFound = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'not_found';

/** @param last the event that last said something of it */
function viewAsA2a(publicUrl: string, task: DigitalTaskDetail, last: { seq: bigint; occurredAt: Date }): A2aTask {
  const { id, shipperPubkey: contextId } = task;
  const page = publicUrl + pagePath('task', id);
  const [state, text] = stateOf(task, page);
  const parts = [{ text, mediaType: 'text/plain' }];
  return {
    id,
    contextId,
    status: {
      state,
      message: { messageId: `${id}-${last.seq}`, contextId, taskId: id, role: 'ROLE_AGENT', parts },
      timestamp: last.occurredAt.toISOString(),
    },
    artifacts: task.legs.flatMap((leg) => artifactOf(publicUrl, task, leg) ?? []),
    metadata: {
      title: task.title,
      page,
      finality: task.finality,
      completedLegs: task.completedLegs,
      numLegs: task.numLegs,
    },
  };
}

/** The state of a task, and what it means for its poster. Rule S-282. */
function stateOf(task: DigitalTaskDetail, page: string): [TaskState, string] {
  const { status, completedLegs, numLegs, failureReason } = task;
  const done = `${completedLegs} of ${numLegs} legs are completed and paid`;
  if (status === 'listed') {
    const budget = formatAmount(task.maxBudget, task);
    return ['TASK_STATE_SUBMITTED', `Listed with ${budget} in escrow; no agent works on it yet.`];
  }
  if (status === 'in_progress') {
    const reviewed = task.legs.find(({ stage }) => stage === 'claimed');
    if (reviewed === undefined) return ['TASK_STATE_WORKING', `${done}.`];
    return ['TASK_STATE_INPUT_REQUIRED', `${reviewText(reviewed)} ${page} has both moves. ${done}.`];
  }
  if (status === 'completed') return ['TASK_STATE_COMPLETED', `${done}; what no agent earned went back to its funder.`];
  return failureReason === 'cancelled'
    ? ['TASK_STATE_CANCELED', 'Cancelled by its poster; the escrow went back to its funder.']
    : ['TASK_STATE_FAILED', `Reclaimed after its deadline: ${done}, the rest of the escrow went back to its funder.`];
}

const reviewText = ({ legIndex, until }: DigitalLegDetail) =>
  `The result of leg ${legIndex + 1} waits for its review${until === null ? '' : ` until ${until.toISOString()}`}: only the wallet of the ` +
  'poster or the receiver confirms or disputes it; after that time it counts as confirmed.';

/** The result of a leg with its files; undefined: there is none to read. */
function artifactOf(publicUrl: string, task: DigitalTaskDetail, leg: DigitalLegDetail): Artifact | undefined {
  if (leg.result === null) return undefined;
  const { id, legIndex, agentPubkey, resultHash, confirmSignature, instruction } = leg;
  return {
    artifactId: id,
    name: `leg ${legIndex + 1}`,
    description: instruction,
    parts: [
      { text: leg.result, mediaType: 'text/plain' },
      ...leg.artifacts.map(({ sha256, bytes, name, contentType }) => ({
        url: publicUrl + pathOf(byteOperations.getArtifact.path, { taskId: task.id, legId: id, sha256 }),
        filename: name,
        mediaType: contentType,
        metadata: { sha256, bytes },
      })),
    ],
    metadata: { legIndex, agentPubkey, resultHash, confirmSignature },
  };
}

const pathOf = (pattern: string, params: Record<string, string>) =>
  pattern.replace(/:(\w+)/g, (_, name: string) => params[name] ?? '');
