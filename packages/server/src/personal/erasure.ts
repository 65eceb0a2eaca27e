import type { KeyObject } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import { type Chosen, sealed } from '../coordinator/decisions.js';
import type { Db, Trx } from '../db/connect.js';
import type { Database } from '../db/schema.js';
import { hasPersonal, sealedPayload } from '../db/events.js';
import { ERASED, MARK } from '../db/sealing.js';
import { type ListingKind, LISTINGS, packageSubject, taskSubject } from '../db/listings.js';

/** The request for the erasure, and the key that seals decisions about a package. */
interface Erasing {
  /** Of the kept call of the lister; null: its time had come. */
  call: string | null;
  decisionKey: KeyObject;
}

const rounded = (table: string, ...columns: string[]): RawBuilder<unknown> =>
  sql.join(columns.map((column) => sql`${sql.ref(column)} = round(${sql.ref(`${table}.${column}`)})`));

const BID_PLACES = ['pickup_lat', 'pickup_lng', 'dropoff_lat', 'dropoff_lng'];

/**
 * Erases where a package and its couriers went, and every text about it. Places become whole degrees. What was paid, by whom and
 * why stays. The caller holds the row's lock. Rule S-144.
 */
export async function erasePackage(trx: Trx, id: string, { call, decisionKey }: Erasing): Promise<void> {
  const subject = packageSubject(id);
  const legs = sql`select legs.id from legs join swarms on swarms.id = legs.swarm_id where swarms.package_id = ${id}`;
  await sql`update packages set description = ${ERASED}, salt = null, personal = null, private_hashes = null, erased_at = now(),
    erase_call = ${call}, ${rounded('packages', 'origin_lat', 'origin_lng', 'dest_lat', 'dest_lng')} where id = ${id}`.execute(
    trx,
  );
  await sql`delete from private_parts where package_id = ${id}`.execute(trx);
  await sql`delete from private_readings where package_id = ${id}`.execute(trx);
  // A call may hold bids on several packages: what it says of this one goes, and what its key signed stays in its text.
  await sql`update signed_calls set body = '' from bids
    where bids.package_id = ${id} and signed_calls.signature = bids.call_signature`.execute(trx);
  await sql`update bids set reasoning = null, personal = null, is_erased = true, ${rounded('bids', ...BID_PLACES)}
    where package_id = ${id}`.execute(trx);
  await sql`update legs set opening_lat = null, opening_lng = null, personal = null, ${rounded('legs', ...BID_PLACES)}
    where id in (${legs})`.execute(trx);
  await sql`delete from evidence where leg_id in (${legs})`.execute(trx);
  await eraseEvents(trx, subject);
  await eraseDecisions(trx, subject, decisionKey);
  await forgetAnswers(trx, id);
}

/** Erases every text of a digital task, its results too. The hashes that the ledger holds stay. The caller holds the row's lock. */
export async function eraseTask(trx: Trx, id: string, { call }: Erasing): Promise<void> {
  await sql`update digital_tasks set title = ${ERASED}, description = ${ERASED}, salt = null, personal = null,
    erased_at = now(), erase_call = ${call} where id = ${id}`.execute(trx);
  await sql`delete from evidence where leg_id in (select id from digital_legs where task_id = ${id})`.execute(trx);
  // The sweep of files that no result names removes them from the store.
  await sql`update artifacts set position = null, name = null, content_type = null
    where leg_id in (select id from digital_legs where task_id = ${id})`.execute(trx);
  await sql`update digital_legs set instruction = ${ERASED}, result = null,
    result_hash = case when payment_lamports is not null then result_hash end where task_id = ${id}`.execute(trx);
  await eraseEvents(trx, taskSubject(id));
  await forgetAnswers(trx, id);
}

/** Erases the personal data of the events; an earlier version, and a service without keys, kept it in the payload. */
async function eraseEvents(trx: Trx, subject: string): Promise<void> {
  const rows = await trx
    .selectFrom('events')
    .select(['id', 'payload'])
    .where('subject', '=', subject)
    .where(hasPersonal)
    .execute();
  for (const { id, payload } of rows) {
    const shown = { payload: sealedPayload(payload).payload, personal: null };
    await trx.updateTable('events').set(shown).where('id', '=', id).execute();
  }
}

/** Erases the places in decisions, which keep their bids, distances and payments. */
async function eraseDecisions(trx: Trx, subject: string, key: KeyObject): Promise<void> {
  const rows = await trx.selectFrom('decisions').selectAll().where('subject', '=', subject).execute();
  for (const row of rows) {
    if (row.chosen === null) continue;
    const { mac, ...decision } = row;
    const erased = sealed(key, {
      ...decision,
      chosen: JSON.stringify(withoutPlaces(JSON.parse(row.chosen) as Chosen)),
    });
    if (erased.mac === mac) continue;
    // As it is: it keeps no key alive.
    await trx.updateTable('decisions').set(erased).where('unique_key', '=', row.unique_key).execute();
  }
}

function withoutPlaces({ origin: _origin, destination: _destination, ...chosen }: Chosen): Chosen {
  const { legs } = chosen;
  if (!Array.isArray(legs)) return chosen;
  return { ...chosen, legs: (legs as Chosen[]).map(({ pickup: _from, dropoff: _to, ...leg }) => leg) };
}

/** Answers that a repeated request would get again. */
async function forgetAnswers(trx: Trx, id: string): Promise<void> {
  await sql`delete from idempotency_keys where ${id} = any(ids)`.execute(trx);
}

/** Which of a kind are erased next. */
interface Due {
  days: number;
  /** The last id of the page before. */
  after: string | undefined;
  limit: number;
}

/** Those of a kind that ended so many days ago, finally, and are not erased, by id. */
export async function dueForErasure(db: Db, kind: ListingKind, { days, after, limit }: Due): Promise<string[]> {
  const { table, over } = LISTINGS[kind];
  const { rows } = await sql<{ id: string }>`
    select listing.id from ${sql.table(table)} listing
    join ledger_transactions ended on ended.signature = coalesce(listing.settle_signature, listing.end_signature)
    where listing.erased_at is null and listing.status in (${sql.join(over)})
      and ended.position is not null and ended.applied_at < now() - make_interval(days => ${days})
      and (${after ?? null}::uuid is null or listing.id > ${after ?? null}::uuid)
    order by listing.id limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Columns that hold what is sealed. */
const SEALED_COLUMNS = {
  packages: ['description', 'personal'],
  bids: ['reasoning', 'personal'],
  legs: ['personal'],
  evidence: ['text'],
  digital_tasks: ['title', 'description', 'personal'],
  digital_legs: ['instruction', 'result'],
  events: ['personal'],
  decisions: ['chosen'],
  signed_calls: ['body'],
  idempotency_keys: ['body'],
} as const satisfies { [Table in keyof Database]?: readonly (keyof Database[Table])[] };

/** Those of the months whose keys something is still sealed with. */
export async function keysInUse(db: Db, months: readonly string[]): Promise<Set<string>> {
  const inUse = new Set<string>();
  for (const month of months) {
    const { rows } = await sql<{ used: boolean }>`select ${sql.join(placesOf(month), sql` or `)} as used`.execute(db);
    if (rows[0]?.used === true) inUse.add(month);
  }
  return inUse;
}

/** The conditions that something is sealed with the month's key; a small index of each column finds it. */
function placesOf(month: string): RawBuilder<unknown>[] {
  const begins = `${MARK}${month}`;
  const sealedIn = Object.entries(SEALED_COLUMNS).flatMap(([table, columns]) =>
    columns.map(
      (column) =>
        sql`exists (select from ${sql.table(table)} where left(${sql.ref(column)}, ${sql.lit(begins.length)}) = ${sql.lit(begins)})`,
    ),
  );
  return [
    sql`exists (select from private_parts where key = ${month})`,
    sql`exists (select from work where marked_in = ${month})`,
    ...sealedIn,
  ];
}
