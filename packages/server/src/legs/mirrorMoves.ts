import { assetOf, type ListedAsset, told } from '../ledger/assets.js';
import type { MoveInstruction, Named } from '@legwork/program-client';
import { endSignatureOf, type LegFacts, type StepFacts, type TurnFacts } from '@legwork/program-client/facts';
import { createUuid, toLamports } from '@legwork/protocol/contract';
import { FREE_WAITING_LEGS, isLapse } from '@legwork/protocol/rules';
import { offeredBy } from '../bids/bidRows.js';
import { appendEvents, type NewEvent } from '../db/events.js';
import { type ClockedLeg, decidedBid, endLeg, insertMove, setClocks, setStage, type StageColumns } from './moveRows.js';
import { hasPlaces, openingOf, openLeg } from './openingRows.js';
import { isPackage, type ListingRow, subjectOf } from '../db/listings.js';
import { evaluateBidsOf } from '../packages/evaluationRows.js';
import type { PackageRow } from '../db/schema.js';
import { bidShown, replayedLegId } from '../packages/replayed.js';
import { insertReplacement } from '../packages/swarmRows.js';
import { countWaiting, noteLapse } from './waitingRows.js';
import { termsOf } from '../ledger/terms.js';
import { type Folded, foldOnto, legsIn } from '../mirror/facts.js';
import { type Applying, landedAt, type Projection } from '../mirror/projection.js';

/** Moves whose meaning depends on what came before. */
const IN_ORDER: ReadonlySet<StepFacts['move']> = new Set(['leave', 'evict', 'rule', 'reject']);

/**
 * Projects a move of a leg with terms into the mirror. A move whose meaning depends on what came before it is applied in the
 * ledger's order only. Rule T-66.
 */
export async function projectMove(
  applying: Applying,
  listing: ListingRow,
  instruction: MoveInstruction,
): Promise<Projection> {
  const folded = await foldOnto(applying, listing, instruction);
  const [step] = folded?.after.steps ?? [];
  if (folded === undefined || step === undefined) return 'foreign';
  // Accepted at once, or an acceptance that was missed.
  const isPickup = step.move === 'take' && rowOf(folded, step.leg).stage === 'pending';
  if ((isPickup || IN_ORDER.has(step.move)) && !applying.isInOrder) return 'foreign';
  await writeFolded(folded);
  return 'projected';
}

/** Writes what has become of the legs, with their clocks, and tells each thing that was done to them. */
export async function writeFolded(folded: Folded): Promise<void> {
  const { applying, listing, after } = folded;
  const { trx } = applying;
  for (const { index, turn } of legsIn(after)) {
    const row = folded.rows.find((one) => one.leg_index === index);
    // The stage of a completed leg is written with its status.
    if (row === undefined || turn === null || turn.stage === 'completed') continue;
    if (turn.sinceSignature === applying.signature) await setStage(trx, listing, row.id, turnColumns(turn));
  }
  for (const step of after.steps) await noteMove(folded, step);
  const asset = assetOf(applying.assets, listing);
  const clocked = endSignatureOf(after) === null ? await setClocks(trx, listing) : await stopClocks(folded);
  for (const step of after.steps) {
    const row = rowOf(folded, step.leg);
    const until = clocked.find(({ id }) => id === row.id)?.until ?? listing.deadline;
    const event = eventOf(step, { listing, asset, row, until });
    if (event) appendEvents(trx, subjectOf(listing), [event]);
    await follow(folded, step, row);
  }
}

function rowOf({ rows }: Folded, { index }: LegFacts): ClockedLeg {
  const row = rows.find((one) => one.leg_index === index);
  if (row === undefined) throw new Error(`leg ${index} was folded, and has no row`);
  return row;
}

/** The stage columns of a completed leg; none of one without terms. */
export const completedColumns = (leg: LegFacts | undefined): StageColumns =>
  leg?.turn ? { ...turnColumns(leg.turn), until: null } : {};

/** The stage columns of a leg. */
function turnColumns(turn: TurnFacts): StageColumns {
  if (turn.since === null) throw new Error('what is mirrored landed at some time');
  return {
    stage: turn.stage,
    since: new Date(Number(turn.since) * 1000),
    since_signature: turn.sinceSignature,
    disputer_pubkey: turn.disputer,
    percent: turn.percent,
    evidence_hash: turn.evidenceHash,
    reason_hash: turn.reasonHash,
    forfeited_lamports: toLamports(turn.forfeitedLamports),
  };
}

async function noteMove(folded: Folded, { move, leg, signer, by, percent, hash, movements }: StepFacts): Promise<void> {
  if (move === 'assign' || move === 'release' || move === 'replace') return;
  const { applying } = folded;
  await insertMove(applying.trx, {
    leg_id: rowOf(folded, leg).id,
    move,
    signer_pubkey: signer,
    by_whom: by,
    percent,
    hash,
    movements: movements.map((moved) => ({ ...moved, lamports: Number(moved.lamports) })),
    signature: applying.signature,
    at: landedAt(applying),
  });
}

/** No clock runs once a listing has ended. */
async function stopClocks({ applying, listing, rows }: Folded): Promise<readonly ClockedLeg[]> {
  for (const { id, until } of rows) if (until !== null) await setStage(applying.trx, listing, id, { until: null });
  return [];
}

/** The fields that every event of a leg with terms has. */
const legIn = (listing: ListingRow, leg: ClockedLeg) => ({
  ...('swarm_id' in leg
    ? { kind: 'package' as const, packageId: listing.id, swarmId: leg.swarm_id }
    : { kind: 'task' as const, taskId: listing.id }),
  legId: leg.id,
  legIndex: leg.leg_index,
  agentPubkey: leg.agent_pubkey,
});

/** The event of what was done to a leg; undefined: it has none, or is told as its kind of listing tells it. */
function eventOf(
  step: StepFacts,
  { listing, asset, row, until }: { listing: ListingRow; asset: ListedAsset; row: ClockedLeg; until: Date },
): NewEvent | undefined {
  const { signature, signer, hash } = step;
  const leg = { ...legIn(listing, row), signature };
  switch (step.move) {
    case 'accept':
      return { type: 'LEG_ACCEPTED', payload: { ...leg, ...told('stake', asset, termsOf(listing).stake) } };
    case 'take':
    case 'handover':
      return { type: 'LEG_CARRIED', payload: { ...leg, until } };
    case 'leave':
    case 'evict': {
      const forfeited = toLamports(step.leg.turn?.forfeitedLamports ?? 0n);
      return { type: 'LEG_VACATED', payload: { ...leg, ...told('forfeited', asset, forfeited) } };
    }
    case 'claim':
      return { type: 'LEG_CLAIMED', payload: { ...leg, evidenceHash: hash ?? '', until } };
    case 'dispute':
      return { type: 'LEG_DISPUTED', payload: { ...leg, disputerPubkey: signer, reasonHash: hash ?? '', until } };
    case 'rule':
    case 'reject':
      return { type: 'LEG_RULED', payload: { ...leg, by: step.by ?? 'silence', percent: step.percent ?? 0 } };
    case 'assign':
    case 'release':
    case 'replace':
    case 'confirm':
    case 'reclaim':
      break;
  }
  return undefined;
}

/** Applies the consequences here of a move of a leg. @param row as it was before */
async function follow({ applying, listing }: Folded, { move, leg }: StepFacts, row: ClockedLeg): Promise<void> {
  const { trx } = applying;
  const at = landedAt(applying);
  const { agent_pubkey: agent } = row;
  const isWaiting = row.stage === 'pending';
  const isLate = move === 'evict' || (move === 'leave' && isLapse(row.since, at, termsOf(listing).handoffSec));
  if (isWaiting && isLate) await noteLapse(trx, { agent_pubkey: agent, leg_id: row.id, at });
  // A vacant leg takes bids, as long as another courier can be assigned. Rule T-56.
  const isVacant = leg.turn?.stage === 'vacant' && at < listing.deadline;
  if (isPackage(listing) && 'swarm_id' in row && isVacant && hasPlaces(row)) {
    const closesAt = await openLeg(trx, row.id, at);
    const payload = {
      ...(await openingOf(trx, { parcel: listing, asset: assetOf(applying.assets, listing) }, row)),
      closesAt,
    };
    appendEvents(trx, subjectOf(listing), [{ type: 'LEG_OPENED', payload }]);
  }
  // Bids of the agent that were passed over while it had no room for another leg may win now. Rule T-110.
  const hadNoRoom = isWaiting && (await countWaiting(trx, agent)) + 1 >= FREE_WAITING_LEGS;
  if (hadNoRoom) await evaluateBidsOf(trx, agent);
}

/** Another courier gets a vacant leg, as the coordinator decided: it is paid exactly what it bid. Rules T-26, T-30. */
export async function projectReplacement(
  applying: Applying,
  parcel: PackageRow,
  instruction: Named<'assignLeg'>,
): Promise<Projection> {
  const { trx, log, signature, isInOrder } = applying;
  const { accounts, data } = instruction;
  const folded = isInOrder ? await foldOnto(applying, parcel, instruction) : undefined;
  const given = folded && legsIn(folded.after)[data.index];
  const former = given && rowOf(folded, given);
  if (!given?.turn || former === undefined || !('swarm_id' in former)) return 'foreign';
  const wanted = { agent: accounts.courier.address, payment: data.paymentLamports };
  const { index, formation } = given;
  const decided = await decidedBid(trx, former.id, wanted);
  const shown = { ...wanted, index, formation, formerLegId: former.id };
  const bid = decided ?? (applying.isReplay ? await bidShown(applying, parcel, shown) : undefined);
  if (bid === undefined) {
    log.warn(
      { packageId: parcel.id, transaction: signature },
      'the ledger shows a replacement that was not decided here',
    );
    return 'foreign';
  }
  const { swarm_id: swarmId } = former;
  const leg = {
    id: applying.isReplay ? await replayedLegId(applying, parcel.id, { swarmId, formation, index }) : createUuid(),
    swarm_id: swarmId,
    leg_index: given.index,
    on_chain_leg: given.address,
    ...offeredBy(bid),
    asset: parcel.asset,
    agreed_payment_lamports: bid.cost_lamports,
    formation: given.formation,
    ...turnColumns(given.turn),
    assign_signature: signature,
  };
  await endLeg(trx, former.id, landedAt(applying));
  await insertReplacement(trx, parcel.id, leg);
  parcel.formation = leg.formation;
  await setClocks(trx, parcel);
  const payload = {
    kind: 'package' as const,
    packageId: parcel.id,
    swarmId,
    legId: leg.id,
    legIndex: leg.leg_index,
    agentPubkey: leg.agent_pubkey,
    signature,
    formerLegId: former.id,
    formerAgentPubkey: former.agent_pubkey,
    ...told('agreedPayment', assetOf(applying.assets, parcel), leg.agreed_payment_lamports),
  };
  appendEvents(trx, subjectOf(parcel), [{ type: 'LEG_REPLACED', payload }]);
  return 'projected';
}
