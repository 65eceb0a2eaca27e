import type { AppContext } from '../context.js';
import { taskSubject } from '../db/listings.js';
import type { Fanout } from '../events/fanout.js';
import { type A2aTask, type Artifact, hasEnded, readA2aTask, type TaskStatus } from './taskView.js';

/** What a stream of A2A tells, in its JSON form. */
export type Update =
  | { task: A2aTask }
  | { artifactUpdate: { taskId: string; contextId: string; artifact: Artifact; lastChunk: true } }
  | { statusUpdate: { taskId: string; contextId: string; status: TaskStatus } };

/**
 * The task as it stands, and again after something happened to it, until it is over or the signal ends it. Events that nobody has asked
 * for yet become one: a client that reads slowly costs no memory.
 */
export async function* watchTask(
  context: AppContext,
  fanout: Pick<Fanout, 'join' | 'leave'>,
  taskId: string,
  signal: AbortSignal,
): AsyncGenerator<A2aTask, void, undefined> {
  const news = new News(signal);
  const follower = { wanted: { subject: taskSubject(taskId) }, accept: () => news.tell() };
  fanout.join(follower);
  try {
    while (true) {
      const task = await readA2aTask(context, taskId);
      yield task;
      if (hasEnded(task) || !(await news.next())) return;
    }
  } finally {
    fanout.leave(follower);
  }
}

/** What a stream of A2A tells of a task: all of it first, then its changes. Rule S-283. */
export async function* updatesOf(tasks: AsyncIterable<A2aTask>): AsyncGenerator<Update, void, undefined> {
  let shown: Shown | undefined;
  for await (const task of tasks) {
    for (const { update } of changes(shown, task)) yield update;
    shown = shownOf(task);
  }
}

/** What a follower knows of a task. */
export interface Shown {
  /** Which status. */
  readonly status: string;
  /** The ids of its artifacts. */
  readonly artifacts: readonly string[];
}

const statusOf = ({ status: { state, message } }: A2aTask) => `${message.messageId} ${state}`;
const shownOf = (task: A2aTask): Shown => ({
  status: statusOf(task),
  artifacts: task.artifacts.map(({ artifactId }) => artifactId),
});

/**
 * What is new of a task, in the order in which it is told: all of it to whom nothing was shown, else each new artifact, then the status.
 *
 * @returns each with what its follower knows by then
 */
export function* changes(before: Shown | undefined, now: A2aTask): Generator<{ update: Update; shown: Shown }> {
  if (before === undefined) {
    yield { update: { task: now }, shown: shownOf(now) };
    return;
  }
  const about = { taskId: now.id, contextId: now.contextId };
  let shown = before;
  for (const artifact of now.artifacts) {
    if (shown.artifacts.includes(artifact.artifactId)) continue;
    shown = { ...shown, artifacts: [...shown.artifacts, artifact.artifactId] };
    yield { update: { artifactUpdate: { ...about, artifact, lastChunk: true } }, shown };
  }
  const status = statusOf(now);
  if (status !== shown.status)
    yield { update: { statusUpdate: { ...about, status: now.status } }, shown: shownOf(now) };
}

/** Whether something happened since it was last asked. */
class News {
  #isTold = false;
  #wake: () => void = () => undefined;
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#wake(), { once: true });
  }

  tell(): void {
    this.#isTold = true;
    this.#wake();
  }

  /** @returns false once the signal has ended it */
  async next(): Promise<boolean> {
    if (!this.#isTold && !this.#signal.aborted) await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#isTold = false;
    return !this.#signal.aborted;
  }
}
