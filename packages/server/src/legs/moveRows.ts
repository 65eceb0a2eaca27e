import type { LegWithoutResult } from '../db/schema/tasks.js';
import { type Lamports, type LegStage, toLamports } from '@legwork/protocol/contract';
import { type ClockedListing, legClockEnd, legShare } from '@legwork/protocol/rules';
import { sql } from 'kysely';
import { termsOf } from '../ledger/terms.js';
import type { Db, Trx } from '../db/connect.js';
import { findDigitalLeg, legsOf } from '../tasks/taskLegRows.js';
import { findTask, lockTask } from '../tasks/taskRows.js';
import type { LegMoveRow, LegRow, MovedLamports, PackageRow } from '../db/schema.js';
import { isPackage, kindOf, listingOf, type ListingRow } from '../db/listings.js';
import { lockPackage, packageOfLeg } from '../packages/packageRows.js';
import { formedSwarm, swarmOfLeg, type SwarmWithLegs } from '../packages/swarmRows.js';
import { inOrder } from '../db/transaction.js';

/** A leg that somebody has on the ledger. */
export type HeldLegRow = (LegRow | LegWithoutResult) & { agent_pubkey: string; formation: number };

/** A leg with terms that somebody has: of a package in a swarm that is formed, or of a digital task. */
export type ClockedLeg = HeldLegRow & { stage: LegStage; since: Date };

export const isClocked = (leg: LegRow | LegWithoutResult): leg is ClockedLeg =>
  leg.stage !== null && leg.since !== null;

/** The agreed payment of the leg when its worker got it. */
export function agreedOf(listing: ListingRow, leg: HeldLegRow): Lamports {
  if ('agreed_payment_lamports' in leg) return leg.agreed_payment_lamports;
  if (isPackage(listing)) throw new Error(`leg ${leg.id} is not of package ${listing.id}`);
  return legShare(listing.max_budget_lamports, listing.num_legs);
}

/** The input of the clocks of a listing's legs: all legs of a package, those of a task that somebody has on the ledger. */
export function clockedListing(listing: ListingRow, legs: readonly (LegRow | LegWithoutResult)[]): ClockedListing {
  return {
    kind: kindOf(listing),
    terms: termsOf(listing),
    deadline: listing.deadline,
    shipperPubkey: listing.shipper_pubkey,
    legs: legs.filter(isClocked).map((leg) => ({ agentPubkey: leg.agent_pubkey, stage: leg.stage, since: leg.since })),
  };
}

/** A move, as a row tells it. */
export type NewMove = Pick<LegMoveRow, 'leg_id' | 'move' | 'signer_pubkey' | 'signature' | 'at'> &
  Partial<Pick<LegMoveRow, 'by_whom' | 'percent' | 'hash'>> & { movements?: readonly MovedLamports[] };

export async function insertMove(trx: Trx, { movements = [], ...move }: NewMove): Promise<void> {
  const row = { by_whom: null, percent: null, hash: null, ...move };
  await trx
    .insertInto('leg_moves')
    .values({ ...row, movements: JSON.stringify(movements) })
    .execute();
}

/** Columns of a leg that a move changes; not its status. */
export type StageColumns = Partial<
  Pick<
    LegRow,
    | 'stage'
    | 'since'
    | 'since_signature'
    | 'until'
    | 'disputer_pubkey'
    | 'percent'
    | 'evidence_hash'
    | 'reason_hash'
    | 'forfeited_lamports'
  >
>;

export async function setStage(trx: Trx, listing: ListingRow, legId: string, columns: StageColumns): Promise<void> {
  if (isPackage(listing)) await trx.updateTable('legs').set(columns).where('id', '=', legId).execute();
  else await trx.updateTable('digital_legs').set(ofTask(columns)).where('id', '=', legId).execute();
}

/** An agent's time is up when its clock ends. Its address counts until its first move. */
const ofTask = (columns: StageColumns) =>
  Object.assign({ ...columns }, columns.until && { due_at: columns.until }, columns.stage && { client: null });

/** The legs of a listing with terms as they are now, in order. */
export async function legsNow(trx: Db | Trx, listing: ListingRow): Promise<readonly (LegRow | LegWithoutResult)[]> {
  if (!isPackage(listing)) return legsOf(trx, listing.id);
  const swarm = await formedSwarm(trx, listing.id);
  if (swarm === undefined) throw new Error(`package ${listing.id} has no swarm whose legs have clocks`);
  return swarm.legs;
}

/** Writes when silence decides about each leg, which may change with every move of another one. @returns them, in order */
export async function setClocks(trx: Trx, listing: ListingRow): Promise<readonly ClockedLeg[]> {
  const legs = (await legsNow(trx, listing)).filter(isClocked);
  const clocked = clockedListing(listing, legs);
  for (const leg of legs) {
    const until = legClockEnd(clocked, leg.leg_index);
    if (until?.getTime() === leg.until?.getTime()) continue;
    await setStage(trx, listing, leg.id, { until });
    leg.until = until;
  }
  return legs;
}

/** The legs of a swarm with terms at the start: every one is to be accepted from now on. */
export async function beginClocks(
  trx: Trx,
  parcel: PackageRow,
  swarmId: string,
  begun: Pick<LegRow, 'since' | 'since_signature'>,
): Promise<void> {
  await trx
    .updateTable('legs')
    .set({ stage: 'pending', ...begun })
    .where('swarm_id', '=', swarmId)
    .where('ended_at', 'is', null)
    .execute();
  await setClocks(trx, parcel);
}

/** The bid for the vacant leg that the coordinator decided for, if it is this agent's at this price. */
export async function decidedBid(trx: Trx, legId: string, wanted: { agent: string; payment: bigint }) {
  return trx
    .selectFrom('bids')
    .innerJoin('outbox', (join) => join.on(sql`outbox.payload ->> 'bidId'`, '=', sql`bids.id::text`))
    .selectAll('bids')
    .where('outbox.kind', '=', 'assign_leg')
    .where('bids.leg_id', '=', legId)
    .where('bids.agent_pubkey', '=', wanted.agent)
    .where('bids.cost_lamports', '=', toLamports(wanted.payment))
    .limit(1)
    .executeTakeFirst();
}

/** Ends the row of a vacant leg, whose place another courier takes. */
export async function endLeg(trx: Trx, legId: string, at: Date): Promise<void> {
  await trx.updateTable('legs').set({ ended_at: at, until: null, evaluate_at: null }).where('id', '=', legId).execute();
  await trx
    .updateTable('bids')
    .set({ ended_at: sql<Date>`now()`, ended_because: 'replaced' })
    .where('leg_id', '=', legId)
    .where('ended_at', 'is', null)
    .execute();
}

/** The last move of the leg; undefined: none yet. */
export async function lastMove(trx: Trx, legId: string): Promise<LegMoveRow['move'] | undefined> {
  const moves = trx.selectFrom('leg_moves').select('move').where('leg_id', '=', legId);
  return (await moves.orderBy('id', 'desc').limit(1).executeTakeFirst())?.move;
}

/** A move with the leg that it was made of. */
export type MoveOfLeg = LegMoveRow & { leg_index: number };

/** The moves of the listing's legs, in the ledger's order. */
export async function movesOf(db: Db | Trx, listing: { packageId: string } | { taskId: string }): Promise<MoveOfLeg[]> {
  const ofLegs =
    'taskId' in listing
      ? sql`digital_legs as legs where legs.task_id = ${listing.taskId}`
      : sql`legs join swarms on swarms.id = legs.swarm_id where swarms.package_id = ${listing.packageId}`;
  const moves = await sql<MoveOfLeg>`
    select leg_moves.*, of_listing.leg_index
    from leg_moves join (select legs.id, legs.leg_index from ${ofLegs}) of_listing on of_listing.id = leg_moves.leg_id
    order by leg_moves.id`.execute(db);
  return moves.rows;
}

/** Returns whether a package or a digital task with terms is at one of the addresses. */
export async function haveTerms(db: Db, addresses: readonly string[]): Promise<boolean> {
  if (addresses.length === 0) return false;
  const { rows } = await sql<{ found: boolean }>`select
    exists (select from packages where on_chain_package = any(${addresses}) and terms is not null)
    or exists (select from digital_tasks where on_chain_task = any(${addresses}) and terms is not null) as found`.execute(
    db,
  );
  return rows[0]?.found === true;
}

/** A leg of a package with its swarm and its package, also one whose place another courier took; undefined: there is none. */
export async function findLeg(
  db: Db | Trx,
  id: string,
): Promise<{ leg: LegRow; swarm: SwarmWithLegs; parcel: PackageRow } | undefined> {
  const [leg, swarm, parcel] = await inOrder(db, (on) =>
    Promise.all([
      on.selectFrom('legs').selectAll().where('id', '=', id).executeTakeFirst(),
      swarmOfLeg(on, id),
      packageOfLeg(on, id),
    ]),
  );
  return leg && swarm && parcel && { leg, swarm, parcel };
}

/** A leg that somebody has on the ledger, with all that a move of it names. */
export interface LegToMove {
  listing: ListingRow;
  /** The account of its swarm; null: it is of a digital task. */
  onChainSwarm: string | null;
  /** Those of the listing that somebody has on the ledger, in order. */
  legs: readonly HeldLegRow[];
  leg: HeldLegRow;
}

/** The ids that a move of a package's leg names. */
export const ofPackage = ({
  parcel,
  swarm,
  leg,
}: {
  parcel: PackageRow;
  swarm: SwarmWithLegs;
  leg: LegRow;
}): LegToMove => ({ listing: parcel, onChainSwarm: swarm.on_chain_swarm, legs: swarm.legs, leg });

const isAssigned = (leg: LegWithoutResult): leg is LegWithoutResult & HeldLegRow =>
  leg.agent_pubkey !== null && leg.formation !== null;

/** Locks the listing that the subject names until the transaction ends. */
export async function lockListing(trx: Trx, subject: string): Promise<ListingRow | undefined> {
  const listing = listingOf(subject);
  return 'packageId' in listing ? lockPackage(trx, listing.packageId) : lockTask(trx, listing.taskId);
}

/** A leg of either kind, if it has terms and somebody has it on the ledger. @returns undefined: there is no such leg */
export async function findBoundLeg(
  db: Db | Trx,
  id: string,
): Promise<{ listing: ListingRow; isOver: string | undefined; of: LegToMove | undefined } | undefined> {
  const found = await findLeg(db, id);
  if (found) {
    const { parcel, swarm, leg } = found;
    const isBound = parcel.terms !== null && isClocked(leg);
    const over = leg.ended_at === null ? `its swarm is ${swarm.status}` : 'another courier took its place';
    const isLive = leg.ended_at === null && swarm.status === 'active';
    return { listing: parcel, isOver: isLive ? undefined : over, of: isBound ? ofPackage(found) : undefined };
  }
  const leg = await findDigitalLeg(db, id);
  const task = leg && (await findTask(db, leg.task_id));
  if (!leg || !task) return undefined;
  const legs = (await legsOf(db, task.id)).filter(isAssigned);
  const own = legs.find((one) => one.id === id);
  const isLive = leg.status === 'in_progress' && task.status === 'in_progress';
  return {
    listing: task,
    isOver: isLive ? undefined : `it is ${leg.status}, and its task ${task.status}`,
    of: own && { listing: task, onChainSwarm: null, legs, leg: own },
  };
}
