import { sql } from 'kysely';
import type { Db } from './connect.js';

/** A draft that nobody listed. */
export interface StaleDraft {
  id: string;
  on_chain_package: string;
}

/** Drafts older than `olderThan` that no intent is open for, in the order of their ids, beginning after `after`. */
export async function staleDrafts(
  db: Db,
  choice: { olderThan: string; after: string | undefined; limit: number },
): Promise<StaleDraft[]> {
  let query = db
    .selectFrom('packages')
    .select(['id', 'on_chain_package'])
    .where('status', '=', 'draft')
    .where('created_at', '<', sql<Date>`now() - ${choice.olderThan}::interval`)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('outbox')
            .select('outbox.id')
            .where('outbox.subject', '=', sql<string>`'package:' || packages.id`)
            .where('outbox.status', 'in', ['pending', 'sent']),
        ),
      ),
    )
    .orderBy('id')
    .limit(choice.limit);
  if (choice.after !== undefined) query = query.where('id', '>', choice.after);
  return query.execute();
}

/** Deletes those that are drafts still. @returns how many */
export async function deleteDrafts(db: Db, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0;
  const { numDeletedRows } = await db
    .deleteFrom('packages')
    .where('id', 'in', ids)
    .where('status', '=', 'draft')
    .executeTakeFirst();
  return Number(numDeletedRows);
}
