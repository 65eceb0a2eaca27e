import { sql } from 'kysely';
import type { Db } from './connect.js';
import type { DigitalTaskRow, PackageRow } from './schema.js';

/** Where packages and digital tasks are kept: the table, the column with the account's address, and the statuses of what is over. */
export const LISTINGS = {
  package: { table: 'packages', account: 'on_chain_package', over: ['delivered', 'failed'] },
  task: { table: 'digital_tasks', account: 'on_chain_task', over: ['completed', 'failed'] },
} as const;

export type ListingKind = keyof typeof LISTINGS;
export const LISTING_KINDS = Object.keys(LISTINGS) as ListingKind[];

/** A package or a digital task, as the wire names it. */
export type ListingId = { packageId: string } | { taskId: string };

/** The subject of every intent, event and ledger transaction about a package: its intents run in the order of their decision. */
export function packageSubject(packageId: string): string {
  return `package:${packageId}`;
}

/** The same of a digital task. */
export function taskSubject(taskId: string): string {
  return `task:${taskId}`;
}

/** The subject of the package that a leg is of; null where there is no such leg. */
export const subjectOfLeg = (legId: string) => sql<string>`(
  select 'package:' || swarms.package_id from legs join swarms on swarms.id = legs.swarm_id where legs.id = ${legId})`;

/** The row of a package or of a digital task. */
export type ListingRow = PackageRow | DigitalTaskRow;

export const isPackage = (listing: ListingRow): listing is PackageRow => 'on_chain_package' in listing;
export const kindOf = (listing: ListingRow): 'package' | 'task' => (isPackage(listing) ? 'package' : 'task');
export const subjectOf = (listing: ListingRow) =>
  isPackage(listing) ? packageSubject(listing.id) : taskSubject(listing.id);
/** Its account on the ledger. */
export const accountOf = (listing: ListingRow) =>
  isPackage(listing) ? listing.on_chain_package : listing.on_chain_task;

function namedBy(subject: string): { kind: ListingKind; id: string } {
  const [kind, id] = subject.split(':');
  if ((kind === 'package' || kind === 'task') && id !== undefined) return { kind, id };
  throw new Error(`${subject} names neither a package nor a digital task`);
}

/** The listing that a subject names. @throws Error when it names none */
export function listingOf(subject: string): ListingId {
  const { kind, id } = namedBy(subject);
  return kind === 'package' ? { packageId: id } : { taskId: id };
}

/** The ledger's account of the listing that the subject names; undefined: there is no such listing any more. */
export async function findListingAccount(db: Db, subject: string): Promise<string | undefined> {
  const { kind, id } = namedBy(subject);
  const { table, account } = LISTINGS[kind];
  const { rows } = await sql<{ account: string }>`
    select ${sql.ref(account)} as account from ${sql.table(table)} where id = ${id}`.execute(db);
  return rows[0]?.account;
}

/** A draft that nobody listed. */
export interface StaleDraft {
  id: string;
  onChainAccount: string;
}

/** Drafts older than `olderThan` without an open intent, in the order of their ids, from the one after `after`. */
export async function staleDrafts(
  db: Db,
  kind: ListingKind,
  choice: { olderThan: string; after: string | undefined; limit: number },
): Promise<StaleDraft[]> {
  const { table, account } = LISTINGS[kind];
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
export async function deleteDrafts(db: Db, kind: ListingKind, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0;
  const { numDeletedRows } = await db
    .deleteFrom(LISTINGS[kind].table)
    .where('id', 'in', ids)
    .where('status', '=', 'draft')
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** Numbers of the tokens in which something was listed. */
export async function assetsListed(db: Db): Promise<number[]> {
  const { rows } = await sql<{
    asset: number;
  }>`select distinct asset from packages where asset <> 0 union select distinct asset from digital_tasks where asset <> 0`.execute(
    db,
  );
  return rows.map(({ asset }) => asset);
}
