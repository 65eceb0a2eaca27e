import type { PackageDetail, PackageView, Reputation, Swarm } from '@agent-relay/protocol';
import { lamportsToSolNumber } from '@agent-relay/protocol';
import { countBids } from '../db/bids.js';
import type { Db } from '../db/connect.js';
import type { ListedPackageRow } from '../db/packages.js';
import type { LegRow, ReputationRow } from '../db/schema.js';
import { newestSwarm, type SwarmWithLegs } from '../db/swarms.js';

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
  };
}

function viewLeg(row: LegRow): Swarm['legs'][number] {
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
  };
}

export function viewSwarm(swarm: SwarmWithLegs): Swarm {
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
    legs: swarm.legs.map(viewLeg),
  };
}

/** The package with its newest swarm and the number of its live bids. */
export async function viewPackageDetail(db: Db, row: ListedPackageRow): Promise<PackageDetail> {
  const [swarm, bids] = await Promise.all([newestSwarm(db, row.id), countBids(db, row.id)]);
  return { ...viewPackage(row), bids, swarm: swarm ? viewSwarm(swarm) : null };
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
