import type { Agent, Leg, PackageDetail, PackageView, QueuedLeg, Reputation, Swarm } from '@legwork/protocol/contract';
import { explorerLink, lamportsToSolNumber } from '@legwork/protocol/contract';
import type { Config } from '../config.js';
import { countBids } from '../db/bids.js';
import type { AppContext } from '../context.js';
import type { Trx } from '../db/connect.js';
import type { QueuedLegRow } from '../db/legs.js';
import type { ListedPackageRow } from '../db/packages.js';
import type { AgentRow, LegRow, ReputationRow } from '../db/schema.js';
import { newestSwarm, type SwarmWithLegs } from '../db/swarms.js';

/** The ledger that links lead to. */
export type ShownLedger = Pick<Config, 'cluster' | 'rpcUrl'>;

/** A link to the transaction; null without one. */
export const transactionLink = (ledger: ShownLedger, signature: string | null) =>
  signature === null ? null : explorerLink(ledger, 'tx', signature);

export function viewPackage(row: ListedPackageRow): PackageView {
  if (row.list_signature === null || row.listed_at === null) {
    throw new Error(`package ${row.id} is ${row.status} without a listing`);
  }
  return {
    id: row.id,
    status: row.status,
    failureReason: row.failure_reason,
    originLat: row.origin_lat,
    originLng: row.origin_lng,
    destLat: row.dest_lat,
    destLng: row.dest_lng,
    description: row.description,
    weightKg: row.weight_kg,
    volumeLitres: row.volume_litres,
    maxBudgetSol: lamportsToSolNumber(row.max_budget_lamports),
    maxBudgetLamports: row.max_budget_lamports,
    deadline: row.deadline,
    shipperPubkey: row.shipper_pubkey,
    funderPubkey: row.funder_pubkey,
    termsHash: row.terms_hash,
    onChainPackage: row.on_chain_package,
    onChainVault: row.on_chain_vault,
    listSignature: row.list_signature,
    listedAt: row.listed_at,
    settleSignature: row.settle_signature,
    refundLamports: row.refund_lamports,
    endSignature: row.end_signature,
    biddingWindowSec: row.bidding_window_sec,
    biddingClosesAt: row.bidding_closes_at,
  };
}

export function viewLeg(ledger: ShownLedger, row: LegRow): Leg {
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
    costLamports: row.cost_lamports,
    agreedPaymentSol: lamportsToSolNumber(row.agreed_payment_lamports),
    agreedPaymentLamports: row.agreed_payment_lamports,
    status: row.status,
    onChainLeg: row.on_chain_leg,
    confirmSignature: row.confirm_signature,
    completedAt: row.completed_at,
    explorer: {
      onChainLeg: explorerLink(ledger, 'address', row.on_chain_leg),
      confirmSignature: transactionLink(ledger, row.confirm_signature),
    },
  };
}

export function viewSwarm(ledger: ShownLedger, swarm: SwarmWithLegs): Swarm {
  return {
    id: swarm.id,
    packageId: swarm.package_id,
    status: swarm.status,
    onChainSwarm: swarm.on_chain_swarm,
    formSignature: swarm.form_signature,
    settleSignature: swarm.settle_signature,
    totalLegs: swarm.total_legs,
    completedLegs: swarm.legs.filter((leg) => leg.status === 'completed').length,
    totalLamports: swarm.total_lamports,
    exact: swarm.exact,
    legs: swarm.legs.map((leg) => viewLeg(ledger, leg)),
    explorer: {
      onChainSwarm: explorerLink(ledger, 'address', swarm.on_chain_swarm),
      formSignature: transactionLink(ledger, swarm.form_signature),
      settleSignature: transactionLink(ledger, swarm.settle_signature),
    },
  };
}

/** The package with its newest swarm and the number of its live bids. */
export async function viewPackageDetail(
  { db, config }: Pick<AppContext, 'config'> & { db: Trx },
  row: ListedPackageRow,
): Promise<PackageDetail> {
  const swarm = await newestSwarm(db, row.id);
  const bids = await countBids(db, row.id);
  const shown = viewPackage(row);
  return {
    ...shown,
    bids,
    swarm: swarm ? viewSwarm(config, swarm) : null,
    explorer: {
      onChainPackage: explorerLink(config, 'address', shown.onChainPackage),
      onChainVault: explorerLink(config, 'address', shown.onChainVault),
      listSignature: explorerLink(config, 'tx', shown.listSignature),
      settleSignature: transactionLink(config, shown.settleSignature),
      endSignature: transactionLink(config, shown.endSignature),
    },
  };
}

/** The mirror of a reputation account; zeros when the ledger shows none. */
export function viewReputation(agentPubkey: string, onChainPDA: string, row: ReputationRow | undefined): Reputation {
  return {
    agentPubkey,
    onChainPDA,
    legsAccepted: Number(row?.legs_accepted ?? 0n),
    legsCompleted: Number(row?.legs_completed ?? 0n),
    reliabilityScore: row?.reliability_score ?? 0,
    mirroredAt: row?.mirrored_at ?? null,
  };
}

/** `registered` is undefined for a wallet that never registered. */
export function viewAgent(agentPubkey: string, registered: AgentRow | undefined, signedOnly: boolean): Agent {
  return {
    agentPubkey,
    displayName: registered?.display_name ?? null,
    capabilities: registered?.capabilities ?? [],
    requireSignedCalls: signedOnly,
    registeredAt: registered?.registered_at ?? null,
  };
}

export function viewQueuedLeg(ledger: ShownLedger, row: QueuedLegRow): QueuedLeg {
  return {
    ...viewLeg(ledger, row),
    kind: 'physical',
    packageId: row.package_id,
    packageStatus: row.package_status,
    packageDescription: row.package_description,
    deadline: row.deadline,
    swarmId: row.swarm_id,
    swarmStatus: row.swarm_status,
    isTurn: row.is_turn,
    recipientPubkey: row.recipient_pubkey,
    takeOverLegId: row.take_over_leg_id,
  };
}
