import { sql } from 'kysely';
import type { Db } from './connect.js';

/** Each kind of draft: its table, and the column with its account's address. */
const KINDS = {
  package: { table: 'packages', account: 'on_chain_package' },
  task: { table: 'digital_tasks', account: 'on_chain_task' },
} as const;

export type DraftKind = keyof typeof KINDS;
export const DRAFT_KINDS = Object.keys(KINDS) as DraftKind[];

/** A draft that nobody listed. */
export interface StaleDraft {
  id: string;
  onChainAccount: string;
}

/** Drafts older than `olderThan` without an open intent, in the order of their ids, from the one after `after`. */
export async function staleDrafts(
  db: Db,
  kind: DraftKind,
  choice: { olderThan: string; after: string | undefined; limit: number },
): Promise<StaleDraft[]> {
  const { table, account } = KINDS[kind];
  const { rows } = await sql<StaleDraft>`
    select draft.id, draft.${sql.ref(account)} as "onChainAccount" from ${sql.table(table)} draft
    where draft.status = 'draft' and draft.created_at < now() - ${choice.olderThan}::interval
      and (${choice.after ?? null}::uuid is null or draft.id > ${choice.after ?? null}::uuid)
      and not exists (
        select from outbox where outbox.subject = ${`${kind}:`} || draft.id and outbox.status in ('pending', 'sent')
      )
    order by draft.id limit ${choice.limit}`.execute(db);
  return rows;
}

/** Deletes those that are still drafts. @returns how many */
export async function deleteDrafts(db: Db, kind: DraftKind, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0;
  const { numDeletedRows } = await db
    .deleteFrom(KINDS[kind].table)
    .where('id', 'in', ids)
    .where('status', '=', 'draft')
    .executeTakeFirst();
  return Number(numDeletedRows);
}
