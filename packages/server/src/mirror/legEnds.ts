import type { Named } from '@legwork/program-client';
import { createUuid, type Lamports, toLamports } from '@legwork/protocol/contract';
import { ruledPayment, STAKES_HELD } from '@legwork/protocol/rules';
import { offeredBy } from '../db/bids.js';
import { appendEvent, appendEvents } from '../db/events.js';
import {
  agreedOf,
  decidedBid,
  endLeg,
  type HeldLegRow,
  insertMove,
  isClocked,
  isPackage,
  legsNow,
  type ListingRow,
  setClocks,
  setStage,
  subjectOf,
} from '../db/legMoves.js';
import type { BidRow, LegRow, MovedLamports, PackageRow } from '../db/schema.js';
import { packageSubject } from '../db/subjects.js';
import { formedSwarm, insertReplacement } from '../db/swarms.js';
import { termsOf } from '../ledger/terms.js';
import { legIn, type MovedLeg, paidOut } from './legMoves.js';
import { type Applying, beganBy, hasReceived, keptOf, landedAt, type Projection } from './projection.js';

/** What a leg with terms keeps of its clock once it is completed. */
export const completedStage = (applying: Applying) => ({
  stage: 'completed' as const,
  ...beganBy(applying),
  until: null,
});

/** What a confirmed leg was paid, and where its stake went; what its courier could not receive is in the vault. */
export function dueOf(
  applying: Applying,
  listing: ListingRow,
  leg: HeldLegRow,
): { paidLamports: Lamports; movements: MovedLamports[] } {
  const due = ruledPayment(agreedOf(listing, leg), leg.stage === 'ruled' ? leg.percent : null);
  if (!isClocked(leg)) return { paidLamports: due, movements: [] };
  const { on_chain_vault: vault } = listing;
  const held = BigInt(STAKES_HELD[leg.stage]) * termsOf(listing).stakeLamports;
  const [isPaymentKept, isStakeKept] = keptOf(applying, vault, 0n - due, [due, held]);
  const to = isStakeKept ? vault : leg.agent_pubkey;
  return {
    paidLamports: isPaymentKept ? toLamports(0n) : due,
    movements: paidOut(leg, 'stake_returned', to, held),
  };
}

/** The stake of a completed leg returns, and the turn of the next one begins: by a takeover with the parcel. Rules T-32, T-33, T-36. */
export async function projectCompletion(
  moved: MovedLeg,
  { signer, movements }: { signer: string; movements: readonly MovedLamports[] },
): Promise<void> {
  const { applying, listing, leg } = moved;
  const { trx, signature } = applying;
  const at = landedAt(applying);
  await insertMove(trx, { leg_id: leg.id, move: 'confirm', signer_pubkey: signer, movements, signature, at });
  const next = (await legsNow(trx, listing))[leg.leg_index + 1];
  if (next === undefined || !isClocked(next)) {
    await setClocks(trx, listing);
    return;
  }
  const takesOver =
    next.stage === 'accepted' && signer === next.agent_pubkey && leg.stage !== 'ruled' && at < listing.deadline;
  await setStage(trx, listing, next.id, { stage: takesOver ? 'carried' : next.stage, ...beganBy(applying) });
  const clocked = await setClocks(trx, listing);
  if (!takesOver) return;
  await insertMove(trx, { leg_id: next.id, move: 'handover', signer_pubkey: signer, signature, at });
  const until = clocked[next.leg_index]?.until ?? listing.deadline;
  await appendEvent(trx, 'LEG_CARRIED', subjectOf(listing), { ...legIn(listing, next), signature, until });
}

/** Another courier gets a vacant leg, as the coordinator decided. Rules T-26, T-30. */
export async function projectReplacement(
  applying: Applying,
  parcel: PackageRow,
  { accounts, data }: Named<'assignLeg'>,
): Promise<Projection> {
  const { trx, log, signature, isInOrder } = applying;
  if (!isInOrder) return 'foreign';
  const swarm = await formedSwarm(trx, parcel.id);
  const former = swarm?.legs[data.index];
  if (former?.stage !== 'vacant' || former.on_chain_leg !== accounts.leg.address) return 'foreign';
  const agent = accounts.courier.address;
  const bid = await decidedBid(trx, former.id, { agent, payment: data.paymentLamports });
  if (bid === undefined) {
    log.warn(
      { packageId: parcel.id, transaction: signature },
      'the ledger shows a replacement that was not decided here',
    );
    return 'foreign';
  }
  const at = landedAt(applying);
  await endLeg(trx, former.id, at);
  const leg = replacementOf(applying, former, bid, parcel.formation + 1);
  await insertReplacement(trx, parcel.id, leg);
  parcel.formation = leg.formation;
  await setClocks(trx, parcel);
  await appendEvents(trx, packageSubject(parcel.id), [
    {
      type: 'LEG_REPLACED',
      payload: {
        kind: 'package',
        packageId: parcel.id,
        swarmId: former.swarm_id,
        legId: leg.id,
        legIndex: leg.leg_index,
        agentPubkey: leg.agent_pubkey,
        signature,
        formerLegId: former.id,
        formerAgentPubkey: former.agent_pubkey,
        agreedPaymentLamports: leg.agreed_payment_lamports,
      },
    },
  ]);
  return 'projected';
}

/** The row of the courier who takes a vacant leg: it is paid exactly what it bid. */
function replacementOf(applying: Applying, former: LegRow, bid: BidRow, formation: number) {
  return {
    id: createUuid(),
    swarm_id: former.swarm_id,
    leg_index: former.leg_index,
    on_chain_leg: former.on_chain_leg,
    ...offeredBy(bid),
    agreed_payment_lamports: bid.cost_lamports,
    formation,
    stage: 'pending' as const,
    ...beganBy(applying),
    assign_signature: applying.signature,
  };
}

/**
 * The stakes of what is reclaimed: of accepted legs to their workers, of who carries a parcel to the funder, and so what a worker
 * cannot receive. No clock runs from then on. Rule T-39.
 */
export async function projectReclaimedStakes(applying: Applying, listing: ListingRow, signer: string): Promise<void> {
  const { trx, signature, shown } = applying;
  if (isPackage(listing) && (await formedSwarm(trx, listing.id))?.status !== 'active') return;
  const { stakeLamports } = termsOf(listing);
  const at = landedAt(applying);
  for (const leg of (await legsNow(trx, listing)).filter(isClocked)) {
    if (leg.until !== null) await setStage(trx, listing, leg.id, { until: null });
    if (leg.stage !== 'accepted' && leg.stage !== 'carried') continue;
    const isReceived = leg.stage === 'accepted' && hasReceived(shown, leg.agent_pubkey);
    const what = leg.stage === 'accepted' ? 'stake_returned' : 'stake_forfeited';
    const to = isReceived ? leg.agent_pubkey : listing.funder_pubkey;
    const movements = paidOut(leg, what, to, stakeLamports);
    await insertMove(trx, { leg_id: leg.id, move: 'reclaim', signer_pubkey: signer, movements, signature, at });
  }
}
