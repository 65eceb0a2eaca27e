import { RelayError } from '@legwork/protocol/contract';
import pg from 'pg';
import type { AppContext } from '../../context.js';
import { eachWithinBudget } from '../../coordinator/newcomers.js';
import { endBids, findRivals, insertBids, type NewBid, type Rivals, type StoredBid } from '../../db/bids.js';
import { type Standing, standingsInMirror } from '../../db/reputations.js';
import type { PackageRow } from '../../db/schema.js';
import { keepBindingCalls, type KeptCall } from '../../db/signedCalls.js';
import { inTransaction } from '../../db/transaction.js';
import type { Trx } from '../../db/connect.js';
import { qualifiedFor, requireQualifiedBy } from '../qualified.js';
import { type Bidding, lockForBids, newBid, oneOfAgent, requireGoodBid, requireRoom, tellOfBids } from './bidding.js';

/** A bid that is stored. */
export interface PlacedBid {
  bid: StoredBid;
  parcel: PackageRow;
}

/** What a bidder has to expect. */
export interface Prospect {
  standing: Standing;
  /** Whether the coordinator may take the agent on today. */
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

/** What those who bid have to expect, in their order. */
export async function prospectsOf(context: AppContext, biddings: readonly Bidding[]): Promise<Prospect[]> {
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
  return inTransaction(context.db, async (trx) => {
    // In this order, and sent together: the rivals are those at the package's turn.
    const [parcel, rivals] = await Promise.all([
      lockForBids(trx, packageId),
      findRivals(trx, packageId, biddings.map(oneOfAgent)),
    ]);
    const now = context.clock();
    const bids = biddings.map((bidding) => newBid(bidding, parcel, now));
    const agents = bids.map((bid) => bid.agent_pubkey);
    const qualified = await qualifiedFor(trx, parcel, agents);
    const offers = biddings.map((bidding, index) => {
      const bid = bids[index] as NewBid;
      const own = rivals[index] as Rivals;
      const fault = faultOf(() => {
        requireQualifiedBy(context, qualified, parcel, { agentPubkey: bid.agent_pubkey, signed: bid.signed });
        requireGoodBid(context, bidding.input, parcel, now);
        requireRoom(bid, own);
      });
      return { bid, call: bidding.call, same: own.same?.id, fault };
    });
    const good = offers.filter(({ fault }) => fault === undefined);
    const createdAt = await store(trx, parcel, now, good);
    return offers.map(({ bid, fault }) => fault ?? { bid: { ...bid, created_at: createdAt }, parcel });
  });
}

/** The caller's fault, if the check finds one. */
function faultOf(check: () => void): RelayError | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof RelayError) return error;
    throw error;
  }
}

/** A bid that no rule refuses, with the bid that it replaces. */
interface GoodBid {
  bid: NewBid;
  call: KeptCall | undefined;
  same: string | undefined;
}

/** Stores the bids, which makes an evaluation due, ends those that they replace, and tells of them. @returns when */
async function store(trx: Trx, parcel: PackageRow, now: Date, good: readonly GoodBid[]): Promise<Date> {
  if (good.length === 0) return now;
  const bids = good.map(({ bid }) => bid);
  const calls = good.flatMap(({ call }) => call ?? []);
  const replaced = good.flatMap(({ same }) => same ?? []);
  // In this order: a bid names the call that it was made by, and takes the place of the one before.
  const [, , createdAt] = await Promise.all([
    keepBindingCalls(trx, calls),
    endBids(trx, replaced, 'replaced'),
    insertBids(trx, parcel.id, bids),
    tellOfBids(trx, parcel, bids, now),
  ]);
  return createdAt;
}
