import { SOL_ASSET } from '@legwork/program-client';
import { type Assets, inAsset, lamportsOf, solOf } from '../ledger/assets.js';
import type { LegWithoutResult } from '../db/schema/tasks.js';
import {
  explorerLink,
  type Finality,
  type Leg,
  type ShownLedger,
  type Swarm,
  LegworkError,
  type LegTurnView,
} from '@legwork/protocol/contract';
import { turnAt, keyMoves, legTurn, moveMeaning, silenceFor, type ExplainedLeg } from '@legwork/protocol/rules';
import { finalityOf, type NotFinal, readNotFinal } from '../db/finality.js';
import type { LegRow, PackageRow } from '../db/schema.js';
import { packageSubject, isPackage, type ListingRow, kindOf } from '../db/listings.js';
import { type FormedSwarm, findSwarm, readFormations, withFormation, formedSwarms } from '../packages/swarmRows.js';
import { findPackage } from '../packages/packageRows.js';
import { inTransaction } from '../db/transaction.js';
import type { AppContext } from '../context.js';
import type { In, Out } from '../operations/run.js';
import { legsByTask } from '../tasks/taskLegRows.js';
import { clockedListing, isClocked, agreedOf, type ClockedLeg } from './moveRows.js';
import { listingsUnderWay, positionsOfParty, readArbiterRecord } from './turnRows.js';
import { readLedgerTime } from '../ledger/ledger.js';
import { cutPage, partyPosition, readCursor } from '../operations/cursor.js';
import { termsOf } from '../ledger/terms.js';

/** A link to the transaction; null without one. */
export const transactionLink = (ledger: ShownLedger, signature: string | null) =>
  signature === null ? null : explorerLink(ledger, 'tx', signature);

/** The terms and the instant by which legs of a package are shown; null: it has none. */
interface ShownTerms {
  terms: PackageRow['terms'];
  now: Date;
}

/** @param notFinal of its package */
export function viewSwarm(
  ledger: ShownLedger,
  swarm: FormedSwarm,
  notFinal: NotFinal,
  shown: ShownTerms & { assets: Assets },
): Swarm {
  const subject = packageSubject(swarm.package_id);
  const paidIn = { asset: swarm.legs[0]?.asset ?? SOL_ASSET };
  return {
    id: swarm.id,
    packageId: swarm.package_id,
    status: swarm.status,
    finality: finalityOf(notFinal, subject),
    onChainSwarm: swarm.on_chain_swarm,
    createdAt: swarm.created_at,
    formedAt: swarm.formed_at,
    formSignature: swarm.form_signature,
    settleSignature: swarm.settle_signature,
    totalLegs: swarm.total_legs,
    completedLegs: swarm.legs.filter((leg) => leg.status === 'completed').length,
    ...inAsset(shown.assets, paidIn),
    total: swarm.total_lamports,
    totalLamports: lamportsOf(paidIn, swarm.total_lamports),
    exact: swarm.exact,
    legs: swarm.legs.map((leg, index) => {
      const startedAt = index === 0 ? swarm.formed_at : (swarm.legs[index - 1]?.completed_at ?? null);
      const finality = finalityOf(notFinal, subject, leg.confirm_signature);
      return viewLeg(ledger, leg, { ...shown, startedAt, finality });
    }),
    explorer: {
      onChainSwarm: explorerLink(ledger, 'address', swarm.on_chain_swarm),
      formSignature: transactionLink(ledger, swarm.form_signature),
      settleSignature: transactionLink(ledger, swarm.settle_signature),
    },
  };
}

/** @param known what the row does not say */
export function viewLeg(
  ledger: ShownLedger,
  row: LegRow,
  { startedAt, finality, ...shown }: ShownTerms & { startedAt: Date | null; finality: Finality },
): Leg {
  return {
    id: row.id,
    legIndex: row.leg_index,
    agentPubkey: row.agent_pubkey,
    pickupLat: row.pickup_lat,
    pickupLng: row.pickup_lng,
    dropoffLat: row.dropoff_lat,
    dropoffLng: row.dropoff_lng,
    distanceKm: row.distance_km,
    estimatedDurationMin: row.estimated_duration_min,
    cost: row.cost_lamports,
    costLamports: lamportsOf(row, row.cost_lamports),
    agreedPayment: row.agreed_payment_lamports,
    agreedPaymentSol: solOf(row, row.agreed_payment_lamports),
    agreedPaymentLamports: lamportsOf(row, row.agreed_payment_lamports),
    status: row.status,
    finality,
    onChainLeg: row.on_chain_leg,
    confirmSignature: row.confirm_signature,
    startedAt,
    completedAt: row.completed_at,
    ...viewTurn('package', row, shown),
    paid: row.paid_lamports,
    paidLamports: row.paid_lamports && lamportsOf(row, row.paid_lamports),
    explorer: {
      onChainLeg: explorerLink(ledger, 'address', row.on_chain_leg),
      confirmSignature: transactionLink(ledger, row.confirm_signature),
    },
  };
}

type TurnRow = Pick<
  LegRow,
  | 'asset'
  | 'stage'
  | 'since'
  | 'until'
  | 'disputer_pubkey'
  | 'evidence_hash'
  | 'reason_hash'
  | 'percent'
  | 'forfeited_lamports'
> & { formation: number | null };

/** Where a leg of either kind stands by its terms; null each without terms. */
export function viewTurn(kind: 'package' | 'task', row: TurnRow, { terms, now }: ShownTerms) {
  const { stage, percent } = row;
  const turn = terms && stage && turnAt({ stage, until: row.until }, { kind, terms }, now.getTime());
  return {
    formation: stage && row.formation,
    stage,
    since: row.since,
    actor: turn?.actor ?? null,
    until: turn?.until ?? null,
    disputerPubkey: row.disputer_pubkey,
    evidenceHash: row.evidence_hash,
    reasonHash: row.reason_hash,
    percent,
    forfeited: row.forfeited_lamports > 0n ? row.forfeited_lamports : null,
    forfeitedLamports: row.forfeited_lamports > 0n ? lamportsOf(row, row.forfeited_lamports) : null,
  };
}

export async function getSwarm(
  { db, ledger, shownLedger, clock }: AppContext,
  { swarmId }: In<'getSwarm'>,
): Out<'getSwarm'> {
  // Swarm, legs and finality of one moment.
  const answer = await inTransaction(
    db,
    async (trx) => {
      const swarm = await findSwarm(trx, swarmId);
      if (!swarm) throw LegworkError.field('not_found', 'swarmId', 'no swarm has this id');
      const { package_id: packageId } = swarm;
      const [notFinal, parcel, formedAt] = await Promise.all([
        readNotFinal(trx, [packageSubject(packageId)]),
        findPackage(trx, packageId),
        readFormations(trx, packageId),
      ]);
      const seen = { assets: ledger.assets, terms: parcel?.terms ?? null, now: clock() };
      return viewSwarm(shownLedger, withFormation(swarm, formedAt), notFinal, seen);
    },
    'repeatable read',
  );
  return { answer };
}

/** The page is cut out of listings, and not of turns: what follows from a clock has no order that lasts from page to page. */
export async function listTurns(context: AppContext, { pubkey, limit, cursor }: In<'listTurns'>): Out<'listTurns'> {
  const [rank, id] = readCursor(partyPosition, cursor) ?? [];
  const after = rank === undefined || id === undefined ? undefined : { rank: Number(rank), id };
  const positions = await positionsOfParty(context.db, pubkey, { after, limit: limit + 1 });
  if (positions.length === 0) return { answer: [] };
  const { page, nextCursor } = cutPage(positions, limit, (one) => [String(one.rank), one.id]);
  const { turns } = await turnsAmong(context, page.map(idOf), pubkey);
  return { answer: turns, nextCursor };
}

/** The turns of a key in these listings, what ends first before the others, and the ledger's time, milliseconds. */
export async function turnsAmong(
  { db, ledger }: Pick<AppContext, 'db' | 'ledger'>,
  ids: readonly string[],
  pubkey: string,
): Promise<{ turns: LegTurnView[]; ledgerMs: number }> {
  const { parcels, tasks } = await listingsUnderWay(db, ids);
  const swarms = await formedSwarms(db, parcels.map(idOf));
  const legs = await legsByTask(db, tasks.map(idOf));
  const now = (await readLedgerTime(ledger)).getTime();
  const at = { assets: ledger.assets, now };
  const turns = [
    ...parcels.flatMap((parcel) => turnsIn(parcel, swarms.get(parcel.id)?.legs ?? [], pubkey, at)),
    ...tasks.flatMap((task) => turnsIn(task, legs.get(task.id) ?? [], pubkey, at)),
  ];
  return { turns: turns.toSorted(byEnd), ledgerMs: now };
}

const idOf = ({ id }: { id: string }) => id;

function turnsIn(
  listing: ListingRow,
  legs: readonly (LegRow | LegWithoutResult)[],
  pubkey: string,
  { assets, now }: { assets: Assets; now: number },
): LegTurnView[] {
  const clocked = clockedListing(listing, legs);
  return legs.filter(isClocked).flatMap((leg) => {
    const actor = legTurn(clocked, leg.leg_index, now)?.actor ?? 'nobody';
    const { part, awaited, actions, makeTurn, until } = keyMoves(clocked, leg.leg_index, pubkey, now);
    if (actor === 'nobody' || !makeTurn) return [];
    const explained = explain(assets, listing, leg);
    return [
      {
        ...(isPackage(listing)
          ? { kind: 'package' as const, packageId: listing.id }
          : { kind: 'task' as const, taskId: listing.id }),
        legId: leg.id,
        legIndex: leg.leg_index,
        agentPubkey: leg.agent_pubkey,
        stage: leg.stage,
        actions: [...actions],
        awaited,
        moves: actions.map((action) => {
          const move = moveMeaning(action, explained, part);
          const [pays, stakes] = [move.pays, move.stakes].map((one) => one && lamportsOf(listing, one));
          return { ...move, paysLamports: pays ?? null, stakesLamports: stakes ?? null };
        }),
        actor,
        until,
        silence: silenceFor(part, explained),
        asset: explained.asset,
        decimals: explained.decimals,
        stake: explained.stakeLamports,
        stakeLamports: lamportsOf(listing, explained.stakeLamports),
        payment: explained.paymentLamports,
        paymentLamports: lamportsOf(listing, explained.paymentLamports),
      },
    ];
  });
}

/** Sorts the earliest end first, and legs without an end last. */
function byEnd(one: LegTurnView, other: LegTurnView): number {
  return (one.until?.getTime() ?? Infinity) - (other.until?.getTime() ?? Infinity) || one.legIndex - other.legIndex;
}

/** The facts that the explanation of a leg needs. */
export function explain(assets: Assets, listing: ListingRow, leg: ClockedLeg): ExplainedLeg {
  return {
    ...inAsset(assets, listing),
    kind: kindOf(listing),
    stage: leg.stage,
    agentPubkey: leg.agent_pubkey,
    paymentLamports: agreedOf(listing, leg),
    stakeLamports: termsOf(listing).stake,
    percent: leg.percent,
  };
}

/** Rule T-67. */
export async function getArbiter({ db }: AppContext, { arbiterPubkey }: In<'getArbiter'>): Out<'getArbiter'> {
  const { ruled, silent, open, mean_percent: meanPercent } = await readArbiterRecord(db, arbiterPubkey);
  return { answer: { arbiterPubkey, ruled: Number(ruled), silent: Number(silent), open: Number(open), meanPercent } };
}
