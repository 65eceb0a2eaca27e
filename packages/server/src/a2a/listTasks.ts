import { MOST_COUNTED } from '@legwork/protocol/contract';
import { isAddress } from '@solana/kit';
import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { cutPage, readCursor, seqPosition } from '../operations/cursor.js';
import type { A2aCall } from './methods.js';
import { type A2aTask, readA2aTask, type TaskState } from './taskView.js';

/** Each task of a page is read by itself. */
const MOST = 25;

/** The tasks in each state, by what the tables say. A leg in review is the poster's turn. */
const IN_REVIEW = sql`exists (select from digital_legs where task_id = digital_tasks.id and status = 'in_progress' and stage = 'claimed')`;
const STATES: Readonly<Record<TaskState, RawBuilder<unknown>>> = {
  TASK_STATE_SUBMITTED: sql`status = 'listed'`,
  TASK_STATE_WORKING: sql`status = 'in_progress' and not ${IN_REVIEW}`,
  TASK_STATE_INPUT_REQUIRED: sql`status = 'in_progress' and ${IN_REVIEW}`,
  TASK_STATE_COMPLETED: sql`status = 'completed'`,
  TASK_STATE_CANCELED: sql`status = 'failed' and failure_reason = 'cancelled'`,
  TASK_STATE_FAILED: sql`status = 'failed' and failure_reason is distinct from 'cancelled'`,
};
/** States of A2A that no digital task is in. */
const NEVER = ['TASK_STATE_REJECTED', 'TASK_STATE_AUTH_REQUIRED'] as const;

export const listTasksParams = z.object({
  contextId: z.string().max(200).optional(),
  status: z.enum(['TASK_STATE_UNSPECIFIED', ...(Object.keys(STATES) as TaskState[]), ...NEVER]).optional(),
  pageSize: z.int().min(1).max(100).default(50),
  pageToken: z.string().max(1000).optional(),
  historyLength: z.int().min(0).optional(),
  statusTimestampAfter: z.iso.datetime().pipe(z.coerce.date()).optional(),
  includeArtifacts: z.boolean().default(false),
});
type Params = z.output<typeof listTasksParams>;

/**
 * What one key has posted, as everybody may read it: the key that `contextId` names, else the one that signed; who names none has none.
 * The task of which something happened last comes first. Rule S-285.
 *
 * @throws LegworkError `invalid_input`
 */
export async function listTasks(call: A2aCall, params: Params) {
  const named = params.contextId || (call.identity.signer?.pubkey ?? '');
  // A text that is no key has posted nothing, and may be none that the database takes.
  const poster = isAddress(named) ? named : '';
  const pageSize = Math.min(params.pageSize, MOST);
  const [before] = readCursor(seqPosition, params.pageToken || undefined) ?? [];
  const found = filtered(poster, params);
  const { rows } = await sql<{ id: string; seq: bigint }>`
    select id, seq from ${found} ${before === undefined ? sql`` : sql`where seq < ${before}::int8`}
    order by seq desc limit ${pageSize + 1}`.execute(call.context.db);
  const { page, nextCursor = '' } = cutPage(rows, pageSize, ({ seq }) => [String(seq)]);
  const tasks: Partial<A2aTask>[] = [];
  for (const { id } of page) tasks.push(withArtifacts(await readA2aTask(call.context, id), params.includeArtifacts));
  return { tasks, nextPageToken: nextCursor, pageSize, totalSize: await count(call, found) };
}

function withArtifacts({ artifacts, ...task }: A2aTask, isIncluded: boolean): Partial<A2aTask> {
  return isIncluded ? { ...task, artifacts } : task;
}

/** The tasks that meet the filter, each with the number of its last event, as a table. */
function filtered(poster: string, { status, statusTimestampAfter: since }: Params) {
  const state =
    status === undefined || status === 'TASK_STATE_UNSPECIFIED'
      ? sql`true`
      : (STATES[status as TaskState] ?? sql`false`);
  return sql`(
    select digital_tasks.id, last.seq from digital_tasks cross join lateral (
      select seq, occurred_at from events where subject = 'task:' || digital_tasks.id and seq is not null order by seq desc limit 1) as last
    where digital_tasks.shipper_pubkey = ${poster} and digital_tasks.status <> 'draft' and ${state}
      ${since === undefined ? sql`` : sql`and last.occurred_at >= ${since}::timestamptz`}) as found`;
}

async function count({ context }: A2aCall, found: ReturnType<typeof filtered>): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int4 as count from (select from ${found} limit ${MOST_COUNTED}) as counted`.execute(context.db);
  return rows[0]?.count ?? 0;
}
