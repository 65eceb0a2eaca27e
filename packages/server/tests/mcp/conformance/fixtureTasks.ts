import { randomUUID } from 'node:crypto';
import { setTimeout as after } from 'node:timers/promises';
import {
  acceptedContent,
  inputRequired,
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import { type DetailedTask, requireTasks, started, type Tasks } from '../../../src/mcp/tasks.js';
import { dialog, type FixtureTool, saying } from './fixtureTools.js';

/** The work of a task: it may ask its client for something, and is told when it is cancelled. */
type Work = (ask: (keys: string[]) => Promise<void>, cancelled: AbortSignal) => Promise<CallToolResult>;

interface Running {
  task: DetailedTask;
  cancelled: AbortController;
  /** Called with each answer that came for what is asked. */
  came: () => void;
}

/** Tasks in the memory of one process: a fixture has no market that would keep them. */
export class FixtureTasks implements Tasks {
  readonly #running = new Map<string, Running>();

  start(work: Work): CallToolResult {
    const now = new Date().toISOString();
    const task: DetailedTask = {
      taskId: randomUUID(),
      status: 'working',
      createdAt: now,
      lastUpdatedAt: now,
      ttlMs: 600_000,
      pollIntervalMs: 100,
    };
    const running = { task, cancelled: new AbortController(), came: () => undefined };
    this.#running.set(task.taskId, running);
    void this.#run(running, work);
    return started({ ...task });
  }

  async #run(running: Running, work: Work): Promise<void> {
    const { task, cancelled } = running;
    const end = (changes: Partial<DetailedTask>) => {
      delete task.inputRequests;
      Object.assign(task, changes);
    };
    const ask = (keys: string[]) =>
      new Promise<void>((answered) => {
        task.inputRequests = Object.fromEntries(
          keys.map((key) => [key, dialog(`Confirm ${key}?`, 'confirm', { type: 'boolean' })]),
        );
        task.status = 'input_required';
        running.came = () => {
          if (Object.keys(task.inputRequests ?? {}).length > 0) return;
          end({ status: 'working' });
          answered();
        };
      });
    try {
      const result = await work(ask, cancelled.signal);
      end({ status: 'completed', result: { resultType: 'complete', ...result } });
    } catch (error) {
      const failed = { code: ProtocolErrorCode.InternalError, message: String(error) };
      end(cancelled.signal.aborted ? { status: 'cancelled' } : { status: 'failed', error: failed });
    }
  }

  #require(taskId: string): Running {
    const running = this.#running.get(taskId);
    if (running === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such task.');
    return running;
  }

  read = (taskId: string) => Promise.resolve(this.#require(taskId).task);

  answer = (taskId: string, answers: Readonly<Record<string, unknown>>) => {
    const { task, came } = this.#require(taskId);
    for (const key of Object.keys(answers)) if (task.inputRequests) Reflect.deleteProperty(task.inputRequests, key);
    came();
    return Promise.resolve();
  };

  cancel = (taskId: string) => {
    const { task, cancelled } = this.#require(taskId);
    if (task.status === 'input_required') task.status = 'cancelled';
    cancelled.abort();
    return Promise.resolve();
  };
}

const number = (value: unknown) => (typeof value === 'number' ? value : 0);

/** The tools of the suite whose calls become tasks. */
export const taskTools = (tasks: FixtureTasks): Readonly<Record<string, FixtureTool>> => {
  const compute = async (seconds: unknown, signal?: AbortSignal) => {
    await after(number(seconds) * 1000, undefined, { signal });
    return saying('computed');
  };
  return {
    greet: { call: ({ name }) => saying(`Hello, ${String(name)}!`) },
    slow_compute: {
      call: ({ seconds }, { tasks: takes }) =>
        takes ? tasks.start((_, cancelled) => compute(seconds, cancelled)) : compute(seconds),
    },
    failing_job: {
      call: (_, asked) => {
        requireTasks(asked);
        return tasks.start(() => Promise.resolve({ ...saying('the job failed'), isError: true }));
      },
    },
    protocol_error_job: { call: () => tasks.start(() => Promise.reject(new Error('the job broke'))) },
    confirm_delete: { call: () => tasks.start((ask) => ask(['confirm']).then(() => saying('deleted'))) },
    multi_input: { call: () => tasks.start((ask) => ask(['first', 'second']).then(() => saying('both came'))) },
    test_tool_with_task: {
      call: (_, asked) => {
        requireTasks(asked);
        const accepted = acceptedContent<{ name: string }>(asked.mcp.inputResponses, 'user_name');
        if (!accepted) return inputRequired({ inputRequests: { user_name: dialog('What is your name?', 'name') } });
        return tasks.start(() => Promise.resolve(saying(`Hello, ${accepted.name}!`)));
      },
    },
  };
};
