import { assetOf, type ListedAsset } from '../ledger/assets.js';
import { LegworkError, formatAmount } from '@legwork/protocol/contract';
import pg from 'pg';
import type { AppContext } from '../context.js';
import { eachWithinBudget } from '../coordinator/newcomers.js';
import { endBids, findRivals, insertBids, type NewBid, type Rivals, type StoredBid } from './bidRows.js';
import { type Standing, standingsInMirror } from '../agents/reputationRows.js';
import type { PackageRow, BidRow, LegRow } from '../db/schema.js';
import { keepBindingCalls, type KeptCall } from '../identity/signedCalls.js';
import { atEnd, inTransaction } from '../db/transaction.js';
import type { Trx } from '../db/connect.js';
import { qualifiedFor, requireQualifiedBy, requireQualified } from '../agents/qualified.js';
import { type Bidding, lockForBids, newBid, oneOfAgent, requireGoodBid, requireRoom, tellOfBids } from './submit.js';
import { type Coordinate, HANDOFF_RADIUS_KM, isWithinHandoff } from '@legwork/protocol/rules';
import { findLeg } from '../legs/moveRows.js';
import { nowhere } from '../legs/openings.js';
import { hadLeg, hasPlaces, insertOpeningBid, openingOf, priceOf } from '../legs/openingRows.js';

/** A bid that is stored. */
export interface PlacedBid {
  bid: StoredBid;
  parcel: PackageRow;
}

/** The prospects of a bidder. */
export interface Prospect {
  standing: Standing;
  /** True if the coordinator can take the agent on today. */
  isConsidered: boolean;
}

/**
 * Places bids on one package that came at once, in their order, those of one agent after each other. Each is judged for
 * itself, as if it had come alone.
 *
 * @returns of each what is stored, or why it was refused
 */
export async function placeBids(
  context: AppContext,
  biddings: readonly Bidding[],
): Promise<((PlacedBid & Prospect) | Error)[]> {
  // Over another connection: who bids is known before the package's turn comes.
  const [prospects, placed] = await Promise.all([prospectsOf(context, biddings), placeInTurns(context, biddings)]);
  return prospects.map((prospect, index) => {
    const one = placed[index] ?? new Error('a bid was neither placed nor refused');
    return one instanceof Error ? one : { ...one, ...prospect };
  });
}

/** The prospects of these bidders, in their order. */
async function prospectsOf(context: AppContext, biddings: readonly Bidding[]): Promise<Prospect[]> {
  const standings = await standingsInMirror(
    context.db,
    biddings.map(({ input }) => input.agentPubkey),
  );
  const bidders = standings.map((standing, index) => ({ ...standing, client: biddings[index]?.client ?? null }));
  const within = await eachWithinBudget(context, context.db, bidders);
  return standings.map((standing, index) => ({ standing, isConsidered: within[index] === true }));
}

/** As many transactions as one agent has bids among them: what an agent may bid depends on what it has bid. */
async function placeInTurns(context: AppContext, biddings: readonly Bidding[]): Promise<(PlacedBid | Error)[]> {
  const placed = new Map<Bidding, PlacedBid | Error>();
  let rest = [...biddings];
  while (rest.length > 0) {
    const agents = new Set<string>();
    const turn = rest.filter(({ input }) => agents.size < agents.add(input.agentPubkey).size);
    const outcomes = await placeOrSplit(context, turn);
    for (const [index, bidding] of turn.entries()) placed.set(bidding, outcomes[index] as PlacedBid | Error);
    rest = rest.filter((bidding) => !placed.has(bidding));
  }
  return biddings.map((bidding) => placed.get(bidding) as PlacedBid | Error);
}

/** Fails nobody but these, and for what the database refuses of one bid nobody but that one. */
async function placeOrSplit(context: AppContext, biddings: readonly Bidding[]): Promise<(PlacedBid | Error)[]> {
  try {
    return await placeTogether(context, biddings);
  } catch (error) {
    if (biddings.length === 1 || !isRefusedByDatabase(error)) {
      const reason = error instanceof Error ? error : new Error('bids could not be placed', { cause: error });
      return biddings.map(() => reason);
    }
    const outcomes: (PlacedBid | Error)[] = [];
    for (const bidding of biddings) outcomes.push(...(await placeOrSplit(context, [bidding])));
    return outcomes;
  }
}

/** Classes of SQLSTATE: data that is no good, and data that breaks a constraint. */
const REFUSED = /^2[23]/;

const isRefusedByDatabase = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && REFUSED.test(error.code ?? '');

async function placeTogether(context: AppContext, biddings: readonly Bidding[]): Promise<(PlacedBid | Error)[]> {
  const packageId = biddings[0]?.input.packageId ?? '';
  const { offers, parcel, storedAt } = await inTransaction(context.db, async (trx) => {
    // In this order, and sent together: the rivals are those at the package's turn.
    const [parcel, rivals] = await Promise.all([
      lockForBids(trx, packageId),
      findRivals(trx, packageId, biddings.map(oneOfAgent)),
    ]);
    const now = context.clock();
    const bids = biddings.map((bidding) => newBid(bidding, parcel, now));
    const agents = bids.map((bid) => bid.agent_pubkey);
    const qualified = await qualifiedFor(trx, parcel, agents);
    const judged = biddings.map((bidding, index) => {
      const bid = bids[index] as NewBid;
      const own = rivals[index] as Rivals;
      const fault = faultOf(() => {
        requireQualifiedBy(context, qualified, parcel, { agentPubkey: bid.agent_pubkey, signed: bid.signed });
        requireGoodBid(context, bidding.input, parcel, now);
        requireRoom(bid, own);
      });
      return { bid, call: bidding.call, same: own.same?.id, fault };
    });
    const good = judged.filter(({ fault }) => fault === undefined);
    const asset = assetOf(context.ledger.assets, parcel);
    return { offers: judged, parcel, storedAt: store(trx, { parcel, asset }, now, good) };
  });
  const createdAt = await storedAt;
  return offers.map(({ bid, fault }) => fault ?? { bid: { ...bid, created_at: createdAt }, parcel });
}

/** The caller's fault, if the check finds one. */
function faultOf(check: () => void): LegworkError | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof LegworkError) return error;
    throw error;
  }
}

/** A bid that no rule refuses, with the bid that it replaces. */
interface GoodBid {
  bid: NewBid;
  call: KeptCall | undefined;
  same: string | undefined;
}

/** Stores the bids at the end of the transaction, which makes an evaluation due, ends those that they replace, and tells of them. @returns when */
function store(
  trx: Trx,
  of: { parcel: PackageRow; asset: ListedAsset },
  now: Date,
  good: readonly GoodBid[],
): Promise<Date> {
  if (good.length === 0) return Promise.resolve(now);
  const bids = good.map(({ bid }) => bid);
  const calls = good.flatMap(({ call }) => call ?? []);
  const replaced = good.flatMap(({ same }) => same ?? []);
  // In this order: a bid names the call that it was made by, and takes the place of the one before.
  void atEnd(trx, () => Promise.all([keepBindingCalls(trx, calls), endBids(trx, replaced, 'replaced')]));
  const storedAt = atEnd(trx, () => insertBids(trx, of.parcel.id, bids));
  tellOfBids(trx, of, bids, now);
  return storedAt;
}

/** A bid for a vacant leg, in a database transaction that holds the package's lock. */
interface Asked {
  parcel: PackageRow;
  asset: ListedAsset;
  legId: string;
  now: Date;
}

/**
 * Places a bid for a vacant leg. It is signed: its package has terms.
 *
 * @throws LegworkError when a rule of bids refuses it
 */
export async function placeForLeg(context: AppContext, bidding: Bidding, legId: string): Promise<PlacedBid & Prospect> {
  const placed = await inTransaction(context.db, async (trx) => {
    const parcel = await lockForBids(trx, bidding.input.packageId);
    const now = context.clock();
    const bid = newBid(bidding, parcel, now);
    await requireQualified(context, trx, parcel, { agentPubkey: bid.agent_pubkey, signed: bid.signed });
    requireGoodBid(context, bidding.input, parcel, now);
    await keepBindingCalls(trx, bidding.call ? [bidding.call] : []);
    const asset = assetOf(context.ledger.assets, parcel);
    const stored = await placeOpeningBid(trx, { parcel, asset, legId, now }, bid);
    tellOfBids(trx, { parcel, asset }, [bid], now);
    return { bid: stored, parcel };
  });
  const [prospect] = await prospectsOf(context, [bidding]);
  if (!prospect) throw new Error('a bidder without a prospect');
  return { ...placed, ...prospect };
}

/**
 * Stores a bid for a vacant leg.
 *
 * @throws LegworkError `not_found`, `invalid_status`, `deadline_passed`, `agent_barred`, `bid_above_budget`, `invalid_input`
 */
async function placeOpeningBid(trx: Trx, { parcel, asset, legId, now }: Asked, bid: NewBid): Promise<BidRow> {
  const leg = await requireVacant(trx, parcel, legId, now);
  if (await hadLeg(trx, leg.swarm_id, bid.agent_pubkey)) {
    throw refused('agent_barred', 'agentPubkey', 'has, or had, a leg of this package; bid on another one');
  }
  const opening = await openingOf(trx, { parcel, asset }, leg);
  const most = await priceOf(trx, leg);
  requireNear('pickup', { lat: bid.pickup_lat, lng: bid.pickup_lng }, opening.pickup);
  requireNear('dropoff', { lat: bid.dropoff_lat, lng: bid.dropoff_lng }, opening.dropoff);
  if (bid.cost_lamports > most) {
    throw refused(
      'bid_above_budget',
      asset.token === null ? 'costSol' : 'cost',
      `is ${formatAmount(bid.cost_lamports, asset)}; this leg may cost at most ${formatAmount(most, asset)}`,
    );
  }
  return insertOpeningBid(trx, bid);
}

async function requireVacant(trx: Trx, parcel: PackageRow, legId: string, now: Date): Promise<LegRow> {
  const found = await findLeg(trx, legId);
  if (found?.parcel.id !== parcel.id) throw refused('not_found', 'legId', 'no leg of this package has this id');
  const { leg } = found;
  if (parcel.status !== 'in_transit' || leg.stage !== 'vacant' || leg.ended_at !== null) {
    throw refused('invalid_status', 'legId', 'is of a leg that takes no bids; GET /openings lists those that do');
  }
  if (!hasPlaces(leg)) throw nowhere();
  if (now < parcel.deadline) return leg;
  throw refused(
    'deadline_passed',
    'legId',
    `is of a package whose deadline passed at ${parcel.deadline.toISOString()}`,
  );
}

function requireNear(what: 'pickup' | 'dropoff', given: Coordinate, wanted: Coordinate): void {
  if (isWithinHandoff(given, wanted)) return;
  const place = `${wanted.lat},${wanted.lng}`;
  throw refused('invalid_input', `${what}Lat`, `must lie within ${HANDOFF_RADIUS_KM} km of where the leg is: ${place}`);
}

const refused = (code: Parameters<typeof LegworkError.field>[0], field: string, message: string) =>
  LegworkError.field(code, field, message);
