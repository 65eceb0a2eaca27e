import { createUuid } from '@legwork/protocol/contract';
import { formatSol, lamportsToSolNumber } from '@legwork/sdk';
import type { Lamports, PackageDetail, PackageView } from '@legwork/sdk';
import type { Desk } from '../engine/desk.js';
import type { LegalMoves, Move, Role } from '../engine/move.js';
import type { CourierPolicy } from '../policy/policy.js';
import type { Advice, LegalBid } from './advice.js';
import { errandOf, legalBid, stretchOf } from './legalBid.js';
import type { Looker } from './legalBid.js';
import { Parcels } from './parcels.js';
import type { Roads } from './roads.js';
import { mightJoin } from './stretch.js';
import type { Stretch } from './stretch.js';
import { CONFIRM_LAMPORTS, legToReceive, takeOver } from './takeOver.js';

/** Bids that are worked out in full and shown to a model at once; the others come after these. */
const MOST_LEGAL = 20;
/** A bid is made again so long before it ends, milliseconds. */
const RENEWAL_MS = 60_000;
const FITS = { whole: 0, joins: 1, hopes: 2 } as const;

/** What a courier needs beyond its desk. */
interface CourierParts {
  readonly courier: CourierPolicy;
  /** Where its commands run. */
  readonly folder: string;
  readonly roads: Roads;
  /** Undefined: the rules alone. */
  readonly advice: Advice | undefined;
}

interface Found {
  readonly parcel: PackageView;
  readonly stretch: Stretch;
}

/** The courier's rules: what it takes over, and what it may bid on. */
export class Courier implements Role {
  readonly #desk: Desk;
  readonly #parts: CourierParts;
  readonly #parcels: Parcels;
  /** The bids of the moves that were found last. */
  #legal = new Map<Move, LegalBid>();

  constructor(desk: Desk, parts: CourierParts) {
    this.#desk = desk;
    this.#parts = parts;
    this.#parcels = new Parcels(desk);
  }

  async look(): Promise<LegalMoves> {
    const { commitments } = this.#desk;
    await this.#forgetLostBids();
    const [due, open] = [await this.#takeOvers(), await this.#bids()];
    this.#parcels.keep(commitments.packageIds);
    return { due, open };
  }

  /** As the model says, if what it says is legal. */
  async choose(open: readonly Move[], signal: AbortSignal): Promise<Move | undefined> {
    const legal = open.flatMap((move) => this.#legal.get(move) ?? []);
    const chosen = await this.#parts.advice?.(legal, signal);
    const bid = chosen && legal[chosen.index];
    if (!bid || chosen.priceLamports < bid.price.lowest || chosen.priceLamports > bid.price.highest) return undefined;
    return this.#bidMove(bid, chosen.priceLamports, chosen.reasoning);
  }

  /** A bid becomes no leg any more once its package is on its way, and no leg of it is ours and to be carried. */
  async #forgetLostBids(): Promise<void> {
    const { commitments, market } = this.#desk;
    const carried = new Set(commitments.legs.map((leg) => (leg.kind === 'physical' ? leg.packageId : '')));
    for (const { packageId } of commitments.bids) {
      if (market.packages.known.has(packageId) || carried.has(packageId)) continue;
      const parcel = await this.#parcels.now(packageId);
      if (parcel && isBeyondUs(parcel, this.#desk.session.signer.address)) commitments.lost(packageId);
    }
  }

  async #takeOvers(): Promise<Move[]> {
    const { commitments, session } = this.#desk;
    const { courier, folder } = this.#parts;
    const moves: Move[] = [];
    for (const leg of commitments.legs) {
      if (leg.kind !== 'physical' || leg.isTurn || leg.takeOverLegId === null) continue;
      const parcel = await this.#parcels.now(leg.packageId);
      const before = parcel && legToReceive(parcel, session.signer.address);
      if (before) moves.push(takeOver(this.#desk, courier.handoff, folder, parcel, before));
    }
    return moves;
  }

  /** What may be bid on: whole ways before parts that join others', those before parts that nobody joins yet; then what pays most. */
  async #bids(): Promise<Move[]> {
    const { session, commitments } = this.#desk;
    const carried = await this.#parcels.loadOf(commitments.packageIds);
    this.#legal = new Map();
    if (!carried) return [];
    const looker = { pubkey: session.signer.address, policy: session.policy, carried };
    const found = this.#stretches(looker, Date.now());
    found.sort((a, b) => FITS[a.stretch.fit] - FITS[b.stretch.fit] || worthOf(b) - worthOf(a));
    for (const { parcel, stretch } of found.slice(0, MOST_LEGAL)) {
      const road = await this.#parts.roads.between(stretch.pickup, stretch.dropoff);
      const bid = legalBid(parcel, stretch, road, session.policy, Date.now());
      if (bid) this.#legal.set(this.#bidMove(bid, bid.price.rule, undefined), bid);
    }
    return [...this.#legal.keys()];
  }

  #stretches(looker: Looker, nowMs: number): Found[] {
    const { market, commitments, session, rests } = this.#desk;
    const found: Found[] = [];
    for (const parcel of market.packages.known.values()) {
      if (rests.isResting(keyOf(parcel.id), nowMs) || this.#stands(parcel.id, nowMs)) continue;
      if (!commitments.hasRoom(parcel.id, session.policy.limits.legsAtOnce)) continue;
      const stretch = this.#stretch(parcel, looker, nowMs);
      if (stretch) found.push({ parcel, stretch });
    }
    return found;
  }

  /** Others' bids are read where they may offer a place to join; until then the package waits. */
  #stretch(parcel: PackageView, looker: Looker, nowMs: number): Stretch | undefined {
    const alone = stretchOf(parcel, [], looker, nowMs);
    if (alone?.fit === 'whole' || (!alone && !mightJoin(errandOf(parcel, []), this.#parts.courier))) return alone;
    const bids = this.#desk.market.bidsOn(parcel.id);
    return bids && stretchOf(parcel, bids, looker, nowMs);
  }

  /** Whether a bid stands there, or a leg was made of one, or it is not known. */
  #stands(packageId: string, nowMs: number): boolean {
    const { commitments } = this.#desk;
    if (commitments.legs.some((leg) => leg.kind === 'physical' && leg.packageId === packageId)) return true;
    return commitments.bids.some((bid) => bid.packageId === packageId && bid.untilMs - RENEWAL_MS > nowMs);
  }

  #bidMove(bid: LegalBid, price: Lamports, reasoning: string | undefined): Move {
    const { packageId, pickup, dropoff, distanceKm, durationMin, parcel } = bid;
    const { session, calls, commitments } = this.#desk;
    const input = {
      packageId,
      agentPubkey: session.signer.address,
      pickupLat: pickup.lat,
      pickupLng: pickup.lng,
      dropoffLat: dropoff.lat,
      dropoffLng: dropoff.lng,
      distanceKm,
      estimatedDurationMin: durationMin,
      costSol: lamportsToSolNumber(price),
      ...(reasoning !== undefined && { reasoning }),
    };
    const carryOut = async () => {
      const call = { call: 'submitBid', subject: packageId, key: createUuid(), input };
      const { legsAtOnce } = session.policy.limits;
      await calls.make(session.journal, call, () => commitments.requireRoom(packageId, legsAtOnce));
      return `bid ${formatSol(price)} SOL for ${distanceKm} km of package ${packageId}`;
    };
    return { key: keyOf(packageId), deadlineMs: parcel.deadline.getTime(), costLamports: CONFIRM_LAMPORTS, carryOut };
  }
}

const keyOf = (packageId: string) => `bid:${packageId}`;

/** Whether no bid on the package can become a leg of this courier any more, and no leg of it is left to carry. */
function isBeyondUs({ status, swarm }: PackageDetail, courier: string): boolean {
  if (status === 'listed' || status === 'swarm_forming') return false;
  const isOurs = swarm?.legs.some((leg) => leg.agentPubkey === courier && leg.status === 'pending');
  return status !== 'in_transit' || isOurs !== true;
}

/** Before the road is known: the part of the budget that a stretch may ask for, as a number to compare. */
const worthOf = ({ parcel, stretch }: Found) => Number(parcel.maxBudgetLamports) * stretch.share;
