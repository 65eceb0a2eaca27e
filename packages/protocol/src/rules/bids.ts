import { MAX_BID_EXPIRY_SEC, MIN_BID_EXPIRY_SEC } from '../contract/operations/bids.js';
import type { RuleFault } from './fault.js';
import { type Coordinate, minimumDistanceKm } from './geo.js';
import { type Asset, formatAmount, formatSol, isInSol, type Lamports, toLamports } from '../contract/money.js';
import type { PackageStatus } from '../contract/statuses.js';

/** Seconds that a bid stands when it names no other time. */
export const DEFAULT_BID_EXPIRY_SEC = 600;

/** Seconds that a package gathers bids before they are evaluated, unless its poster says otherwise. Rule M-35. */
export const DEFAULT_BIDDING_WINDOW_SEC = 0;

/** Live bids that one agent may have on one package. Rule M-37. */
export const MAX_LIVE_BIDS_PER_AGENT = 100;

/** Why a bid is refused. */
export type BidFaultCode =
  | 'invalid_input'
  | 'self_dealing'
  | 'bid_above_budget'
  | 'invalid_status'
  | 'deadline_passed'
  | 'unreceivable_payment';

/** A bid as it arrives; places are valid coordinates and the key is a wallet's (checked before). */
export interface BidTerms {
  readonly agentPubkey: string;
  readonly pickup: Coordinate;
  readonly dropoff: Coordinate;
  readonly distanceKm: number;
  readonly costLamports: Lamports;
  /** Seconds; see {@link bidExpiresAtMs} for when it is left out. */
  readonly expiresInSec?: number | undefined;
}

/** The parts of a package that a bid is checked against. */
export interface BidTarget {
  readonly status: PackageStatus;
  readonly shipperPubkey: string;
  readonly budgetLamports: Lamports;
  readonly asset: Asset;
  /** Milliseconds since 1970. */
  readonly deadlineMs: number;
  /** When the bids are evaluated, milliseconds since 1970; undefined: at once. */
  readonly biddingClosesAtMs?: number | undefined;
}

/**
 * The first rule that the bid breaks, or undefined when it may be stored. Rules M-7, M-16, M-17.
 *
 * @param nowMs milliseconds since 1970
 */
export function checkBid(bid: BidTerms, target: BidTarget, nowMs: number): RuleFault<BidFaultCode> | undefined {
  return (
    checkTarget(bid, target, nowMs) ??
    checkCost(bid.costLamports, target.budgetLamports, target.asset) ??
    checkDistance(bid) ??
    checkExpiry(bid.expiresInSec, target.biddingClosesAtMs, nowMs)
  );
}

/**
 * When a bid stored now expires, in milliseconds since 1970. One that names no time stands for
 * {@link DEFAULT_BID_EXPIRY_SEC} seconds, counted from the close of the bidding window while that is open. Rules M-15, M-36.
 */
export function bidExpiresAtMs(nowMs: number, expiresInSec?: number, biddingClosesAtMs: number = nowMs): number {
  if (expiresInSec !== undefined) return nowMs + expiresInSec * 1000;
  return Math.max(nowMs, biddingClosesAtMs) + DEFAULT_BID_EXPIRY_SEC * 1000;
}

/** Reports whether a bid still stands: it does until the instant it expires. */
export function isBidStanding(expiresAtMs: number, nowMs: number): boolean {
  return nowMs < expiresAtMs;
}

/**
 * Refuses a bid whose payment could not reach an empty wallet: a payment may be as small as
 * the bid, and the ledger refuses a transfer that leaves an account below the rent minimum.
 * The wallet's balance of today may be gone by the handoff, so it does not count. Rule M-18.
 */
export function checkReceivable(
  costLamports: Lamports,
  rentMinimumLamports: Lamports,
): RuleFault<BidFaultCode> | undefined {
  if (costLamports >= rentMinimumLamports) {
    return undefined;
  }
  const missing = toLamports(rentMinimumLamports - costLamports);
  return {
    code: 'unreceivable_payment',
    field: 'costSol',
    message:
      `is ${missing} lamports (${formatSol(missing)} SOL) too little for an empty wallet to receive; ` +
      `bid at least ${formatSol(rentMinimumLamports)} SOL`,
  };
}

function checkTarget(bid: BidTerms, target: BidTarget, nowMs: number): RuleFault<BidFaultCode> | undefined {
  if (bid.agentPubkey === target.shipperPubkey) {
    return {
      code: 'self_dealing',
      field: 'agentPubkey',
      message: 'is the shipper of this package; a shipper cannot carry its own package, bid from another agent',
    };
  }
  if (target.status !== 'listed') {
    return {
      code: 'invalid_status',
      field: 'packageId',
      message: `names a package that is ${target.status}; bids are taken while it is listed`,
    };
  }
  if (nowMs >= target.deadlineMs) {
    return {
      code: 'deadline_passed',
      field: 'packageId',
      message: `names a package whose deadline passed at ${new Date(target.deadlineMs).toISOString()}`,
    };
  }
  return undefined;
}

function checkCost(cost: Lamports, budget: Lamports, asset: Asset): RuleFault<BidFaultCode> | undefined {
  const field = isInSol(asset) ? 'costSol' : 'cost';
  if (cost < 1n) {
    return { code: 'invalid_input', field, message: `must be at least one base unit, ${formatAmount(1n, asset)}` };
  }
  if (cost > budget) {
    return {
      code: 'bid_above_budget',
      field,
      message: `is ${formatAmount(cost, asset)}, above the package's budget; bid at most ${formatAmount(budget, asset)}`,
    };
  }
  return undefined;
}

function checkDistance(bid: BidTerms): RuleFault<BidFaultCode> | undefined {
  const least = minimumDistanceKm(bid.pickup, bid.dropoff);
  if (Number.isFinite(bid.distanceKm) && bid.distanceKm >= least) {
    return undefined;
  }
  // Rounded up to a metre, so that the distance it names is one that passes.
  const named = Math.ceil(least * 1000) / 1000;
  return {
    code: 'invalid_input',
    field: 'distanceKm',
    message: `must be at least ${named}: 90 % of the great-circle distance between pickup and drop-off`,
  };
}

function checkExpiry(
  expiresInSec: number | undefined,
  biddingClosesAtMs: number | undefined,
  nowMs: number,
): RuleFault<BidFaultCode> | undefined {
  if (expiresInSec === undefined) {
    return undefined;
  }
  if (!Number.isInteger(expiresInSec) || expiresInSec < MIN_BID_EXPIRY_SEC || expiresInSec > MAX_BID_EXPIRY_SEC) {
    return {
      code: 'invalid_input',
      field: 'expiresInSec',
      message: `must be whole seconds from ${MIN_BID_EXPIRY_SEC} to ${MAX_BID_EXPIRY_SEC}`,
    };
  }
  if (biddingClosesAtMs === undefined || isBidStanding(bidExpiresAtMs(nowMs, expiresInSec), biddingClosesAtMs)) {
    return undefined;
  }
  return {
    code: 'invalid_input',
    field: 'expiresInSec',
    message: `ends before the bids are evaluated, at ${new Date(biddingClosesAtMs).toISOString()}; ${outlasting(biddingClosesAtMs - nowMs)}`,
  };
}

/** The least expiry that is longer than so many milliseconds, in words. */
function outlasting(ms: number): string {
  const least = Math.floor(ms / 1000) + 1;
  return least > MAX_BID_EXPIRY_SEC
    ? 'leave it out, and the bid stands 10 minutes longer than that'
    : `give at least ${least}, or leave it out`;
}
