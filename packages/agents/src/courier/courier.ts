import { createUuid } from '@legwork/protocol/contract';
import { asked, formatAmount, isInSol, LegworkApiError } from '@legwork/sdk';
import type { Lamports, PackageDetail, LegworkEvent } from '@legwork/sdk';
import { disagreementToCarry, hasReputation, isWelcome, requireFunds, termsRulesOf } from '../engine/agreement.js';
import { FOR_GOOD } from '../engine/calls.js';
import type { Desk } from '../engine/desk.js';
import { FEE_LAMPORTS } from '../engine/move.js';
import type { LegalMoves, Move, Role } from '../engine/move.js';
import type { Tell } from '../engine/reasons.js';
import { nameOf } from '../engine/search.js';
import type { Parcel } from '../engine/search.js';
import type { CourierPolicy } from '../policy/policy.js';
import { rulesFor } from '../wallet/assetRules.js';
import { couldCarry, errandOf, legalBid } from './legalBid.js';
import type { Advice, LegalBid } from './legalBid.js';
import { bestStretch } from './stretch.js';
import type { Stretch } from './stretch.js';
import { Parcels } from './parcels.js';
import type { Load } from './parcels.js';
import type { Roads } from './roads.js';
import { Stretches } from './stretches.js';
import { Turns } from './turns.js';

/** Bids that are worked out in full and shown to a model at once; the others come after these. */
const MOST_LEGAL = 20;
/** So long a bid stands that others have to join, seconds. */
const HOPE_SEC = 120;
const FITS = { whole: 0, joins: 1, hopes: 2 } as const;

/** The parts of a courier beyond its desk. */
interface CourierParts {
  readonly courier: CourierPolicy;
  /** Where its commands run. */
  readonly folder: string;
  readonly roads: Roads;
  /** Undefined: the rules alone. */
  readonly advice: Advice | undefined;
}

/** A bid, and for how many seconds it stands; undefined: as long as the service has it. */
interface Offer {
  readonly bid: LegalBid;
  readonly standsSec: number | undefined;
  /** The vacant leg that it is for; null: it is for the package. */
  readonly legId: string | null;
  /** The stake that the leg's terms demand, base units; undefined: it has none. */
  readonly stakeLamports: bigint | undefined;
}

interface Found {
  readonly parcel: Parcel;
  readonly stretch: Stretch;
}

/** The courier's rules: what it takes over, and what it may bid on. */
export class Courier implements Role {
  readonly #desk: Desk;
  readonly #parts: CourierParts;
  readonly #parcels: Parcels;
  readonly #stretches: Stretches;
  readonly #turns: Turns;
  /** Packages on which no bid of this agent is taken. */
  readonly #barred = new Set<string>();
  /** The bids of the moves that were found last. */
  #legal = new Map<Move, Offer>();

  constructor(desk: Desk, parts: CourierParts) {
    this.#desk = desk;
    this.#parts = parts;
    this.#parcels = new Parcels(desk);
    this.#stretches = new Stretches(desk.market, parts.courier, desk.session.signer.address);
    this.#turns = new Turns(desk, { ...parts, parcels: this.#parcels });
  }

  async look(): Promise<LegalMoves> {
    const { commitments, reputation } = this.#desk;
    await this.#forgetLostBids();
    const [takeOvers, turns, open] = [await this.#turns.takeOvers(), await this.#turns.look(), await this.#bids()];
    this.#parcels.keep(commitments.packageIds);
    const opening = reputation.hasToPay ? [reputation.opening(this.#desk)] : [];
    return { due: [...opening, ...takeOvers, ...turns], open };
  }

  /** As the model says, if what it says is legal. */
  async choose(open: readonly Move[], signal: AbortSignal): Promise<Move | undefined> {
    const offers = open.flatMap((move) => this.#legal.get(move) ?? []);
    // A model is asked about prices in SOL, and not while a bid in something else comes first.
    if (!offers.every(({ bid }) => isInSol(bid.of))) return undefined;
    const chosen = await this.#parts.advice?.(
      offers.map(({ bid }) => bid),
      signal,
    );
    const offer = chosen && offers[chosen.index];
    if (!offer) return undefined;
    const { priceLamports, reasoning } = chosen;
    const { lowest, highest } = offer.bid.price;
    return priceLamports < lowest || priceLamports > highest
      ? undefined
      : this.#bidMove(offer, priceLamports, reasoning);
  }

  hear(event: LegworkEvent): void {
    this.#parcels.hear(event);
    this.#desk.turns.hear(event);
  }

  /** A bid becomes no leg any more once its package is on its way, and no leg of it is ours and to be carried. */
  async #forgetLostBids(): Promise<void> {
    const { commitments, work } = this.#desk;
    const carried = new Set(commitments.legs.map((leg) => (leg.kind === 'physical' ? leg.packageId : '')));
    for (const { packageId, legId } of commitments.bids) {
      if (work.package(packageId) || carried.has(packageId)) continue;
      const parcel = await this.#parcels.now(packageId);
      if (!parcel) continue;
      const isLost = !isVacant(parcel, legId) && isBeyondUs(parcel, this.#desk.session.signer.address);
      if (isLost) commitments.lost(packageId);
      else commitments.stands(packageId);
    }
  }

  /** The bids that it can make: whole ways before parts that join others', those before parts that nobody joins yet; then the best paid. */
  async #bids(): Promise<Move[]> {
    const { session, commitments } = this.#desk;
    this.#legal = new Map();
    const carried = await this.#parcels.loadOf(commitments.packageIds);
    if (!carried) return [];
    // Terms first: what nobody may agree to must not take the places of what comes after it.
    const found = [...this.#find(carried, Date.now()), ...this.#findVacant(carried, Date.now())].filter(({ parcel }) =>
      this.#suits(parcel, 0, this.#tellOf(parcel)),
    );
    found.sort((a, b) => FITS[a.stretch.fit] - FITS[b.stretch.fit] || rankOf(a) - rankOf(b) || worthOf(b) - worthOf(a));
    for (const { parcel, stretch } of found.slice(0, MOST_LEGAL)) {
      const road = await this.#parts.roads.between(stretch.pickup, stretch.dropoff);
      const tell = this.#tellOf(parcel);
      const of = rulesFor(session.assets, parcel);
      const bid = of && legalBid(parcel, stretch, road, { policy: session.policy, of }, Date.now(), tell);
      // A bid that nobody joins takes the place of a better one: it stands for a short time.
      const standsSec = stretch.fit === 'hopes' && parcel.biddingClosesAt === null ? HOPE_SEC : undefined;
      if (!bid || !this.#agreesTo(parcel, bid.durationMin, tell)) continue;
      const offer = { bid, standsSec, legId: parcel.legId, stakeLamports: parcel.terms?.stake };
      this.#legal.set(this.#bidMove(offer, bid.price.rule, undefined), offer);
    }
    return [...this.#legal.keys()];
  }

  #find(carried: Load, nowMs: number): Found[] {
    const { work, commitments, session } = this.#desk;
    const { packageIds } = commitments;
    const found: Found[] = [];
    let isBetterWaiting = false;
    for (const parcel of work.packages) {
      if (!this.#isFree(parcel, nowMs)) continue;
      const isCounted = packageIds.has(parcel.packageId);
      const beside = isCounted ? without(carried, parcel) : carried;
      const tell = this.#tellOf(parcel);
      const { policy, assets, signer } = session;
      const looker = { pubkey: signer.address, policy, assets, carried: beside };
      if (!couldCarry(parcel, looker, nowMs, tell)) continue;
      const stretch = this.#stretches.of(parcel);
      if (!stretch && this.#stretches.isDecided(parcel)) tell('way', outOfTheWay(this.#parts.courier));
      const hasRoom = isCounted || commitments.count < session.policy.limits.legsAtOnce;
      if (stretch && hasRoom) found.push({ parcel, stretch });
      else if (stretch) tell('room', `limits.legsAtOnce is ${session.policy.limits.legsAtOnce}`);
      if (stretch && !hasRoom && stretch.fit !== 'hopes') isBetterWaiting = true;
    }
    // A hope that came to nothing makes room.
    const isRenewal = ({ parcel, stretch }: Found) => stretch.fit === 'hopes' && packageIds.has(parcel.packageId);
    return isBetterWaiting ? found.filter((one) => !isRenewal(one)) : found;
  }

  /** Vacant legs of packages on their way, whole ones: their places are given. Rule A-35. */
  #findVacant(carried: Load, nowMs: number): Found[] {
    const { work, commitments, session } = this.#desk;
    return work.openings.flatMap((parcel) => {
      if (!this.#isFree(parcel, nowMs)) return [];
      const stretch = bestStretch(errandOf(parcel, [], session.signer.address), this.#parts.courier);
      const { legsAtOnce } = session.policy.limits;
      if (stretch?.fit !== 'whole' || !commitments.hasRoom(parcel.packageId, legsAtOnce)) return [];
      const { policy, assets, signer } = session;
      const looker = { pubkey: signer.address, policy, assets, carried };
      return couldCarry(parcel, looker, nowMs, this.#tellOf(parcel)) ? [{ parcel, stretch }] : [];
    });
  }

  /** Reports whether a bid may be made on it, as far as its content does not matter. */
  #isFree(parcel: Parcel, nowMs: number): boolean {
    if (this.#desk.rests.isResting(keyOf(nameOf(parcel)), nowMs)) return false;
    return !this.#stands(parcel.packageId, nowMs) && this.#mayBid(parcel);
  }

  #mayBid(parcel: Parcel): boolean {
    if (this.#barred.has(parcel.packageId)) return false;
    const isWanted = isWelcome(parcel, this.#desk.session.signer.address);
    if (!isWanted) this.#tellOf(parcel)('excluded', 'its shipper takes no bid of this key');
    return isWanted;
  }

  /** Reports whether a bid agrees to the terms; where it would, a reputation account has to be there first. */
  #agreesTo(parcel: Parcel, minutes: number, tell: Tell): boolean {
    return this.#suits(parcel, minutes, tell) && (parcel.terms === null || hasReputation(this.#desk));
  }

  /** Reports whether the policy takes the terms for a leg of so many minutes. */
  #suits({ terms, asset }: Parcel, minutes: number, tell: Tell): boolean {
    const rules = termsRulesOf(this.#desk, rulesFor(this.#desk.session.assets, { asset }));
    const why = terms === null ? undefined : disagreementToCarry(terms, minutes, rules);
    if (why !== undefined) tell(why.code, why.words);
    return why === undefined;
  }

  #tellOf({ packageId }: Parcel): Tell {
    return this.#desk.reasons.about(`package ${packageId}`);
  }

  /** Reports whether a bid stands there, or a leg was made of one, or it is not known. */
  #stands(packageId: string, nowMs: number): boolean {
    const { commitments } = this.#desk;
    if (commitments.legs.some((leg) => leg.kind === 'physical' && leg.packageId === packageId)) return true;
    return commitments.bids.some((bid) => bid.packageId === packageId && bid.untilMs > nowMs);
  }

  #bidMove({ bid, standsSec, legId, stakeLamports }: Offer, price: Lamports, reasoning: string | undefined): Move {
    const { packageId, pickup, dropoff, distanceKm, durationMin, parcel, of } = bid;
    const { session, calls, commitments } = this.#desk;
    const input = {
      packageId,
      ...(legId !== null && { legId }),
      agentPubkey: session.signer.address,
      pickupLat: pickup.lat,
      pickupLng: pickup.lng,
      dropoffLat: dropoff.lat,
      dropoffLng: dropoff.lng,
      distanceKm,
      estimatedDurationMin: durationMin,
      ...asked('cost', price, of),
      ...(reasoning !== undefined && { reasoning }),
      ...(standsSec !== undefined && { expiresInSec: standsSec }),
    };
    const carryOut = () => this.#desk.reasons.orTold(`package ${packageId}`, make);
    const make = async () => {
      const staked = { stakeLamports, stakeMint: of.token?.mint };
      const call = { call: 'submitBid', subject: packageId, key: createUuid(), input, ...staked };
      const { legsAtOnce } = session.policy.limits;
      if (stakeLamports !== undefined) await requireFunds(this.#desk, packageId, stakeLamports, of);
      const allow = () => {
        commitments.requireRoom(packageId, legsAtOnce);
        if (stakeLamports !== undefined) commitments.requireStake(packageId, stakeLamports, of);
      };
      await calls.make(session.journal, call, allow).catch((error: unknown) => {
        if (error instanceof LegworkApiError && FOR_GOOD.has(error.code)) this.#barred.add(packageId);
        throw error;
      });
      const what = legId === null ? '' : 'a vacant leg of ';
      return `bid ${formatAmount(price, of)} for ${distanceKm} km of ${what}package ${packageId}`;
    };
    const key = keyOf(legId ?? packageId);
    return { key, deadlineMs: parcel.deadline.getTime(), costLamports: FEE_LAMPORTS, carryOut };
  }
}

const without = ({ kg, litres }: Load, { weightKg, volumeLitres }: Parcel): Load => ({
  kg: kg - weightKg,
  litres: litres - volumeLitres,
});
const keyOf = (subject: string) => `bid:${subject}`;

const outOfTheWay = ({ home, radiusKm, maxDetourKm }: CourierPolicy) =>
  home
    ? `no part of its way lies within ${radiusKm} km of courier.home, which is courier.radiusKm`
    : `it adds more than ${maxDetourKm} km, which is courier.maxDetourKm, to each way of courier.itinerary`;

/** Reports whether the leg is of this package and waits for a courier. */
const isVacant = ({ swarm }: PackageDetail, legId: string | undefined) =>
  legId !== undefined && swarm?.legs.some(({ id, stage }) => id === legId && stage === 'vacant') === true;

/** Reports whether no bid on the package can become a leg of this courier any more, and no leg of it is left to carry. */
function isBeyondUs({ status, swarm }: PackageDetail, courier: string): boolean {
  if (status === 'listed' || status === 'swarm_forming') return false;
  const isOurs = swarm?.legs.some((leg) => leg.agentPubkey === courier && leg.status === 'pending');
  return status !== 'in_transit' || isOurs !== true;
}

/** Amounts of different assets are on no common scale: SOL comes first. */
const rankOf = ({ parcel }: Found) => (isInSol(parcel) ? 0 : 1);

/** Before the road is known: the part of the budget that a stretch may ask for, as a number to compare. */
const worthOf = ({ parcel, stretch }: Found) => Number(parcel.maxPay) * stretch.share;
