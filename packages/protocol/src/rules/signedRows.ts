import { amountOf, type Lamports } from '../contract/money.js';
import { NONCE_WINDOW_MS } from '../contract/nonce.js';
import { MAX_BIDDING_WINDOW_SEC, operations } from '../contract/operations/index.js';
import { inputsFor, type ProvenCall } from '../contract/signedCall.js';
import { bidExpiresAtMs } from './bids.js';
import type { Coordinate } from './geo.js';

/** A bid waits for its turn at the package after its signature was verified, milliseconds. */
const IN_LINE_MS = 60_000;

/** A stored bid. */
export interface StoredBid {
  readonly packageId: string;
  /** The vacant leg that it is for; null: for the package. */
  readonly legId?: string | null | undefined;
  readonly agentPubkey: string;
  readonly pickup: Coordinate;
  readonly dropoff: Coordinate;
  readonly distanceKm: number;
  readonly costLamports: Lamports;
  /** Milliseconds since 1970. */
  readonly expiresAtMs: number;
}

/** Returns whether the agent signed this very bid, and for as long as it is said to stand. Rule S-96. */
export function provesBid(call: ProvenCall, bid: StoredBid): boolean {
  if (call.pubkey !== bid.agentPubkey) return false;
  const latestMs = call.signedAtMs + NONCE_WINDOW_MS + IN_LINE_MS;
  // A bid that names no duration outlasts the bidding window, which no signature names: any window that there may be.
  const latestCloseMs = latestMs + MAX_BIDDING_WINDOW_SEC * 1000;
  return inputsFor(operations.submitBid, call).some(
    (input) =>
      input.packageId === bid.packageId &&
      (input.legId ?? null) === (bid.legId ?? null) &&
      input.agentPubkey === bid.agentPubkey &&
      input.pickupLat === bid.pickup.lat &&
      input.pickupLng === bid.pickup.lng &&
      input.dropoffLat === bid.dropoff.lat &&
      input.dropoffLng === bid.dropoff.lng &&
      input.distanceKm === bid.distanceKm &&
      amountOf(input.costSol, input.cost) === bid.costLamports &&
      bid.expiresAtMs <= bidExpiresAtMs(latestMs, input.expiresInSec, latestCloseMs),
  );
}

/** Returns whether the agent signed a claim of this leg of a digital task. */
export function provesLegClaim(call: ProvenCall, leg: { taskId: string; legId: string; agentPubkey: string }): boolean {
  return (
    call.pubkey === leg.agentPubkey &&
    inputsFor(operations.bidDigitalLeg, call).some(
      (input) => input.taskId === leg.taskId && input.legId === leg.legId && input.agentPubkey === leg.agentPubkey,
    )
  );
}

/** Returns whether the lister asked for its package or digital task to be erased. */
export function provesErasure(call: ProvenCall, { id, listerPubkey }: { id: string; listerPubkey: string }): boolean {
  const ids = [
    ...inputsFor(operations.erasePackageData, call).map(({ packageId }) => packageId),
    ...inputsFor(operations.eraseTaskData, call).map(({ taskId }) => taskId),
  ];
  return call.pubkey === listerPubkey && ids.includes(id);
}

/** Returns whether the key signed its reward claim with this payout key. */
export function provesRewardClaim(
  call: ProvenCall,
  claim: { devnetPubkey: string; mainnetPubkey: string; earningsLamports: Lamports },
): boolean {
  return (
    call.pubkey === claim.devnetPubkey &&
    inputsFor(operations.registerRewardClaim, call).some(
      (input) =>
        input.devnetPubkey === claim.devnetPubkey &&
        input.mainnetPubkey === claim.mainnetPubkey &&
        input.confirmedEarningsLamports === claim.earningsLamports,
    )
  );
}

/** The wish of a profile change: true for the key's signature alone, false for unsigned calls too, undefined for neither. Rule S-16. */
export function signaturesAskedFor(call: ProvenCall): boolean | undefined {
  const own = inputsFor(operations.updateAgent, call).find(({ agentPubkey }) => agentPubkey === call.pubkey);
  return own?.requireSignedCalls;
}
