import { type DigitalTaskDetail, isUuid, type PackageDetail } from '@legwork/protocol/contract';
import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { readEvents } from '../db/events.js';
import { PACKAGE, TASK } from '../listings/kinds.js';
import { readPackage } from '../packages/read.js';
import { readTask } from '../tasks/read.js';
import { answerOf, type ToolResult } from './callTool.js';
import type { Market } from './marketOffer.js';
import type { Asked } from './mcpServer.js';
import { resourceUris } from './resources.js';
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
      const task = await taskOf(market, kind, taskId);
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
      const { status } = await read(taskId);
      if (status === 'working') throw notFromHere(taskId);
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
const notFromHere = (id: string) =>
  new ProtocolError(
    ProtocolErrorCode.InvalidRequest,
    `${id} goes on: only the wallet of shipperPubkey cancels it, on the ledger and while no agent is at work; build-cancel-tx over REST ` +
      'builds that transaction, cancel_or_reclaim of legwork mcp signs it. At its deadline it ends by itself.',
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
    statusMessage: messageOf(kind, listing),
    createdAt: listing.listedAt.toISOString(),
    lastUpdatedAt: (last?.occurredAt ?? listing.listedAt).toISOString(),
    ttlMs: null,
    pollIntervalMs: POLL_INTERVAL_MS,
  };
  if (task.status !== 'completed') return task;
  const result = await answerOf(tool, { answer: listing });
  return { ...task, result: { ...result, isError: listing.status === 'failed' } };
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

function messageOf({ of, about, legs }: Kind, listing: Listing): string {
  const all = legs(listing as DigitalTaskDetail & PackageDetail);
  const done = all.filter(({ status }) => status === 'completed').length;
  const stands = `The ${of.words} ${listing.id} is ${listing.status.replace('_', ' ')}`;
  return `${stands}${all.length === 0 ? '' : `; ${done} of ${all.length} legs are completed`}. ${resourceUris({ [about]: listing.id }).join('')} shows it.`;
}
