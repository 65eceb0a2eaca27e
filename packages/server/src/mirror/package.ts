import type { RelayInstruction } from '@legwork/program-client';
import { type FailureReason, toLamports } from '@legwork/protocol/contract';
import type { Logger } from 'pino';
import type { Trx } from '../db/connect.js';
import { appendEvent } from '../db/events.js';
import { addIntent } from '../db/outbox.js';
import { lockPackage, markClosed, markDelivered, markEnded, markListed } from '../db/packages.js';
import type { LegRow, PackageRow, SwarmRow } from '../db/schema.js';
import { markLegCompleted } from '../db/legs.js';
import {
  formedSwarm,
  formingSwarm,
  lockSwarm,
  markFormed,
  markSettled,
  markSwarmEnded,
  type SwarmWithLegs,
} from '../db/swarms.js';
import { unixSeconds } from '../ledger/ledger.js';
import { changed, departuresAmong, type Landed, type Named, type Projection } from './projection.js';

/** The instructions about a package. */
export type PackageInstruction = Extract<RelayInstruction, { accounts: { package: object } }>;

/** Projects an instruction about the package into the mirror. The caller holds the package's lock. Rule M-9. */
export async function projectPackageInstruction(
  trx: Trx,
  log: Logger,
  parcel: PackageRow,
  instruction: PackageInstruction,
  landed: Landed,
): Promise<Projection> {
  const { signature } = landed;
  switch (instruction.name) {
    case 'listPackage':
      return projectListing(trx, log, parcel, instruction, landed);
    case 'formSwarm':
      return projectFormation(trx, log, parcel, instruction, landed);
    case 'confirmLeg':
      return projectConfirmation(trx, parcel, instruction, landed);
    case 'settle':
      return projectSettlement(trx, parcel, landed);
    case 'cancelPackage':
      return changed(await recordPackageEnded(trx, parcel.id, 'cancelled', signature));
    case 'reclaimPackage':
      return changed(await recordPackageEnded(trx, parcel.id, 'reclaimed', signature));
    case 'closePackage':
      return changed(await markClosed(trx, parcel.id, signature));
    case 'assignLeg':
      break;
  }
  // The formation in the same transaction says what an assignment is.
  return 'known';
}

/**
 * Returns in words which of the draft's terms the listing departs from; undefined when the instruction does not list this
 * package.
 */
export function packageListingDepartures(instruction: RelayInstruction, draft: PackageRow): string[] | undefined {
  if (instruction.name !== 'listPackage') return undefined;
  const { accounts, data } = instruction;
  if (accounts.package.address !== draft.on_chain_package) return undefined;
  return departuresAmong([
    ['shipper', accounts.shipper.address, draft.shipper_pubkey],
    ['funder', accounts.funder.address, draft.funder_pubkey],
    ['budget in lamports', data.maxBudget, draft.max_budget_lamports],
    ['deadline in unix seconds', data.deadline, unixSeconds(draft.deadline)],
    ['terms hash', Buffer.from(data.termsHash).toString('hex'), draft.terms_hash],
  ]);
}

async function projectListing(
  trx: Trx,
  log: Logger,
  parcel: PackageRow,
  instruction: Named<'listPackage'>,
  { signature }: Landed,
): Promise<Projection> {
  const departures = packageListingDepartures(instruction, parcel) ?? [];
  if (departures.length === 0) return changed(await recordPackageListed(trx, parcel, signature));
  log.debug({ packageId: parcel.id, departures }, 'a listing is not of its draft and counts for nothing');
  return 'foreign';
}

/** Records that the ledger shows the draft listed with its terms. Returns false when the mirror has it already. */
export async function recordPackageListed(trx: Trx, draft: PackageRow, listSignature: string): Promise<boolean> {
  if (!(await markListed(trx, draft.id, listSignature))) return false;
  await appendEvent(trx, 'PACKAGE_LISTED', `package:${draft.id}`, {
    packageId: draft.id,
    shipperPubkey: draft.shipper_pubkey,
    origin: { lat: draft.origin_lat, lng: draft.origin_lng },
    destination: { lat: draft.dest_lat, lng: draft.dest_lng },
    maxBudgetLamports: draft.max_budget_lamports,
    deadline: draft.deadline,
    onChainPackage: draft.on_chain_package,
    listSignature,
  });
  return true;
}

async function projectFormation(
  trx: Trx,
  log: Logger,
  parcel: PackageRow,
  instruction: Named<'formSwarm'>,
  landed: Landed,
): Promise<Projection> {
  if ((await formedSwarm(trx, parcel.id))?.form_signature === landed.signature) return 'known';
  const swarm = await formingSwarm(trx, parcel.id);
  if (swarm && isFormationOf(swarm, instruction, landed)) {
    return changed(await recordFormed(trx, swarm, landed.signature));
  }
  log.warn(
    { packageId: parcel.id, transaction: landed.signature },
    'the ledger shows a swarm that was not decided here',
  );
  return 'foreign';
}

/** Returns whether the formation, with the legs assigned in its transaction, is the one that was decided. */
function isFormationOf(swarm: SwarmWithLegs, instruction: Named<'formSwarm'>, { instructions }: Landed): boolean {
  const assigned = instructions.flatMap((one) =>
    one.name === 'assignLeg' && one.accounts.swarm.address === swarm.on_chain_swarm ? [one] : [],
  );
  return (
    instruction.accounts.swarm.address === swarm.on_chain_swarm &&
    instruction.data.totalLegs === swarm.total_legs &&
    instruction.data.totalLamports === swarm.total_lamports &&
    assigned.length === swarm.legs.length &&
    swarm.legs.every((leg, index) => {
      const found = assigned[index];
      return (
        found?.accounts.courier.address === leg.agent_pubkey &&
        found.data.paymentLamports === leg.agreed_payment_lamports
      );
    })
  );
}

/**
 * Records that the ledger shows the swarm formed with all its legs assigned: it is active, its package in transit. Returns
 * false when the mirror has it already.
 */
export async function recordFormed(
  trx: Trx,
  { id, package_id: packageId }: Pick<SwarmRow, 'id' | 'package_id'>,
  formSignature: string,
): Promise<boolean> {
  await lockPackage(trx, packageId);
  const swarm = await lockSwarm(trx, id);
  if (!swarm || !(await markFormed(trx, swarm, formSignature))) return false;
  await announceFormed(trx, swarm, formSignature);
  return true;
}

async function announceFormed(trx: Trx, swarm: SwarmWithLegs, formSignature: string): Promise<void> {
  const { id: swarmId, package_id: packageId } = swarm;
  const subject = `package:${packageId}`;
  await appendEvent(trx, 'SWARM_FORMED', subject, {
    packageId,
    swarmId,
    onChainSwarm: swarm.on_chain_swarm,
    formSignature,
    totalLegs: swarm.total_legs,
    totalLamports: swarm.total_lamports,
  });
  for (const leg of swarm.legs) {
    await appendEvent(trx, 'BID_RECEIVED', subject, {
      packageId,
      swarmId,
      legId: leg.id,
      legIndex: leg.leg_index,
      agentPubkey: leg.agent_pubkey,
      costLamports: leg.cost_lamports,
      agreedPaymentLamports: leg.agreed_payment_lamports,
    });
  }
}

/** A leg with its swarm and its package. */
export interface LegInSwarm {
  leg: LegRow;
  swarm: SwarmWithLegs;
  parcel: PackageRow;
}

/**
 * Returns whether the instruction confirms this very leg, in this formation of the package: another formation has the same
 * addresses. Rule P-38.
 */
export function confirms(instruction: RelayInstruction, { leg, swarm, parcel }: LegInSwarm): boolean {
  return (
    instruction.name === 'confirmLeg' &&
    instruction.accounts.package.address === parcel.on_chain_package &&
    instruction.accounts.swarm.address === swarm.on_chain_swarm &&
    instruction.accounts.leg.address === leg.on_chain_leg &&
    instruction.accounts.courier.address === leg.agent_pubkey &&
    instruction.data.formation === swarm.formation
  );
}

async function projectConfirmation(
  trx: Trx,
  parcel: PackageRow,
  instruction: Named<'confirmLeg'>,
  { signature }: Landed,
): Promise<Projection> {
  const swarm = await formedSwarm(trx, parcel.id);
  const leg = swarm?.legs.find((one) => confirms(instruction, { leg: one, swarm, parcel }));
  return swarm && leg ? changed(await recordLegConfirmed(trx, { leg, swarm, parcel }, signature)) : 'foreign';
}

/**
 * Records that the ledger shows the leg confirmed, and decides the settlement after the last one. Returns false when the
 * mirror has it already.
 */
export async function recordLegConfirmed(
  trx: Trx,
  { leg, swarm, parcel }: LegInSwarm,
  signature: string,
): Promise<boolean> {
  await lockPackage(trx, parcel.id);
  if (!(await markLegCompleted(trx, leg.id, signature))) return false;
  const subject = `package:${parcel.id}`;
  await appendEvent(trx, 'LEG_CONFIRMED', subject, {
    packageId: parcel.id,
    swarmId: swarm.id,
    legId: leg.id,
    legIndex: leg.leg_index,
    agentPubkey: leg.agent_pubkey,
    paymentLamports: leg.agreed_payment_lamports,
    signature,
  });
  if (leg.leg_index === swarm.total_legs - 1) {
    await addIntent(trx, { kind: 'settle', subject, key: `settle:${swarm.id}`, swarmId: swarm.id });
  }
  return true;
}

async function projectSettlement(trx: Trx, parcel: PackageRow, { signature }: Landed): Promise<Projection> {
  const swarm = await formedSwarm(trx, parcel.id);
  return swarm ? changed(await recordSettled(trx, parcel, swarm, signature)) : 'foreign';
}

/**
 * Records that the ledger shows the swarm settled: its package is delivered, the surplus is back with the funder. Returns
 * false when the mirror has it already.
 */
export async function recordSettled(
  trx: Trx,
  parcel: PackageRow,
  swarm: SwarmRow,
  settleSignature: string,
): Promise<boolean> {
  await lockPackage(trx, parcel.id);
  if (!(await markSettled(trx, swarm.id, settleSignature))) return false;
  const refundLamports = toLamports(parcel.max_budget_lamports - swarm.total_lamports);
  await markDelivered(trx, parcel.id, settleSignature, refundLamports);
  await appendEvent(trx, 'PACKAGE_DELIVERED', `package:${parcel.id}`, {
    packageId: parcel.id,
    settleSignature,
    refundLamports,
  });
  return true;
}

/**
 * Records that the ledger shows the package cancelled or reclaimed: it has failed for good, and so has a swarm that was
 * forming or active. Returns false when the mirror has it already.
 */
export async function recordPackageEnded(
  trx: Trx,
  packageId: string,
  failureReason: FailureReason,
  endSignature: string,
): Promise<boolean> {
  await lockPackage(trx, packageId);
  if (!(await markEnded(trx, packageId, failureReason, endSignature))) return false;
  await markSwarmEnded(trx, packageId, failureReason);
  await appendEvent(trx, 'PACKAGE_FAILED', `package:${packageId}`, { packageId, failureReason });
  return true;
}
