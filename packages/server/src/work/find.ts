import { type Assets, inAsset, lamportsOf, solOf } from '../ledger/assets.js';
import { createHash } from 'node:crypto';
import { LegworkError, type OpenWork } from '@legwork/protocol/contract';
import { greatCircleKm } from '@legwork/protocol/rules';
import type { AppContext } from '../context.js';
import type { Trx } from '../db/connect.js';
import { ROUNDING_KM } from '../db/near.js';
import { inTransaction } from '../db/transaction.js';
import { readTerms } from '../ledger/terms.js';
import { pickupOf } from '../legs/openingRows.js';
import { cutPage, readCursor, searchPosition } from '../operations/cursor.js';
import type { In, Out } from '../operations/run.js';
import { isLegWorkable } from '../tasks/guards.js';
import { legsByTask } from '../tasks/taskLegRows.js';
import { frequenciesOf } from './frequencies.js';
import { searchOf } from './search.js';
import { pageOfWork, type WorkPlace, type WorkRow, type WorkSearch } from './workRows.js';

/** A short name that tells searches apart. */
const nameOf = (asked: object) => createHash('sha256').update(JSON.stringify(asked)).digest('base64url').slice(0, 12);

/** Where the page before ended. @throws LegworkError `invalid_input`, also for a cursor of another search. Rule M-85 */
function placeAfter(name: string, cursor: string | undefined): WorkPlace | undefined {
  const read = readCursor(searchPosition, cursor);
  if (read === undefined) return undefined;
  const [of, listing, id] = read;
  if (of === name) return { listing, id };
  throw LegworkError.field(
    'invalid_input',
    'cursor',
    'is of another search; give the other arguments as they were when it came, or leave it out for the first page',
  );
}

export async function findWork(context: AppContext, input: In<'findWork'>): Out<'findWork'> {
  const { limit, cursor, ...asked } = input;
  const name = nameOf(asked);
  let after = placeAfter(name, cursor);
  const search = await searchOf(context, asked);
  const wanted = rowsFor(search, limit + 1);
  const now = context.clock();
  const frequencies = await frequenciesOf(context.db);
  const found = await inTransaction(
    context.db,
    async (trx) => {
      const shown: Shown[] = [];
      for (;;) {
        const rows = await pageOfWork(trx, search, { now, after, limit: wanted, frequencies });
        shown.push(...(await viewWork(context.ledger.assets, trx, rows)).filter(({ work }) => isWithin(search, work)));
        const last = rows.at(-1);
        if (rows.length < wanted || shown.length > limit || last === undefined) return shown;
        after = { listing: last.listing_id, id: last.id };
      }
    },
    'repeatable read',
  );
  const { page, nextCursor } = cutPage(found, limit, ({ row }) => [name, row.listing_id, row.id]);
  return { answer: page.map(({ work }) => work), nextCursor };
}

/** How many rows to ask for so that so many are shown, mostly: near the edge of a circle some are not within it. */
function rowsFor({ near }: WorkSearch, shown: number): number {
  if (near === undefined) return shown;
  const edge = (1 + ROUNDING_KM / near.radiusKm) ** 2;
  return Math.ceil(shown * Math.min(2, 1.1 * edge));
}

function isWithin({ near }: WorkSearch, { originLat: lat, originLng: lng }: OpenWork): boolean {
  return (
    near === undefined || (lat !== null && lng !== null && greatCircleKm(near.center, { lat, lng }) <= near.radiusKm)
  );
}

interface Shown {
  row: WorkRow;
  work: OpenWork;
}

/** The rows with what is to be known of them, in their order. */
async function viewWork(assets: Assets, trx: Trx, rows: readonly WorkRow[]): Promise<Shown[]> {
  const view = { ...(await packagesOf(trx, rows)), ...(await tasksOf(trx, rows)) };
  return rows.flatMap((row) => {
    const work = view[row.id];
    return work === undefined ? [] : [{ row, work: { ...work, ...ofRow(assets, row) } }];
  });
}

const ofRow = (assets: Assets, row: WorkRow) => ({
  kind: row.kind,
  ...inAsset(assets, row),
  maxPay: row.pay,
  maxPaySol: solOf(row, row.pay),
  maxPayLamports: lamportsOf(row, row.pay),
  hasTerms: row.has_terms,
  stake: row.stake,
  stakeLamports: lamportsOf(row, row.stake),
  closesAt: row.closes_at,
});

type Details = Record<string, Omit<OpenWork, keyof ReturnType<typeof ofRow>>>;

const ofKinds = (rows: readonly WorkRow[], ...kinds: WorkRow['kind'][]) =>
  rows.filter(({ kind }) => kinds.includes(kind));

async function packagesOf(trx: Trx, rows: readonly WorkRow[]): Promise<Details> {
  const wanted = ofKinds(rows, 'package', 'opening');
  if (wanted.length === 0) return {};
  const openings = ofKinds(rows, 'opening').map(({ id }) => id);
  const parcels = await trx
    .selectFrom('packages')
    .selectAll()
    .where(
      'id',
      'in',
      wanted.map((row) => row.listing_id),
    )
    .execute();
  const legs =
    openings.length === 0 ? [] : await trx.selectFrom('legs').selectAll().where('id', 'in', openings).execute();
  return Object.fromEntries(
    wanted.flatMap((row) => {
      const parcel = parcels.find(({ id }) => id === row.listing_id);
      const leg = legs.find(({ id }) => id === row.id);
      if (parcel === undefined) return [];
      const origin = leg ? pickupOf(leg) : { lat: parcel.origin_lat, lng: parcel.origin_lng };
      const destination = leg
        ? { lat: leg.dropoff_lat, lng: leg.dropoff_lng }
        : { lat: parcel.dest_lat, lng: parcel.dest_lng };
      const work = {
        packageId: parcel.id,
        taskId: null,
        legId: leg?.id ?? null,
        legIndex: leg?.leg_index ?? null,
        isWorkable: true,
        shipperPubkey: parcel.shipper_pubkey,
        title: null,
        text: parcel.description,
        originLat: origin.lat,
        originLng: origin.lng,
        destLat: destination.lat,
        destLng: destination.lng,
        distanceKm: greatCircleKm(origin, destination),
        weightKg: parcel.weight_kg,
        volumeLitres: parcel.volume_litres,
        terms: parcel.terms && readTerms(parcel.terms, parcel),
        requirements: parcel.requirements,
        deadline: parcel.deadline,
        biddingClosesAt: leg ? null : parcel.bidding_closes_at,
        claimTimeoutSec: null,
      };
      return [[row.id, work]];
    }),
  );
}

async function tasksOf(trx: Trx, rows: readonly WorkRow[]): Promise<Details> {
  const wanted = ofKinds(rows, 'leg');
  if (wanted.length === 0) return {};
  const ids = [...new Set(wanted.map((row) => row.listing_id))];
  const tasks = await trx.selectFrom('digital_tasks').selectAll().where('id', 'in', ids).execute();
  const legs = await legsByTask(trx, ids);
  return Object.fromEntries(
    wanted.flatMap((row) => {
      const task = tasks.find(({ id }) => id === row.listing_id);
      const own = legs.get(row.listing_id) ?? [];
      const leg = own.find(({ id }) => id === row.id);
      if (task === undefined || leg === undefined) return [];
      const work = {
        packageId: null,
        taskId: task.id,
        legId: leg.id,
        legIndex: leg.leg_index,
        isWorkable: isLegWorkable({ status: task.status === 'draft' ? 'listed' : task.status }, own, leg.leg_index),
        shipperPubkey: task.shipper_pubkey,
        title: task.title,
        text: leg.instruction,
        originLat: null,
        originLng: null,
        destLat: null,
        destLng: null,
        distanceKm: null,
        weightKg: null,
        volumeLitres: null,
        terms: task.terms && readTerms(task.terms, task),
        requirements: task.requirements,
        deadline: task.deadline,
        biddingClosesAt: null,
        claimTimeoutSec: task.claim_timeout_sec,
      };
      return [[row.id, work]];
    }),
  );
}
