import { type FailureReason, type Lamports, MOST_COUNTED, type PackageStatus } from '@legwork/protocol/contract';
import { greatCircleKm } from '@legwork/protocol/rules';
import { type Insertable, type SelectQueryBuilder, sql } from 'kysely';
import { compiled, unseen } from '../db/statements.js';
import type { Db, Trx } from '../db/connect.js';
import { liesWithin, PLACE_DECIMALS, ROUNDING_KM, type Surroundings } from '../db/near.js';
import type { Database, PackageRow, PackagesTable } from '../db/schema.js';
import { markReturned } from '../money/sponsorshipRows.js';
import { personal, rounded, withPersonal } from '../db/sealing.js';
import { inOrder } from '../db/transaction.js';
import { INITIAL_STATUS, transition } from '../db/transition.js';
import type { Marks } from '../work/words.js';
import { type Found, isFound, setMarks } from '../work/workRows.js';

/** A package that the ledger knows: everything but a draft. */
export type ListedPackageRow = PackageRow & { status: Exclude<PackageStatus, 'draft'> };

export function isListed(row: PackageRow): row is ListedPackageRow {
  return row.status !== 'draft';
}

const byId = compiled((db, { id }: { id: string }) => db.selectFrom('packages').selectAll().where('id', '=', id));

export async function findPackage(db: Db | Trx, id: string): Promise<PackageRow | undefined> {
  return (await byId(db, { id }))[0];
}

const byLeg = compiled((db, { legId }: { legId: string }) =>
  db
    .selectFrom('packages')
    .selectAll()
    .where('id', '=', (eb) =>
      eb
        .selectFrom('swarms')
        .innerJoin('legs', 'legs.swarm_id', 'swarms.id')
        .select('swarms.package_id')
        .where('legs.id', '=', legId),
    ),
);

/** The package that the leg is of. */
export async function packageOfLeg(db: Db | Trx, legId: string): Promise<PackageRow | undefined> {
  return (await byLeg(db, { legId }))[0];
}

const locking = compiled((trx, { id }: { id: string }) =>
  trx.selectFrom('packages').selectAll().where('id', '=', id).forUpdate(),
);

/** Reads the package and locks it until the transaction ends. */
export async function lockPackage(trx: Trx, id: string): Promise<PackageRow | undefined> {
  return (await locking(trx, { id }))[0];
}

/** Finds the package that an earlier try of the same request made. */
export async function findByRequestKey(db: Db | Trx, requestKey: string): Promise<PackageRow | undefined> {
  return db.selectFrom('packages').selectAll().where('request_key', '=', requestKey).executeTakeFirst();
}

/** A package that no listing is known of yet, with what finds it by its words. */
export type NewPackage = Omit<Insertable<PackagesTable>, 'status' | ShownColumn> &
  Pick<PackageRow, ShownColumn> & { marks?: Marks };

type ShownColumn = 'asset' | 'terms' | 'requirements' | 'private_hashes' | 'description';
const PLACES = ['origin_lat', 'origin_lng', 'dest_lat', 'dest_lng'] as const;

type Described = Pick<PackageRow, (typeof PLACES)[number] | 'description'> & { salt?: string | null };

/** The package as it is stored. */
export const sealedPackage = <Row extends Described>(row: Row) => ({
  ...withPersonal<Row>(row, { ...rounded(row, PLACES, PLACE_DECIMALS), salt: null }),
  description: personal(row.description),
});

export async function insertDraft(
  db: Db | Trx,
  { terms, requirements, private_hashes, marks, ...draft }: NewPackage,
): Promise<void> {
  const json = {
    terms: terms && JSON.stringify(terms),
    requirements: requirements && JSON.stringify(requirements),
    private_hashes: private_hashes && JSON.stringify(private_hashes),
  };
  await inOrder(db, (on) =>
    Promise.all([
      on
        .insertInto('packages')
        .values({ ...sealedPackage(draft), ...json, status: INITIAL_STATUS.package })
        .execute(),
      marks && setMarks(on, draft.id, marks),
    ]),
  );
}

const lockingAt = compiled((trx, { addresses }: { addresses: readonly string[] }) =>
  trx
    .selectFrom('packages')
    .selectAll()
    .where(sql<boolean>`on_chain_package = any (${unseen(addresses)})`)
    .orderBy('id')
    .forUpdate(),
);

/** Reads the packages whose accounts are at the addresses, and locks them, in one order everywhere, until the transaction ends. */
export async function lockPackagesAt(trx: Trx, addresses: readonly string[]): Promise<PackageRow[]> {
  return addresses.length === 0 ? [] : lockingAt(trx, { addresses });
}

/** Lists the package and opens its bidding window. @returns false when it was listed already */
export async function markListed(trx: Trx, id: string, listSignature: string): Promise<boolean> {
  const columns = {
    list_signature: listSignature,
    listed_at: sql<Date>`now()`,
    bidding_closes_at: sql<Date | null>`case when bidding_window_sec > 0
      then now() + make_interval(secs => bidding_window_sec) end`,
  };
  return (await transition(trx, 'package', id, 'listing_confirmed', { columns })) !== undefined;
}

/** Takes the package off the market while its swarm forms: no evaluation is due. The caller holds the row's lock. */
export async function markSwarmForming(trx: Trx, id: string): Promise<void> {
  await transition(trx, 'package', id, 'swarm_chosen', { columns: { evaluate_at: null } });
}

/** @returns false when it was delivered already */
export async function markDelivered(
  trx: Trx,
  id: string,
  settleSignature: string,
  refundLamports: Lamports,
): Promise<boolean> {
  const columns = { settle_signature: settleSignature, refund_lamports: refundLamports };
  return (await transition(trx, 'package', id, 'settled', { columns })) !== undefined;
}

/** Fails the package for good. @returns false when it is over already */
export async function markEnded(trx: Trx, id: string, reason: FailureReason, endSignature: string): Promise<boolean> {
  const columns = { failure_reason: reason, end_signature: endSignature, evaluate_at: null };
  return (await transition(trx, 'package', id, reason, { columns })) !== undefined;
}

/** Records that its account is closed, and so the coordinator's money is back. @returns false when that was recorded already */
export async function markClosed(trx: Trx, id: string, closeSignature: string): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('packages')
    .set({ close_signature: closeSignature })
    .where('id', '=', id)
    .where('close_signature', 'is', null)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  await markReturned(trx, id);
  return true;
}

/** Which packages a list shows. */
export interface PackageFilter {
  status: ListedPackageRow['status'] | undefined;
  shipper: string | undefined;
  /** Where its origin lies. */
  near: Surroundings | undefined;
  /** The result of a search for work; undefined: nothing is searched for. */
  found?: Found | undefined;
}

function filtered(db: Db, filter: PackageFilter): SelectQueryBuilder<Database, 'packages', object> {
  let query = db.selectFrom('packages').where('status', '<>', 'draft');
  if (filter.status !== undefined) query = query.where('status', '=', filter.status);
  if (filter.shipper !== undefined) query = query.where('shipper_pubkey', '=', filter.shipper);
  return filter.found ? query.where(isFound(filter.found)) : query;
}

/** True if the origin can lie within the radius and so many kilometres more, or fewer, by what the columns know of it. */
const mayLieWithin = ({ center, radiusKm }: Surroundings, moreKm: number) =>
  liesWithin({ center, radiusKm: Math.max(0, radiusKm + moreKm) }, 'origin_lat', 'origin_lng');

function isWithin(near: Surroundings | undefined, row: Pick<PackageRow, 'origin_lat' | 'origin_lng'>): boolean {
  if (near === undefined) return true;
  return greatCircleKm(near.center, { lat: row.origin_lat, lng: row.origin_lng }) <= near.radiusKm;
}

/** A page of packages, newest first (UUIDv7 ids grow with time); `before` is the last id of the page before. */
export async function pageOfPackages(
  db: Db,
  filter: PackageFilter,
  page: { before: string | undefined; limit: number },
): Promise<ListedPackageRow[]> {
  const { near } = filter;
  const found: ListedPackageRow[] = [];
  let { before } = page;
  for (;;) {
    let query = filtered(db, filter).selectAll().orderBy('id', 'desc').limit(page.limit);
    if (near !== undefined) query = query.where(mayLieWithin(near, ROUNDING_KM));
    if (before !== undefined) query = query.where('id', '<', before);
    const rows = await query.execute();
    found.push(...(rows.filter((row) => isListed(row) && isWithin(near, row)) as ListedPackageRow[]));
    // Near the edge of the circle some are not within it: more are looked for.
    if (rows.length < page.limit || found.length >= page.limit) return found.slice(0, page.limit);
    before = rows.at(-1)?.id;
  }
}

/** How many packages all pages of the list have, at most {@link MOST_COUNTED}. */
export async function countPackages(db: Db, filter: PackageFilter): Promise<number> {
  const { near } = filter;
  let query = filtered(db, filter);
  if (near !== undefined) query = query.where(mayLieWithin(near, -ROUNDING_KM));
  const { count } = await db
    .selectFrom(query.select('id').limit(MOST_COUNTED).as('some'))
    .select((eb) => eb.fn.countAll<bigint>().as('count'))
    .executeTakeFirstOrThrow();
  if (near === undefined) return Number(count);
  const atTheEdge = await filtered(db, filter)
    .select(['origin_lat', 'origin_lng', 'personal'])
    .where(mayLieWithin(near, ROUNDING_KM))
    .where(sql<boolean>`not (${mayLieWithin(near, -ROUNDING_KM)})`)
    .limit(MOST_COUNTED)
    .execute();
  return Math.min(MOST_COUNTED, Number(count) + atTheEdge.filter((row) => isWithin(near, row)).length);
}
