import type { SelectQueryBuilder } from 'kysely';
import type { Db } from './connect.js';
import { liesWithin, type Surroundings } from './near.js';
import { isListed, type ListedPackageRow } from './packages.js';
import type { Database } from './schema.js';

/** Which packages a list shows. */
export interface PackageFilter {
  status: ListedPackageRow['status'] | undefined;
  shipper: string | undefined;
  /** Where its origin lies. */
  near: Surroundings | undefined;
}

function filtered(db: Db, filter: PackageFilter): SelectQueryBuilder<Database, 'packages', object> {
  let query = db.selectFrom('packages').where('status', '<>', 'draft');
  if (filter.status !== undefined) query = query.where('status', '=', filter.status);
  if (filter.shipper !== undefined) query = query.where('shipper_pubkey', '=', filter.shipper);
  if (filter.near !== undefined) query = query.where(liesWithin(filter.near, 'origin_lat', 'origin_lng'));
  return query;
}

/** A page of packages, newest first (UUIDv7 ids grow with time); `before` is the last id of the page before. */
export async function pageOfPackages(
  db: Db,
  filter: PackageFilter,
  page: { before: string | undefined; limit: number },
): Promise<ListedPackageRow[]> {
  let query = filtered(db, filter).selectAll().orderBy('id', 'desc').limit(page.limit);
  if (page.before !== undefined) query = query.where('id', '<', page.before);
  return (await query.execute()).filter(isListed);
}

/** How many packages all pages of the list have. */
export async function countPackages(db: Db, filter: PackageFilter): Promise<number> {
  const { count } = await filtered(db, filter)
    .select((eb) => eb.fn.countAll<bigint>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}
