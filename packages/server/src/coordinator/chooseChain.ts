import { performance } from 'node:perf_hooks';
import type { Lamports } from '@legwork/protocol/contract';
import { allocatePayments, findBestRoute, rho } from '@legwork/protocol/rules';
import type { Config } from '../config.js';
import type { WeighedBid } from '../bids/bidRows.js';
import type { Standing } from '../agents/reputationRows.js';
import type { PackageRow } from '../db/schema.js';
import { clocksOf } from '../ledger/terms.js';
import type { Considered } from './decisions.js';

/** A chosen bid with what its leg will pay. */
export interface ChosenLeg {
  bid: WeighedBid;
  paymentLamports: Lamports;
}

/** The chain that wins. */
export interface ChosenChain {
  legs: ChosenLeg[];
  /** False: the search ran out of time and this is the best it had found. */
  exact: boolean;
  /** Every bid that it was chosen of, with what its agent counted for. */
  considered: Considered[];
  /** From when on its minutes were counted. */
  at: Date;
}

/** The weight of an agent in selection and payment, percent. */
export function standingOf(config: Config, agent: Standing): number {
  return rho(
    {
      reliabilityScore: agent.reliability_score,
      hasHistory: agent.has_history,
      trustAdjustment: agent.trust_adjustment,
    },
    config.newcomerPrior,
  );
}

/** Picks the best chain of the bids and fixes its payments; undefined when no chain carries the package. */
export function chooseChain(
  config: Config,
  parcel: PackageRow,
  bids: readonly WeighedBid[],
  now: Date,
): ChosenChain | undefined {
  const considered = bids.map((bid) => ({
    id: bid.id,
    agentPubkey: bid.agent_pubkey,
    pickup: { lat: bid.pickup_lat, lng: bid.pickup_lng },
    dropoff: { lat: bid.dropoff_lat, lng: bid.dropoff_lng },
    distanceKm: bid.distance_km,
    costLamports: bid.cost_lamports,
    rho: standingOf(config, bid),
    bid,
  }));
  const best = findBestRoute(
    {
      origin: { lat: parcel.origin_lat, lng: parcel.origin_lng },
      destination: { lat: parcel.dest_lat, lng: parcel.dest_lng },
      budgetLamports: parcel.max_budget_lamports,
      shipperPubkey: parcel.shipper_pubkey,
      deadlineMs: parcel.deadline.getTime(),
      clocks: parcel.terms === null ? undefined : clocksOf(parcel.terms),
    },
    considered,
    { evaluatedAtMs: now.getTime(), now: () => performance.now(), timeBoundMs: config.optimizerTimeMs },
  );
  if (best.bids.length === 0) return undefined;
  const payments = allocatePayments({ budgetLamports: parcel.max_budget_lamports, bids: best.bids });
  const legs = best.bids.flatMap(({ bid }, index) => {
    const payment = payments[index];
    return payment ? [{ bid, paymentLamports: payment.paymentLamports }] : [];
  });
  return { legs, exact: best.exact, considered: considered.map(({ id, rho: weight }) => [id, weight]), at: now };
}
