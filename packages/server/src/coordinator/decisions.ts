import type { LegWithoutResult } from '../db/schema/tasks.js';
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { AppContext } from '../context.js';
import type { Trx } from '../db/connect.js';
import type { NewIntent } from '../db/outbox.js';
import type { BidRow, DecisionRow, DigitalTaskRow, LegRow, NewLeg, PackageRow, SwarmRow } from '../db/schema.js';
import { clocksOf, readTerms, termsJson } from '../ledger/terms.js';
import { step } from '../tracing/spans.js';

/** Any JSON. */
export type Chosen = Readonly<Record<string, unknown>>;

/** A bid that was considered, and what its agent counted for then, in percent. */
export type Considered = readonly [bidId: string, rho: number];

/** A decision: what to sign, the bids it was chosen from, and its time. */
export interface Decided {
  chosen: Chosen;
  considered?: readonly Considered[];
  at: Date;
}

/**
 * Writes an intent that spends or gives, with its decision under the coordinator's MAC, in the transaction that decides it.
 * The outbox hears of it once it is committed. Rule M-75.
 *
 * @param isNext whether nothing of its subject goes before it: then the outbox of this process carries it at once
 */
export async function decideIntent(
  { ledger, handOff }: Pick<AppContext, 'ledger' | 'handOff'>,
  trx: Trx,
  intent: NewIntent,
  { chosen, considered, at }: Decided,
  isNext = false,
): Promise<void> {
  const { key, kind, subject } = intent;
  const decision = { unique_key: key, kind, subject, decided_at: at, ...written(chosen, considered) };
  const attributes = { 'legwork.intent.kind': kind, 'legwork.subject': subject };
  await step({ name: `decision ${kind}`, attributes }, () =>
    handOff.add(trx, intent, isNext, sealed(ledger.decisionKey, decision)),
  );
}

function written(chosen: Chosen, considered: readonly Considered[] | undefined) {
  return { chosen: JSON.stringify(chosen), considered: considered === undefined ? null : JSON.stringify(considered) };
}

/** The decision with its MAC. */
export function sealed(key: KeyObject, decision: Omit<DecisionRow, 'mac'>): DecisionRow {
  return { ...decision, mac: macOf(key, decision).toString('hex') };
}

/** Returns whether the coordinator's own key made the MAC of exactly this decision. */
export function isSealed(key: KeyObject, decision: DecisionRow): boolean {
  const [expected, given] = [macOf(key, decision), Buffer.from(decision.mac, 'hex')];
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function macOf(key: KeyObject, decision: Omit<DecisionRow, 'mac'>): Buffer {
  const { unique_key, kind, subject, considered, chosen, decided_at } = decision;
  // A list in JSON: no two decisions have the same text.
  const text = JSON.stringify([unique_key, kind, subject, considered, chosen, decided_at.toISOString()]);
  return createHmac('sha256', key).update(text).digest();
}

type Formed = Pick<SwarmRow, 'formation' | 'on_chain_swarm' | 'exact'> & { total_lamports: bigint };

/** A chain of bids that becomes a swarm: everything that its transaction says, and that its choice follows from. */
export function formation(parcel: PackageRow, swarm: Formed, legs: readonly Omit<NewLeg, 'status'>[]): Chosen {
  return {
    package: parcel.on_chain_package,
    shipper: parcel.shipper_pubkey,
    origin: [parcel.origin_lat, parcel.origin_lng],
    destination: [parcel.dest_lat, parcel.dest_lng],
    budgetLamports: Number(parcel.max_budget_lamports),
    deadline: parcel.deadline.toISOString(),
    swarm: swarm.on_chain_swarm,
    formation: swarm.formation,
    totalLamports: Number(swarm.total_lamports),
    exact: swarm.exact,
    ...(parcel.terms && { clocks: clocksOf(parcel.terms) }),
    legs: legs.map((leg) => ({
      leg: leg.on_chain_leg,
      bid: leg.bid_id,
      agent: leg.agent_pubkey,
      pickup: [leg.pickup_lat, leg.pickup_lng],
      dropoff: [leg.dropoff_lat, leg.dropoff_lng],
      distanceKm: leg.distance_km,
      costLamports: Number(leg.cost_lamports),
      paymentLamports: Number(leg.agreed_payment_lamports),
    })),
  };
}

/** A courier who takes the place of another one, and what of it was free to choose. */
export interface Replacement {
  parcel: PackageRow;
  swarm: Pick<SwarmRow, 'on_chain_swarm'>;
  leg: Pick<LegRow, 'on_chain_leg' | 'leg_index'>;
  bid: Pick<BidRow, 'id' | 'agent_pubkey' | 'cost_lamports'>;
  maxCostLamports: bigint;
}

/** A bid for a vacant leg of a package with terms: everything that its transaction says. */
export function replacement({ parcel, swarm, leg, bid, maxCostLamports }: Replacement): Chosen {
  return {
    package: parcel.on_chain_package,
    swarm: swarm.on_chain_swarm,
    leg: leg.on_chain_leg,
    index: leg.leg_index,
    formation: parcel.formation + 1,
    bid: bid.id,
    agent: bid.agent_pubkey,
    paymentLamports: Number(bid.cost_lamports),
    maxCostLamports: Number(maxCostLamports),
  };
}

type Claim = Pick<LegWithoutResult, 'on_chain_leg' | 'leg_index' | 'claim' | 'agent_pubkey' | 'result_hash'>;

/** A leg of a digital task with its agent; to be paid for, with the hash of the result. The leg's address says whose task it is. */
export function claimOfLeg(kind: NewIntent['kind'], leg: Claim): Chosen {
  return {
    leg: leg.on_chain_leg,
    index: leg.leg_index,
    claim: leg.claim,
    agent: leg.agent_pubkey,
    ...(kind === 'confirm_task_leg' && { resultHash: leg.result_hash }),
  };
}

/** The row of a package or a digital task, as far as its listing says it. */
export type ListingDraft = Pick<
  PackageRow,
  | 'id'
  | 'asset'
  | 'shipper_pubkey'
  | 'funder_pubkey'
  | 'max_budget_lamports'
  | 'deadline'
  | 'terms_hash'
  | 'on_chain_vault'
  | 'terms'
> &
  (Pick<PackageRow, 'on_chain_package'> | Pick<DigitalTaskRow, 'on_chain_task' | 'num_legs'>);

/** A listing that the coordinator pays for. */
export function listing(draft: ListingDraft): Chosen {
  return {
    ...('num_legs' in draft
      ? { task: draft.on_chain_task, legs: draft.num_legs }
      : { package: draft.on_chain_package }),
    id: draft.id,
    vault: draft.on_chain_vault,
    poster: draft.shipper_pubkey,
    funder: draft.funder_pubkey,
    budgetLamports: Number(draft.max_budget_lamports),
    deadline: draft.deadline.toISOString(),
    termsHash: draft.terms_hash,
    ...(draft.terms && { terms: termsJson(readTerms(draft.terms, draft)) }),
  };
}
