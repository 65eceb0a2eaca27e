import { type Insertable, sql } from 'kysely';
import { type Lamports, type PackageStatus, statusesBefore } from '@agent-relay/protocol';
import type { Db, Trx } from './connect.js';
import type { PackageRow, PackagesTable } from './schema.js';

/** A package that the ledger knows: everything but a draft. */
export type ListedPackageRow = PackageRow & { status: Exclude<PackageStatus, 'draft'> };

export function isListed(row: PackageRow): row is ListedPackageRow {
  return row.status !== 'draft';
}

export async function findPackage(db: Db | Trx, id: string): Promise<PackageRow | undefined> {
  return db.selectFrom('packages').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Reads the package and keeps everybody else from changing it until the transaction ends. */
export async function lockPackage(trx: Trx, id: string): Promise<PackageRow | undefined> {
  return trx.selectFrom('packages').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

/** A page of packages, newest first (UUIDv7 ids grow with time); `before` is the last id of the page before. */
export async function pageOfPackages(
  db: Db,
  page: {
    status?: ListedPackageRow['status'] | undefined;
    shipper?: string | undefined;
    before?: string | undefined;
    limit: number;
  },
): Promise<ListedPackageRow[]> {
  let query = db
    .selectFrom('packages')
    .selectAll()
    .where('status', '<>', 'draft')
    .orderBy('id', 'desc')
    .limit(page.limit);
  if (page.status !== undefined) query = query.where('status', '=', page.status);
  if (page.shipper !== undefined) query = query.where('shipper_pubkey', '=', page.shipper);
  if (page.before !== undefined) query = query.where('id', '<', page.before);
  return (await query.execute()).filter(isListed);
}

export async function insertDraft(db: Db, draft: Insertable<PackagesTable> & { status: 'draft' }): Promise<void> {
  await db.insertInto('packages').values(draft).execute();
}

/** draft -> listed; false when it was listed already. */
export async function markListed(trx: Trx, id: string, listSignature: string): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('packages')
    .set({ status: 'listed', list_signature: listSignature, listed_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('status', 'in', statusesBefore('package', 'listing_confirmed'))
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Asks for an evaluation of the package's bids at once. */
export async function scheduleEvaluation(trx: Trx, id: string): Promise<void> {
  await trx
    .updateTable('packages')
    .set((eb) => ({ bids_version: eb('bids_version', '+', 1n), evaluate_at: sql<Date>`now()` }))
    .where('id', '=', id)
    .execute();
}

/** The listed packages whose evaluation is due, oldest first, without those in `except`. */
export async function dueForEvaluation(db: Db, choice: { except: string[]; limit: number }): Promise<string[]> {
  let query = db
    .selectFrom('packages')
    .select('id')
    .where('evaluate_at', '<=', sql<Date>`now()`)
    .where('status', '=', 'listed')
    .orderBy('evaluate_at')
    .limit(choice.limit);
  if (choice.except.length > 0) query = query.where('id', 'not in', choice.except);
  return (await query.execute()).map((row) => row.id);
}

export async function clearEvaluation(trx: Trx, id: string): Promise<void> {
  await trx.updateTable('packages').set({ evaluate_at: null }).where('id', '=', id).execute();
}

/** listed -> swarm_forming. The caller holds the row's lock. */
export async function markSwarmForming(trx: Trx, id: string): Promise<void> {
  await trx
    .updateTable('packages')
    .set({ status: 'swarm_forming' })
    .where('id', '=', id)
    .where('status', 'in', statusesBefore('package', 'swarm_chosen'))
    .executeTakeFirstOrThrow();
}

/** in_transit -> delivered; false when it was delivered already. */
export async function markDelivered(
  trx: Trx,
  id: string,
  settleSignature: string,
  refundLamports: Lamports,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('packages')
    .set({ status: 'delivered', settle_signature: settleSignature, refund_lamports: refundLamports })
    .where('id', '=', id)
    .where('status', 'in', statusesBefore('package', 'settled'))
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}
