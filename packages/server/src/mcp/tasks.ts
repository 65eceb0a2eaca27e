import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  MissingRequiredClientCapabilityError,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Asked } from './mcpServer.js';

/** The extension by which a call is answered with a task, whose result its client asks for later (SEP-2663, 2026-07-28). */
export const TASKS = 'io.modelcontextprotocol/tasks';

/** A task as it stands. */
export interface McpTask {
  taskId: string;
  status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
  /** For a person or a model. */
  statusMessage?: string;
  /** ISO 8601. */
  createdAt: string;
  lastUpdatedAt: string;
  /** After so many milliseconds it may be forgotten; null: it never is. */
  ttlMs: number | null;
  /** Milliseconds between two questions. */
  pollIntervalMs: number;
}

/** With what its status has to show: the result of the call, or its error, or what the client is asked. */
export interface DetailedTask extends McpTask {
  result?: CallToolResult;
  error?: { code: number; message: string };
  inputRequests?: Readonly<Record<string, object>>;
}

/** The tasks of an offer. Each function throws ProtocolError -32602 for an id that no task has. */
export interface Tasks {
  read: (taskId: string, asked: Asked) => Promise<DetailedTask>;
  /** Takes answers to what it asks; those to anything else count for nothing. */
  answer: (taskId: string, answers: Readonly<Record<string, unknown>>, asked: Asked) => Promise<void>;
  cancel: (taskId: string, asked: Asked) => Promise<void>;
}

/** The answer to a call that goes on as this task. The SDK lets none pass without `content`. */
export const started = (task: McpTask): CallToolResult => ({ resultType: 'task', content: [], ...task });

const declaring = z.object({
  [CLIENT_CAPABILITIES_META_KEY]: z.object({ extensions: z.object({ [TASKS]: z.object({}) }) }),
});

/** Says whether what a request tells of its client declares that it takes tasks. */
export const takesTasks = (envelope: unknown): boolean => declaring.safeParse(envelope).success;

/** The refusal of what only a client with the extension may ask for. */
export const lackingTasks = () =>
  new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [TASKS]: {} } } });

/** @throws MissingRequiredClientCapabilityError -32021 */
export function requireTasks({ tasks }: Pick<Asked, 'tasks'>): void {
  if (!tasks) throw lackingTasks();
}

const params = z.looseObject({ taskId: z.string('must be the id of a task') });

/** Answers the methods of the extension, to clients that declare it. */
export function offerTasks(server: Server, tasks: Tasks, askedOf: (context: ServerContext) => Asked): void {
  const declared = (context: ServerContext) => {
    const asked = askedOf(context);
    requireTasks(asked);
    return asked;
  };
  server.setRequestHandler('tasks/get', { params }, async ({ taskId }, context) => ({
    ...(await tasks.read(taskId, declared(context))),
  }));
  server.setRequestHandler('tasks/update', { params }, async ({ taskId }, context) => {
    await tasks.answer(taskId, context.mcpReq.inputResponses ?? {}, declared(context));
    return {};
  });
  server.setRequestHandler('tasks/cancel', { params }, async ({ taskId }, context) => {
    await tasks.cancel(taskId, declared(context));
    return {};
  });
}
