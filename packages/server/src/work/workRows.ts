import type { Lamports, WorkKind } from '@legwork/protocol/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Db, Trx } from '../db/connect.js';
import { type Box, boxAround, liesInBox, liesWithin, ROUNDING_KM, type Surroundings } from '../db/near.js';
import type { WorkTable } from '../db/schema.js';
import type { Marks } from './words.js';

/** Whom the work is for, and what it may have. */
export interface Seeker {
  pubkey: string;
  /** Percent. */
  score: number;
  completed: number;
  capabilities: readonly string[];
  /** Whether it gets a leg with terms now, and one of a package with private parts. */
  mayBind: boolean;
  mayRead: boolean;
  /** What its wallet holds; undefined: the service does not know. */
  lamports: Lamports | undefined;
}

/** What work is looked for by; what is left out says nothing. */
export interface WorkSearch {
  kind?: WorkKind | undefined;
  shipper?: string | undefined;
  /** For each word the marks of which one has to be there. */
  words?: readonly (readonly string[])[] | undefined;
  capability?: string | undefined;
  near?: Surroundings | undefined;
  minPay?: Lamports | undefined;
  minPayPerKm?: Lamports | undefined;
  maxStake?: Lamports | undefined;
  hasTerms?: boolean | undefined;
  deadlineAfter?: Date | undefined;
  deadlineBefore?: Date | undefined;
  seeker?: Seeker | undefined;
}

export type WorkRow = Pick<WorkTable, 'id' | 'kind' | 'listing_id' | 'stake' | 'has_terms' | 'closes_at' | 'pay'>;

/** A place in the list of work. */
export interface WorkPlace {
  listing: string;
  id: string;
}

/** Circles with more packages than this are found while walking through all work in its order, which then ends soon. */
const MANY = 3_000;

/** Of the places of vacant legs the columns know whole degrees. */
const WHOLE_DEGREES = 0.5;

/** Listings of which the ledger took a transaction back: nobody can bid on them. Rule S-107. */
const HALTED = sql`array(select split_part(subject, ':', 2)::uuid from ledger_transactions, unnest(subjects) subject
  where reverted_at is not null)`;

/** A box as PostgreSQL indexes it, one for each range of longitudes. */
const inIndexedBox = ({ lat, lng }: Box) =>
  sql.join(
    lng.map(
      ([west, east]) =>
        sql`point(lng, lat) <@ box(point(${sql.lit(west)}, ${sql.lit(lat[0])}), point(${sql.lit(east)}, ${sql.lit(lat[1])}))`,
    ),
    sql` or `,
  );

const wider = ({ center, radiusKm }: Surroundings): Surroundings => ({ center, radiusKm: radiusKm + ROUNDING_KM });

/** What may lie in the circle, by what the rows know of its place. */
function mayLieIn(near: Surroundings, kind: WorkKind, isSparse: boolean): RawBuilder<unknown> {
  if (kind === 'leg') return sql`false`;
  if (kind === 'opening') return liesInBox(boxAround(near), 'lat', 'lng', WHOLE_DEGREES);
  const within = liesWithin(wider(near), 'lat', 'lng');
  return isSparse ? sql`(${inIndexedBox(boxAround(wider(near)))}) and ${within}` : within;
}

/** Whether few packages start in the circle's box. */
async function isSparse(db: Db | Trx, near: Surroundings): Promise<boolean> {
  const { rows } = await sql<{ few: boolean }>`
    select count(*) <= ${MANY} as few from (select from work where is_open and kind = 'package'
      and (${inIndexedBox(boxAround(wider(near)))}) limit ${MANY + 1}) nearby`.execute(db);
  return rows[0]?.few === true;
}

/** What the agent may take. Rules M-17, M-54, T-53, T-71, T-110, T-111, S-151. */
function openTo(seeker: Seeker, kind: WorkKind): RawBuilder<unknown>[] {
  const { pubkey, score, completed, capabilities, mayBind, mayRead, lamports } = seeker;
  const conditions = [
    sql`${pubkey} <> all (parties) and ${pubkey} <> all (blocked)`,
    sql`min_score <= ${score} and min_completed <= ${completed}`,
    // Most require none, which PostgreSQL would not guess of the second alone.
    sql`(capabilities = '{}' or capabilities <@ ${capabilities}::text[])`,
  ];
  if (!mayBind) conditions.push(sql`not has_terms`);
  if (!mayRead) conditions.push(sql`not is_private`);
  if (lamports !== undefined) conditions.push(sql`stake <= ${lamports}`);
  if (kind === 'leg') {
    conditions.push(
      sql`not exists (select from barred_agents where task_id = listing_id and agent_pubkey = ${pubkey})`,
      sql`not exists (select from digital_legs where task_id = listing_id and agent_pubkey = ${pubkey})`,
    );
  }
  if (kind === 'opening') {
    conditions.push(sql`not exists (select from legs vacant join legs own on own.swarm_id = vacant.swarm_id
      where vacant.id = work.id and own.agent_pubkey = ${pubkey})`);
  }
  return conditions;
}

/** The instant stands in the text, so that each search is planned for its own values: what is rare is looked up, what is common is not. */
const instant = (at: Date) => sql`${sql.lit(at.toISOString())}::timestamptz`;

function conditionsOf(search: WorkSearch, kind: WorkKind, { now, sparse }: { now: Date; sparse: boolean }) {
  const { near, words, capability, minPay, minPayPerKm, maxStake, hasTerms, seeker } = search;
  const all = [
    sql`is_open and kind = ${sql.lit(kind)} and closes_at > ${instant(now)} and listing_id <> all (${HALTED})`,
  ];
  if (search.shipper !== undefined) all.push(sql`lister = ${search.shipper}`);
  if (words?.length === 0) all.push(sql`false`);
  for (const marks of words ?? []) {
    const list = sql`array[${sql.join(marks.map((mark) => sql.raw(`${BigInt(mark)}`)))}]::int8[]`;
    all.push(marks.length === 1 ? sql`marks @> ${list}` : sql`marks && ${list}`);
  }
  if (capability !== undefined) {
    all.push(sql`capabilities <> '{}' and capabilities @> array[${capability}]::text[]`);
  }
  if (near !== undefined) all.push(mayLieIn(near, kind, sparse));
  if (minPay !== undefined) all.push(sql`pay >= ${minPay}`);
  if (minPayPerKm !== undefined) all.push(kind === 'leg' ? sql`false` : sql`per_km >= ${minPayPerKm}::float8`);
  if (maxStake !== undefined) all.push(sql`stake <= ${maxStake}`);
  if (hasTerms !== undefined) all.push(hasTerms ? sql`has_terms` : sql`not has_terms`);
  if (search.deadlineAfter) all.push(sql`deadline > ${instant(search.deadlineAfter)}`);
  if (search.deadlineBefore) all.push(sql`deadline < ${instant(search.deadlineBefore)}`);
  if (seeker) all.push(...openTo(seeker, kind));
  return sql.join(all, sql` and `);
}

const KINDS: readonly WorkKind[] = ['package', 'opening', 'leg'];

/** A page of open work, newest listings first. With `near` some may lie outside: their exact places are sealed. */
export async function pageOfWork(
  db: Db | Trx,
  search: WorkSearch,
  { now, after, limit }: { now: Date; after: WorkPlace | undefined; limit: number },
): Promise<WorkRow[]> {
  const kinds = search.kind === undefined ? KINDS : [search.kind];
  const sparse = search.near !== undefined && kinds.includes('package') && (await isSparse(db, search.near));
  const from = after === undefined ? sql`true` : sql`(listing_id, id) < (${after.listing}::uuid, ${after.id}::uuid)`;
  const ordered = sql`order by listing_id desc, id desc limit ${limit}`;
  const ofKind = (kind: WorkKind) => sql`(select id, kind, listing_id, stake, has_terms, closes_at, pay from work
    where ${conditionsOf(search, kind, { now, sparse })} and ${from} ${ordered})`;
  const { rows } = await sql<WorkRow>`
    select * from (${sql.join(kinds.map(ofKind), sql` union all `)}) found ${ordered}`.execute(db);
  return rows;
}

/** The packages, or the tasks, that something is open of, for the list of either. */
export function listingsWithWork(search: WorkSearch & { kind: WorkKind }, now: Date): RawBuilder<string> {
  return sql<string>`(select listing_id from work where ${conditionsOf(search, search.kind, { now, sparse: false })})`;
}

/** What a list is to show of all that there is. */
export interface Found {
  ids: RawBuilder<string>;
  /** Nothing is open of listings with another status. */
  statuses: readonly string[];
}

/** Whether a list shows its row, a package or a digital task. */
export const isFound = ({ ids, statuses }: Found) => sql<boolean>`id in ${ids} and status = any (${statuses}::text[])`;

/** Gives a draft's row its marks. */
export async function setMarks(trx: Db | Trx, id: string, { marked_in, marks }: Marks): Promise<void> {
  await trx.updateTable('work').set({ marked_in, marks }).where('id', '=', id).execute();
}

/** What a row's marks are to be made of. */
export interface Unmarked {
  id: string;
  listing_id: string;
  kind: WorkKind;
}

/** Rows without marks, or with marks made without a key while there are keys now. */
export async function unmarked(db: Db, hasKeys: boolean, limit: number): Promise<Unmarked[]> {
  const isToBeMarked = hasKeys ? sql<boolean>`marked_in is null or marked_in = ''` : sql<boolean>`marked_in is null`;
  return db.selectFrom('work').select(['id', 'listing_id', 'kind']).where(isToBeMarked).limit(limit).execute();
}

/** Takes off the list what nobody can bid on or claim any more. @returns how many */
export async function sweepClosedWork(db: Db): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('work')
    .set({ is_open: false })
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('work')
        .select('id')
        .where('is_open', '=', true)
        .where('closes_at', '<=', sql<Date>`now()`)
        .limit(10_000),
    )
    .executeTakeFirst();
  return Number(numUpdatedRows);
}
