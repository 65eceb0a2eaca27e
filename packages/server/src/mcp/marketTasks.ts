import { type DigitalTaskDetail, isUuid, type PackageDetail, pagePath } from '@legwork/protocol/contract';
import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { readEvents } from '../db/events.js';
import { PACKAGE, TASK } from '../listings/kinds.js';
import { readPackage } from '../packages/read.js';
import { readTask } from '../tasks/read.js';
import { answerOf, type ToolResult } from './callTool.js';
import type { Market } from './marketOffer.js';
import type { Asked } from './mcpServer.js';
import { notRead, resourceUris } from './resources.js';
import { type DetailedTask, started, type Tasks } from './tasks.js';

/** Milliseconds: a listing takes hours, and each question is a tool call of its client's allowance. */
const POLL_INTERVAL_MS = 15_000;
/** Above every number of an event. */
const NEWEST = 2n ** 63n - 1n;

/** A listing that a tool posts, and how it is read. */
const KINDS = [
  {
    of: TASK,
    tool: 'svc_post_digital_task',
    read: readTask,
    about: 'taskId',
    legs: ({ legs }: DigitalTaskDetail) => legs,
  },
  {
    of: PACKAGE,
    tool: 'svc_post_task',
    read: readPackage,
    about: 'packageId',
    legs: ({ swarm }: PackageDetail) => swarm?.legs ?? [],
  },
] as const;
type Kind = (typeof KINDS)[number];

/** What was posted goes on as a task with its own id, so that any replica answers for it. Rule S-292. */
export interface MarketTasks extends Tasks {
  /** The answer to a call of this tool: a task, where it posted something and its client takes tasks. */
  orTask: (tool: string, result: ToolResult, asked: Asked) => Promise<CallToolResult>;
}

export function marketTasks(market: Market): MarketTasks {
  const read = async (taskId: string): Promise<DetailedTask> => {
    for (const kind of isUuid(taskId) ? KINDS : []) {
      const task = await taskOf(market, kind, taskId).catch((error: unknown) => {
        throw notRead(market.context, error, { taskId });
      });
      if (task !== undefined) return task;
    }
    const message = 'There is no such task: its id is that of a package or a digital task that is listed.';
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
  };
  return {
    read,
    // It asks for nothing.
    answer: async (taskId) => void (await read(taskId)),
    cancel: async (taskId) => {
      const { status, statusMessage = '' } = await read(taskId);
      if (status === 'working') throw notFromHere(statusMessage);
    },
    orTask: async (tool, result, { tasks }) => {
      const id = result.structuredContent?.['id'];
      if (!tasks || typeof id !== 'string' || !KINDS.some((kind) => kind.tool === tool)) return { ...result };
      const { result: _unfinished, ...task } = await read(id);
      return started(task);
    },
  };
}

/** Who cancels on the ledger decides about an escrow: an acknowledgement would let its client forget that it goes on. */
const notFromHere = (stands: string) =>
  new ProtocolError(
    ProtocolErrorCode.InvalidRequest,
    `Not cancelled: only the wallet of its poster cancels it, on the ledger and while no agent is at work, with cancel_or_reclaim of ` +
      `legwork mcp or on its page. At its deadline it ends by itself. ${stands}`,
  );

/** @returns undefined: no listing of this kind has the id */
async function taskOf({ context, tools }: Market, kind: Kind, id: string): Promise<DetailedTask | undefined> {
  const listing = await kind.read(context, id).catch(unlessMissing);
  const tool = tools.get(kind.tool);
  if (listing === undefined || tool === undefined) return undefined;
  const [last] = await readEvents(context.db, { subject: kind.of.subject(id), before: NEWEST, limit: 1 });
  const task: DetailedTask = {
    taskId: id,
    status: statusOf(listing),
    statusMessage: messageOf(kind, listing, context.publicUrl),
    createdAt: listing.listedAt.toISOString(),
    lastUpdatedAt: (last?.occurredAt ?? listing.listedAt).toISOString(),
    ttlMs: null,
    pollIntervalMs: POLL_INTERVAL_MS,
  };
  if (task.status !== 'completed') return task;
  const result = await answerOf(tool, { answer: listing });
  return { ...task, result: { resultType: 'complete', ...result, isError: listing.status === 'failed' } };
}

function unlessMissing(error: unknown): undefined {
  if (!(error instanceof Error && 'code' in error && error.code === 'not_found')) throw error;
}

type Listing = DigitalTaskDetail | PackageDetail;

/** A listing that failed is a result too: `failed` is for calls that ended with an error of the protocol. */
function statusOf({ status, failureReason }: Listing): DetailedTask['status'] {
  if (status === 'failed') return failureReason === 'cancelled' ? 'cancelled' : 'completed';
  return status === 'completed' || status === 'delivered' ? 'completed' : 'working';
}

function messageOf({ of, about, legs }: Kind, listing: Listing, publicUrl: string): string {
  const page = publicUrl + pagePath(of.noun, listing.id);
  const all = legs(listing as DigitalTaskDetail & PackageDetail);
  const done = all.filter(({ status }) => status === 'completed').length;
  const stands = `The ${of.words} ${listing.id} is ${listing.status.replace('_', ' ')}`;
  const legsDone = all.length === 0 ? '' : `; ${done} of ${all.length} legs are completed`;
  return `${stands}${legsDone}. Its page is ${page}, its resource ${resourceUris({ [about]: listing.id }).join('')}.`;
}
