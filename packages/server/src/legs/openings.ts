import { type Assets, assetOf, inAsset, lamportsOf } from '../ledger/assets.js';
import { type AnswerOf, type operations, LegworkError } from '@legwork/protocol/contract';
import type { Coordinate } from '@legwork/protocol/rules';
import type { Db, Trx } from '../db/connect.js';
import { findLeg } from './moveRows.js';
import { hasPlaces, moveOpeningTo, openingOf, openLeg, openLegs, pickupOf, placeLeg, priceOf } from './openingRows.js';
import { readLedgerTime } from '../ledger/ledger.js';
import { appendEvent } from '../db/events.js';
import { lockPackage } from '../packages/packageRows.js';
import type { LegRow, PackageRow } from '../db/schema.js';
import { packageSubject } from '../db/listings.js';
import { inTransaction } from '../db/transaction.js';
import type { AppContext } from '../context.js';
import type { Caller, In, Out } from '../operations/run.js';

const MOST_OPENINGS = 200;

type Answer = AnswerOf<typeof operations.moveOpening>;
type OpenLeg = LegRow & Pick<PackageRow, 'description' | 'deadline'> & { package_id: string };

export async function listOpenings({ db, ledger }: AppContext, { packageId }: In<'listOpenings'>): Out<'listOpenings'> {
  const legs = await openLegs(db, { packageId, limit: MOST_OPENINGS });
  return { answer: await Promise.all(legs.map((leg) => viewOpening(db, leg, ledger.assets))) };
}

async function viewOpening(db: Db | Trx, leg: OpenLeg, assets: Assets): Promise<Answer> {
  const maxCost = await priceOf(db, leg);
  return {
    ...inAsset(assets, leg),
    legId: leg.id,
    packageId: leg.package_id,
    legIndex: leg.leg_index,
    pickup: pickupOf(leg),
    dropoff: { lat: leg.dropoff_lat, lng: leg.dropoff_lng },
    maxCost,
    maxCostLamports: lamportsOf(leg, maxCost),
    deadline: leg.deadline,
    closesAt: leg.evaluate_at,
    packageDescription: leg.description,
  };
}

/**
 * The shipper says where the next courier picks the parcel up; bids for the old place end. Where nobody here knows the places of the leg,
 * it says where that ends too, and the leg opens. Rules T-55, S-258.
 */
export async function moveOpening(
  context: AppContext,
  input: In<'moveOpening'>,
  { pubkey }: Caller,
): Out<'moveOpening'> {
  const { packageId, legId } = input;
  const now = await readLedgerTime(context.ledger);
  const answer = await inTransaction(context.db, async (trx) => {
    await lockPackage(trx, packageId);
    const { parcel, leg } = await requireVacant(trx, packageId, legId);
    if (pubkey !== parcel.shipper_pubkey) {
      throw LegworkError.field(
        'not_your_turn',
        'X-Pubkey',
        `only the shipper, ${parcel.shipper_pubkey}, moves an opening`,
      );
    }
    const pickup = { lat: input.pickupLat, lng: input.pickupLng };
    const dropoff = dropoffSaid(input, leg);
    const moved =
      dropoff === undefined
        ? await moveOpeningTo(trx, leg, pickup)
        : { ...(await placeLeg(trx, leg, { pickup, dropoff })), evaluate_at: await openLeg(trx, legId, now) };
    const { assets } = context.ledger;
    const opening = await openingOf(trx, { parcel, asset: assetOf(assets, parcel) }, moved);
    const closesAt = moved.evaluate_at ?? context.clock();
    appendEvent(trx, 'LEG_OPENED', packageSubject(packageId), { ...opening, closesAt });
    const shown = { ...moved, package_id: packageId, description: parcel.description, deadline: parcel.deadline };
    return viewOpening(trx, shown, assets);
  });
  context.wakers.sequencer.wake();
  return { answer };
}

async function requireVacant(trx: Trx, packageId: string, legId: string) {
  const found = await findLeg(trx, legId);
  if (found?.parcel.id !== packageId) {
    throw LegworkError.field('not_found', 'legId', 'no leg of this package has this id');
  }
  const { leg, swarm } = found;
  const isOpen = leg.stage === 'vacant' && leg.ended_at === null && swarm.status === 'active';
  if (isOpen) return found;
  const why = leg.ended_at === null ? (leg.stage ?? 'of a package without terms') : 'over: another courier has it';
  throw LegworkError.field('invalid_status', 'legId', `is of a leg that is ${why}, not vacant`);
}

/** Where the leg ends, if its shipper has to say so and does. @throws LegworkError `invalid_input`, `nowhere` */
function dropoffSaid({ dropoffLat: lat, dropoffLng: lng }: In<'moveOpening'>, leg: LegRow): Coordinate | undefined {
  const isSaid = lat !== undefined && lng !== undefined;
  if (hasPlaces(leg)) {
    if (lat === undefined && lng === undefined) return undefined;
    const wrong = 'is given of a leg whose end is known: only its pickup moves';
    throw LegworkError.field('invalid_input', 'dropoffLat', wrong);
  }
  if (!isSaid) throw nowhere();
  return { lat, lng };
}

/** Of a vacant leg that was rebuilt from the ledger. */
export const nowhere = (): LegworkError =>
  LegworkError.field(
    'invalid_status',
    'legId',
    'is of a leg whose places were lost with a former database: nobody can offer to carry it before its shipper says where it begins and ' +
      'ends (moveOpening with pickupLat, pickupLng, dropoffLat, dropoffLng)',
  );
