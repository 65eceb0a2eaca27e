import { sql } from 'kysely';
import type { Db } from './connect.js';
import { deleteInBatches } from './transaction.js';
import { personal } from './sealing.js';

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gu;
/** How long an answer is given again. */
const KEEP = '24 hours';
/** How long a first request counts as under way without a sign of life; a repeat runs again after that. */
const LOCK = '8 seconds';
/** How often a request under way gives one, milliseconds. */
export const RENEW_EVERY_MS = 2_000;

/** The identity of a request that is made once: its scope and its key. */
export interface RequestId {
  scope: string;
  key: string;
}

/** The known state of a request: this caller runs it now, another one does, or its answer. */
export type Claim =
  | { state: 'mine'; claimedAt: Date }
  | { state: 'running'; requestHash: string }
  | { state: 'answered'; requestHash: string; status: number; body: string };

/** Claims a request that nobody made in the last day, or whose caller died. @returns undefined when it ended just now: ask again */
export async function claimRequest(db: Db, { scope, key }: RequestId, requestHash: string): Promise<Claim | undefined> {
  const claimed = await sql<{ created_at: Date }>`
    insert into idempotency_keys as known (scope, key, request_hash, locked_until)
    values (${scope}, ${key}, ${requestHash}, now() + ${LOCK}::interval)
    on conflict (scope, key) do update
      set request_hash = excluded.request_hash, locked_until = excluded.locked_until,
          status = null, body = null, created_at = now()
      where known.created_at < now() - ${KEEP}::interval
        or (known.status is null and known.locked_until < now() and known.request_hash = excluded.request_hash)
    returning created_at`.execute(db);
  const [mine] = claimed.rows;
  if (mine !== undefined) return { state: 'mine', claimedAt: mine.created_at };
  const known = await db
    .selectFrom('idempotency_keys')
    .select(['request_hash', 'status', 'body'])
    .where('scope', '=', scope)
    .where('key', '=', key)
    .executeTakeFirst();
  if (known === undefined) return undefined;
  const { request_hash: hash, status, body } = known;
  if (status === null || body === null) return { state: 'running', requestHash: hash };
  return { state: 'answered', requestHash: hash, status, body };
}

/** Keeps the request under way, unless another one has taken over. */
export async function renewRequest(db: Db, { scope, key }: RequestId, claimedAt: Date): Promise<void> {
  await db
    .updateTable('idempotency_keys')
    .set({ locked_until: sql<Date>`now() + ${LOCK}::interval` })
    .where('scope', '=', scope)
    .where('key', '=', key)
    .where('created_at', '=', claimedAt)
    .where('status', 'is', null)
    .execute();
}

/** Stores the answer, unless another request has taken over. */
export async function keepAnswer(
  db: Db,
  { scope, key }: RequestId,
  claimedAt: Date,
  answer: { status: number; body: string },
): Promise<void> {
  await db
    .updateTable('idempotency_keys')
    .set({ status: answer.status, body: personal(answer.body), ids: [...new Set(answer.body.match(UUID) ?? [])] })
    .where('scope', '=', scope)
    .where('key', '=', key)
    .where('created_at', '=', claimedAt)
    .where('status', 'is', null)
    .execute();
}

/** Deletes a request that came to nothing, unless another one has taken over. */
export async function releaseRequest(db: Db, { scope, key }: RequestId, claimedAt: Date): Promise<void> {
  await db
    .deleteFrom('idempotency_keys')
    .where('scope', '=', scope)
    .where('key', '=', key)
    .where('created_at', '=', claimedAt)
    .where('status', 'is', null)
    .execute();
}

/** Deletes the answers that no repeat gets any more. @returns how many */
export function sweepIdempotencyKeys(db: Db): Promise<number> {
  return deleteInBatches(db, 'idempotency_keys', sql`created_at < now() - ${KEEP}::interval`);
}
