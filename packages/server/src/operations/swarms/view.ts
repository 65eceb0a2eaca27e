import {
  explorerLink,
  type Finality,
  lamportsToSolNumber,
  type Leg,
  type ShownLedger,
  type Swarm,
} from '@legwork/protocol/contract';
import { turnAt } from '@legwork/protocol/rules';
import { finalityOf, type NotFinal } from '../../db/finality.js';
import type { LegRow, PackageRow } from '../../db/schema.js';
import { packageSubject } from '../../db/subjects.js';
import type { FormedSwarm } from '../../db/swarms.js';

/** A link to the transaction; null without one. */
export const transactionLink = (ledger: ShownLedger, signature: string | null) =>
  signature === null ? null : explorerLink(ledger, 'tx', signature);

/** What legs of a package with terms are seen by; null: it has none. */
export interface ShownTerms {
  terms: PackageRow['terms'];
  now: Date;
}

/** @param notFinal of its package */
export function viewSwarm(ledger: ShownLedger, swarm: FormedSwarm, notFinal: NotFinal, shown: ShownTerms): Swarm {
  const subject = packageSubject(swarm.package_id);
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
    totalLamports: swarm.total_lamports,
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
    costLamports: row.cost_lamports,
    agreedPaymentSol: lamportsToSolNumber(row.agreed_payment_lamports),
    agreedPaymentLamports: row.agreed_payment_lamports,
    status: row.status,
    finality,
    onChainLeg: row.on_chain_leg,
    confirmSignature: row.confirm_signature,
    startedAt,
    completedAt: row.completed_at,
    ...viewTurn('package', row, shown),
    paidLamports: row.paid_lamports,
    explorer: {
      onChainLeg: explorerLink(ledger, 'address', row.on_chain_leg),
      confirmSignature: transactionLink(ledger, row.confirm_signature),
    },
  };
}

type TurnRow = Pick<
  LegRow,
  'stage' | 'since' | 'until' | 'disputer_pubkey' | 'evidence_hash' | 'reason_hash' | 'percent' | 'forfeited_lamports'
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
    forfeitedLamports: row.forfeited_lamports > 0n ? row.forfeited_lamports : null,
  };
}
