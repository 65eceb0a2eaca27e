import { assetOf, told, type Assets } from '../ledger/assets.js';
import type { Named, PackageInstruction, RelayInstruction } from '@legwork/program-client';
import { type FailureReason, toLamports } from '@legwork/protocol/contract';
import { unwrapOption } from '@solana/kit';
import { appendEvent, appendEvents } from '../db/events.js';
import { beginClocks } from '../legs/moveRows.js';
import { leftInVault, markLegCompleted } from '../legs/legRows.js';
import { markClosed, markDelivered, markEnded, markListed } from './packageRows.js';
import type { LegRow, PackageRow } from '../db/schema.js';
import { packageSubject } from '../db/listings.js';
import { swarmShown } from './replayed.js';
import { markFormed, markSettled, markSwarmEnded, type SwarmWithLegs } from './swarmRows.js';
import { unixSeconds } from '../ledger/ledger.js';
import { termsCompared } from '../ledger/terms.js';
import { foldOnto, legsIn } from '../mirror/facts.js';
import { completedColumns, projectMove, projectReplacement, writeFolded } from '../legs/mirrorMoves.js';
import {
  type Applying,
  beganBy,
  departuresAmong,
  formedIn,
  formingIn,
  goOn,
  hasAllBefore,
  outcomeOf,
  type Projection,
} from '../mirror/projection.js';

/** Projects an instruction about the package into the mirror. Rule M-9. */
export async function projectPackageInstruction(
  applying: Applying,
  parcel: PackageRow,
  instruction: PackageInstruction,
): Promise<Projection> {
  switch (instruction.name) {
    case 'listPackage':
      return projectListing(applying, parcel, instruction);
    case 'formSwarm':
      return projectFormation(applying, parcel, instruction);
    case 'confirmLeg':
      return projectConfirmation(applying, parcel, instruction);
    case 'settle':
      return projectSettlement(applying, parcel);
    case 'cancelPackage':
      return projectEnd(applying, parcel, instruction, 'cancelled');
    case 'reclaimPackage':
      return projectEnd(applying, parcel, instruction, 'reclaimed');
    case 'closePackage':
      return projectClosing(applying, parcel);
    case 'assignLeg':
      // The formation in the same transaction says what any other assignment is.
      return instruction.neighbours ? projectReplacement(applying, parcel, instruction) : 'known';
    case 'accept':
    case 'vacate':
    case 'claim':
    case 'dispute':
    case 'rule':
      break;
  }
  return projectMove(applying, parcel, instruction);
}

/**
 * Returns in words which of the draft's terms the listing departs from; undefined when the instruction does not list this
 * package.
 */
export function packageListingDepartures(
  assets: Assets,
  instruction: RelayInstruction,
  draft: PackageRow,
): string[] | undefined {
  if (instruction.name !== 'listPackage') return undefined;
  const { accounts, data, tokens } = instruction;
  if (accounts.package.address !== draft.on_chain_package) return undefined;
  return departuresAmong([
    ['shipper', accounts.shipper.address, draft.shipper_pubkey],
    ['funder', accounts.funder.address, draft.funder_pubkey],
    ['asset', tokens?.asset ?? 'SOL', assetOf(assets, draft).token?.account ?? 'SOL'],
    ['budget in lamports', data.maxBudget, draft.max_budget_lamports],
    ['deadline in unix seconds', data.deadline, unixSeconds(draft.deadline)],
    ['terms hash', Buffer.from(data.termsHash).toString('hex'), draft.terms_hash],
    ...termsCompared(unwrapOption(data.terms), draft.terms),
  ]);
}

/** The draft is listed, if the listing has exactly its terms. */
async function projectListing(
  applying: Applying,
  draft: PackageRow,
  instruction: Named<'listPackage'>,
): Promise<Projection> {
  const { trx, log, signature } = applying;
  const departures = packageListingDepartures(applying.assets, instruction, draft) ?? [];
  if (departures.length > 0) {
    log.debug({ packageId: draft.id, departures }, 'a listing is not of its draft and counts for nothing');
    return 'foreign';
  }
  if (!(await markListed(trx, draft.id, signature))) return outcomeOf(false, applying, draft.list_signature);
  appendEvent(trx, 'PACKAGE_LISTED', packageSubject(draft.id), {
    packageId: draft.id,
    shipperPubkey: draft.shipper_pubkey,
    origin: { lat: draft.origin_lat, lng: draft.origin_lng },
    destination: { lat: draft.dest_lat, lng: draft.dest_lng },
    ...told('maxBudget', assetOf(applying.assets, draft), draft.max_budget_lamports),
    deadline: draft.deadline,
    onChainPackage: draft.on_chain_package,
    listSignature: signature,
  });
  return 'projected';
}

/** The swarm that was decided is active with all its legs assigned, its package in transit. */
async function projectFormation(
  applying: Applying,
  parcel: PackageRow,
  instruction: Named<'formSwarm'>,
): Promise<Projection> {
  const { trx, log, signature } = applying;
  const isIt = (one: SwarmWithLegs) => isFormationOf(one, instruction, applying);
  const { isReplay } = applying;
  const swarm = await (isReplay ? swarmShown(applying, parcel, instruction, isIt) : formingIn(applying, parcel.id));
  if (swarm && isIt(swarm)) {
    announceFormed(applying, parcel, swarm);
    if (!(await markFormed(trx, swarm, signature))) throw new Error(`swarm ${swarm.id} is forming and does not form`);
    if (parcel.terms !== null) await beginClocks(trx, parcel, swarm.id, beganBy(applying));
    return 'projected';
  }
  if ((await formedIn(applying, parcel.id))?.form_signature === signature) return 'known';
  log.warn({ packageId: parcel.id, transaction: signature }, 'the ledger shows a swarm that was not decided here');
  return 'foreign';
}

/** Returns whether the formation, with the legs assigned in its transaction, is the one that was decided. */
function isFormationOf(swarm: SwarmWithLegs, instruction: Named<'formSwarm'>, { instructions }: Applying): boolean {
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

function announceFormed({ trx, signature, assets }: Applying, parcel: PackageRow, swarm: SwarmWithLegs): void {
  const { id: swarmId, package_id: packageId } = swarm;
  const asset = assetOf(assets, parcel);
  const formed = {
    packageId,
    swarmId,
    onChainSwarm: swarm.on_chain_swarm,
    formSignature: signature,
    totalLegs: swarm.total_legs,
    ...told('total', asset, swarm.total_lamports),
  };
  const received = swarm.legs.map((leg) => ({
    packageId,
    swarmId,
    legId: leg.id,
    legIndex: leg.leg_index,
    agentPubkey: leg.agent_pubkey,
    ...told('cost', asset, leg.cost_lamports),
    ...told('agreedPayment', asset, leg.agreed_payment_lamports),
  }));
  appendEvents(trx, packageSubject(packageId), [
    { type: 'SWARM_FORMED', payload: formed },
    ...received.map((payload) => ({ type: 'BID_RECEIVED' as const, payload })),
  ]);
}

/** A leg with its swarm and its package. */
export interface LegInSwarm {
  leg: LegRow;
  swarm: SwarmWithLegs;
  parcel: PackageRow;
}

/**
 * Returns whether the instruction confirms this very leg, in this formation of the package: another formation has the same
 * addresses. A takeover names the larger of both legs' numbers. Rules P-38, T-35.
 */
export function confirms(instruction: RelayInstruction, { leg, swarm, parcel }: LegInSwarm): boolean {
  if (instruction.name !== 'confirmLeg') return false;
  const next = swarm.legs[leg.leg_index + 1];
  const numbers = [leg.formation, Math.max(leg.formation, next?.formation ?? 0)];
  return (
    instruction.accounts.package.address === parcel.on_chain_package &&
    instruction.accounts.swarm.address === swarm.on_chain_swarm &&
    instruction.accounts.leg.address === leg.on_chain_leg &&
    instruction.accounts.courier.address === leg.agent_pubkey &&
    numbers.includes(instruction.data.formation)
  );
}

/** True if legs before this one wait for their confirmation: the ledger has shown them before. */
export function hasOpenLegsBefore({ legs }: SwarmWithLegs, legIndex: number): boolean {
  return legs.some(({ leg_index, status }) => leg_index < legIndex && status === 'pending');
}

/** The leg is completed; the last one decides the settlement. */
async function projectConfirmation(
  applying: Applying,
  parcel: PackageRow,
  instruction: Named<'confirmLeg'>,
): Promise<Projection> {
  const { trx, signature, isInOrder } = applying;
  const swarm = await formedIn(applying, parcel.id);
  const leg = swarm?.legs.find((one) => confirms(instruction, { leg: one, swarm, parcel }));
  if (!swarm || !leg) return 'foreign';
  // With terms, what a confirmation pays and starts depends on every move before it.
  const mustFit = parcel.terms !== null && leg.status === 'pending';
  if (mustFit && !isInOrder) return 'foreign';
  if (hasOpenLegsBefore(swarm, leg.leg_index) && !hasAllBefore(applying)) return 'foreign';
  // It came before what ended the package, which was mirrored without it.
  if (leg.status === 'pending' && swarm.status !== 'active') return 'foreign';
  const folded = await foldOnto(applying, parcel, instruction);
  if (mustFit && !folded) return 'foreign';
  const ended = folded && legsIn(folded.after)[leg.leg_index];
  const paidLamports = toLamports(ended?.paidLamports ?? leg.agreed_payment_lamports);
  const columns = completedColumns(ended);
  if (!(await markLegCompleted(trx, leg, { confirmSignature: signature, paidLamports, columns }))) {
    return outcomeOf(false, applying, leg.confirm_signature);
  }
  const subject = packageSubject(parcel.id);
  const isLast = leg.leg_index === swarm.total_legs - 1;
  appendEvent(trx, 'LEG_CONFIRMED', subject, {
    packageId: parcel.id,
    swarmId: swarm.id,
    legId: leg.id,
    legIndex: leg.leg_index,
    agentPubkey: leg.agent_pubkey,
    ...told('payment', assetOf(applying.assets, parcel), paidLamports),
    signature,
  });
  if (isLast) await goOn(applying, { kind: 'settle', subject, key: `settle:${swarm.id}`, swarmId: swarm.id });
  if (folded) await writeFolded(folded);
  return 'projected';
}

/** The swarm is settled: its package is delivered, the surplus is back with the funder. */
async function projectSettlement(applying: Applying, parcel: PackageRow): Promise<Projection> {
  const { trx, signature } = applying;
  const swarm = await formedIn(applying, parcel.id);
  if (!swarm) return 'foreign';
  if (hasOpenLegsBefore(swarm, swarm.total_legs) && !hasAllBefore(applying)) return 'foreign';
  const [settled, refundLamports] = await Promise.all([
    markSettled(trx, swarm.id, signature),
    leftInVault(trx, parcel),
  ]);
  if (!settled) return outcomeOf(false, applying, parcel.settle_signature);
  await markDelivered(trx, parcel.id, signature, refundLamports);
  appendEvent(trx, 'PACKAGE_DELIVERED', packageSubject(parcel.id), {
    packageId: parcel.id,
    settleSignature: signature,
    ...told('refund', assetOf(applying.assets, parcel), refundLamports),
  });
  return 'projected';
}

/** The package is cancelled or reclaimed: it has failed for good, and so has a swarm that was forming or active. */
async function projectEnd(
  applying: Applying,
  parcel: PackageRow,
  instruction: Named<'cancelPackage' | 'reclaimPackage'>,
  failureReason: FailureReason,
): Promise<Projection> {
  const { trx, signature, isInOrder } = applying;
  const { id: packageId, end_signature: recorded } = parcel;
  // Whatever came before it must be applied first: afterwards it would not fit.
  if (!isInOrder && recorded !== signature) return 'foreign';
  const folded = await foldOnto(applying, parcel, instruction);
  if (!(await markEnded(trx, packageId, failureReason, signature))) return outcomeOf(false, applying, recorded);
  if (folded) await writeFolded(folded);
  await markSwarmEnded(trx, packageId, failureReason);
  appendEvent(trx, 'PACKAGE_FAILED', packageSubject(packageId), { packageId, failureReason });
  return 'projected';
}

async function projectClosing(applying: Applying, parcel: PackageRow): Promise<Projection> {
  return outcomeOf(await markClosed(applying.trx, parcel.id, applying.signature), applying, parcel.close_signature);
}
