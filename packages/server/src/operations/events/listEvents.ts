import { EVENT_TYPES, eventFrame, type operations, parseTopics } from '@legwork/protocol/contract';
import { frameOf, type LoggedEvent, pageOfEvents } from '../../db/events.js';
import { packageSubject, taskSubject } from '../../db/subjects.js';
import { cutPage, readCursor, seqPosition } from '../cursor.js';
import type { Run } from '../run.js';

export const listEvents: Run<typeof operations.listEvents> = async ({ db }, input) => {
  const { package: packageId, task: taskId, topics, before = Number.MAX_SAFE_INTEGER, limit, cursor } = input;
  const [reached = before] = readCursor(seqPosition, cursor) ?? [];
  const filter = {
    subject: packageId ? packageSubject(packageId) : taskId && taskSubject(taskId),
    topics: topics === undefined ? undefined : parseTopics(topics),
  };
  const rows = await pageOfEvents(db, filter, { before: BigInt(reached), limit: limit + 1 });
  const { page, nextCursor } = cutPage(rows, limit, ({ seq }) => [String(seq)]);
  return { answer: page.filter(isKnown).map((event) => eventFrame.parse(frameOf(event))), nextCursor };
};

/** Beside a newer replica the log may hold types that this one cannot describe. */
function isKnown({ type }: LoggedEvent): boolean {
  return EVENT_TYPES.some((known) => known === type);
}
