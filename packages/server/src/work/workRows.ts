import type { Lamports, WorkKind } from '@legwork/protocol/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Db, Trx } from '../db/connect.js';
import { type Box, boxAround, liesInBox, liesWithin, ROUNDING_KM, type Surroundings } from '../db/near.js';
import type { WorkTable } from '../db/schema.js';
import type { Frequencies } from './frequencies.js';
import type { Marks } from './words.js';

/** The agent that the work is for, and the limits of what it can have. */
export interface Seeker {
  pubkey: string;
  /** Percent. */
  score: number;
  completed: number;
  capabilities: readonly string[];
  /** True if it gets a leg with terms now; below, one of a package with private parts. */
  mayBind: boolean;
  mayRead: boolean;
  /** The balance of its wallet; undefined: the service does not know. */
  lamports: Lamports | undefined;
}

/** The criteria of a search for work; one that is left out says nothing. */
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
  /** Number of what it pays in. */
  asset?: number | undefined;
  deadlineAfter?: Date | undefined;
  deadlineBefore?: Date | undefined;
  seeker?: Seeker | undefined;
}

export type WorkRow = Pick<WorkTable, 'id' | 'kind' | 'listing_id' | 'stake' | 'has_terms' | 'closes_at' | 'pay'> & {
  asset: number;
};

/** A place in the list of work. */
export interface WorkPlace {
  listing: string;
  id: string;
}

/** To fetch a row that an index finds, which lies anywhere on the disk, takes as long as to walk over so many in their order. */
const FETCHING = 5;
/** So many times what it should take is walked over before all that indexes find is fetched and sorted. */
const PATIENCE = 5;
/** Of the packages of a circle so many, the newest, are fetched one after the other. */
const NEARBY = 1_000;

/** Of the places of vacant legs the columns know whole degrees. */
const WHOLE_DEGREES = 0.5;

/** Listings of which the ledger took a transaction back: nobody can bid on them. Rule S-107. */
const HALTED = sql`array(select split_part(subject, ':', 2)::uuid from ledger_transactions, unnest(subjects) subject
  where reverted_at is not null)`;

/** A box as PostgreSQL indexes it, one for each range of longitudes. */
const indexedBoxes = ({ lat, lng }: Box) =>
  lng.map(
    ([west, east]) =>
      sql`point(lng, lat) <@ box(point(${west}::float8, ${lat[0]}::float8), point(${east}::float8, ${lat[1]}::float8))`,
  );

const wider = ({ center, radiusKm }: Surroundings): Surroundings => ({ center, radiusKm: radiusKm + ROUNDING_KM });

/** The rows that can lie in the circle, by what they know of their place. */
function mayLieIn(near: Surroundings, kind: WorkKind, isIndexed: boolean): RawBuilder<unknown> {
  if (kind === 'leg') return sql`false`;
  if (kind === 'opening') return liesInBox(boxAround(near), 'lat', 'lng', WHOLE_DEGREES);
  const within = liesWithin(wider(near), 'lat', 'lng');
  return isIndexed ? sql`(${sql.join(indexedBoxes(boxAround(wider(near))), sql` or `)}) and ${within}` : within;
}

/** The packages in the circle's box, as the index of places knows them: no row is fetched for that. */
const packagesNear = (near: Surroundings) =>
  sql.join(
    indexedBoxes(boxAround(wider(near))).map(
      (isInBox) => sql`select lat, lng, listing_id as place from work_package where is_open and ${isInBox}`,
    ),
    sql` union all `,
  );

/** How many packages start in the circle's box, up to so many. */
async function countNear(db: Db | Trx, near: Surroundings, most: number): Promise<number> {
  const { rows } = await sql<{ count: bigint }>`
    select count(*) as count from (select from (${packagesNear(near)}) each limit ${most}) nearby`.execute(db);
  return Number(rows[0]?.count);
}

/** The conditions for what the agent can take. Rules M-17, M-54, T-53, T-71, T-110, T-111, S-151. */
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
  // Its tokens are not looked up.
  if (lamports !== undefined) conditions.push(sql`(stake <= ${lamports} or asset <> 0)`);
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

function conditionsOf(search: WorkSearch, kind: WorkKind, now: Date, isIndexed = false) {
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
  if (near !== undefined) all.push(mayLieIn(near, kind, isIndexed));
  if (search.asset !== undefined) all.push(sql`asset = ${search.asset}`);
  // Amounts of a search are in SOL.
  if ((minPay ?? minPayPerKm ?? maxStake) !== undefined) all.push(sql`asset = 0`);
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
const COLUMNS = sql`id, kind, listing_id, asset, stake, has_terms, closes_at, pay`;

/** Which part of what is found: so many from a place on. */
interface Part {
  now: Date;
  after: WorkPlace | undefined;
  limit: number;
}

const isFrom = ({ after }: Part) =>
  after === undefined ? sql`true` : sql`(listing_id, id) < (${after.listing}::uuid, ${after.id}::uuid)`;
const inOrder = (limit: number) => sql`order by listing_id desc, id desc limit ${limit}`;

/** In whichever way PostgreSQL takes for the best: it knows how often each value comes, but not how often each word and place. */
const byGuess = (search: WorkSearch, kind: WorkKind, part: Part) => sql<WorkRow>`
  select ${COLUMNS} from work where ${conditionsOf(search, kind, part.now)} and ${isFrom(part)} ${inOrder(part.limit)}`;

/** Among the newest rows alone. All or none of a listing are among them, so that no index has to know their order further. */
const amongNewest = (search: WorkSearch, kind: WorkKind, part: Part, newest: number) => sql<WorkRow>`
  select ${COLUMNS} from (select * from work where is_open and kind = ${sql.lit(kind)} and ${isFrom(part)}
      order by listing_id desc fetch first (${Math.ceil(newest)}) rows with ties) work
    where ${conditionsOf(search, kind, part.now)} ${inOrder(part.limit)}`;

/** Among the newest packages of a circle alone. */
const amongNearby = (search: WorkSearch, near: Surroundings, part: Part) => sql<WorkRow>`
  select ${COLUMNS} from (select place from (${packagesNear(near)}) each where ${liesWithin(wider(near), 'lat', 'lng')}
      and ${part.after === undefined ? sql`true` : sql`place <= ${part.after.listing}::uuid`} order by place desc limit ${NEARBY}) nearby
    join work on id = place
    where ${conditionsOf(search, 'package', part.now)} and ${isFrom(part)} order by place desc limit ${part.limit}`;

/** By indexes alone: that it is to be sorted is not known where the way is chosen. */
const lookedUp = (search: WorkSearch, kind: WorkKind, part: Part) => sql<WorkRow>`
  with found as materialized (select ${COLUMNS} from work where ${conditionsOf(search, kind, part.now, true)} and ${isFrom(part)})
  select * from found ${inOrder(part.limit)}`;

/**
 * PostgreSQL guesses badly how many rows have a word, or lie in a circle, and then walks through all work for what is rare, or fetches and
 * sorts what is common. So here it is decided which is shorter: the walk until a page is full, or what indexes find.
 */
async function pageOfKind(
  db: Db | Trx,
  search: WorkSearch,
  kind: WorkKind,
  { frequencies, ...part }: Part & { frequencies: Frequencies },
): Promise<WorkRow[]> {
  const { near, words } = search;
  const { limit } = part;
  const read = async (way: RawBuilder<WorkRow>) => (await way.execute(db)).rows;
  if (near === undefined && words === undefined) return read(byGuess(search, kind, part));
  if (near !== undefined && kind === 'leg') return [];
  const all = frequencies.rows(kind);
  let share = frequencies.share(kind, words ?? []);
  if (near !== undefined && kind === 'package') {
    const few = Math.ceil(2 * Math.sqrt(limit * all));
    const nearby = await countNear(db, near, few + 1);
    if (nearby <= few && words === undefined) {
      const rows = await read(amongNearby(search, near, part));
      return rows.length === limit || nearby <= NEARBY ? rows : read(lookedUp(search, kind, part));
    }
    share *= nearby / Math.max(all, nearby, 1);
  }
  const walk = limit / share;
  const rows =
    walk < FETCHING * share * all
      ? await read(amongNewest(search, kind, part, Math.min(PATIENCE * walk, FETCHING * share * all)))
      : [];
  return rows.length === limit ? rows : read(lookedUp(search, kind, part));
}

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);

/** A page of open work, newest listings first. With `near` some may lie outside: their exact places are sealed. */
export async function pageOfWork(
  db: Db | Trx,
  search: WorkSearch,
  part: Part & { frequencies: Frequencies },
): Promise<WorkRow[]> {
  const kinds = search.kind === undefined ? KINDS : [search.kind];
  const rows = await Promise.all(kinds.map((kind) => pageOfKind(db, search, kind, part)));
  return rows
    .flat()
    .toSorted((one, other) => compare(other.listing_id, one.listing_id) || compare(other.id, one.id))
    .slice(0, part.limit);
}

/** The packages, or the tasks, that something is open of, for the list of either. */
export function listingsWithWork(search: WorkSearch & { kind: WorkKind }, now: Date): RawBuilder<string> {
  return sql<string>`(select listing_id from work where ${conditionsOf(search, search.kind, now)})`;
}

/** The selection of rows that a list shows. */
export interface Found {
  ids: RawBuilder<string>;
  /** Nothing is open of listings with another status. */
  statuses: readonly string[];
}

/** True if a list shows its row, a package or a digital task. */
export const isFound = ({ ids, statuses }: Found) => sql<boolean>`id in ${ids} and status = any (${statuses}::text[])`;

/** Gives a draft's row its marks. */
export async function setMarks(trx: Db | Trx, id: string, { marked_in, marks }: Marks): Promise<void> {
  await trx.updateTable('work').set({ marked_in, marks }).where('id', '=', id).execute();
}

/** The inputs for the marks of a row. */
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
