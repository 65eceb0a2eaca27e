import { rentMinimum } from '@legwork/program-client';
import { estimatedDurationMin, formatAmount, toLamports } from '@legwork/sdk';
import type { Bid, Coordinate, Lamports } from '@legwork/sdk';
import { withSlack } from '../engine/agreement.js';
import type { Tell } from '../engine/reasons.js';
import type { Parcel } from '../engine/search.js';
import type { Policy } from '../policy/policy.js';
import type { Load } from './parcels.js';
import { isInTime } from './stretch.js';
import type { Errand, Stretch } from './stretch.js';
import { noLimitsFor, noPaymentIn, rulesFor } from '../wallet/assetRules.js';
import type { AssetRules } from '../wallet/assetRules.js';

/** The courier that looks for work, and the packages that it carries, or may have to carry, already. */
export interface Looker {
  readonly pubkey: string;
  readonly policy: Pick<Policy, 'courier'>;
  /** The assets that it is paid in, SOL first. */
  readonly assets: readonly AssetRules[];
  readonly carried: Load;
}

/** Reports whether this courier could carry a package, or the vacant leg of one, at all: it is not its own, and fits its vehicle beside its load. */
export function couldCarry(
  parcel: Parcel,
  { pubkey, policy: { courier }, assets, carried }: Looker,
  nowMs: number,
  tell: Tell = nobody,
): boolean {
  if (!courier || parcel.shipperPubkey === pubkey || parcel.deadline.getTime() <= nowMs) return false;
  const of = rulesFor(assets, parcel);
  if (of?.minPayment === undefined || of.price === undefined) {
    tell('asset', of ? noPaymentIn(of) : noLimitsFor(parcel));
    return false;
  }
  const { maxKg, maxLitres } = courier.vehicle;
  const load = { kg: carried.kg + parcel.weightKg, litres: carried.litres + parcel.volumeLitres };
  if (load.kg <= maxKg && load.litres <= maxLitres) return true;
  const [what, most] =
    load.kg > maxKg ? [`${load.kg} kg`, `maxKg is ${maxKg}`] : [`${load.litres} l`, `maxLitres is ${maxLitres}`];
  tell('vehicle', `with it the vehicle would carry ${what}, but courier.vehicle.${most}`);
  return false;
}

const nobody: Tell = () => undefined;

/** A package's way, and where the bids of others on it start and end. */
export function errandOf(
  { originLat, originLng, destLat, destLng }: Parcel,
  bids: readonly Bid[],
  pubkey: string,
): Errand {
  const others = bids.filter(({ agentPubkey }) => agentPubkey !== pubkey);
  return {
    origin: { lat: originLat, lng: originLng },
    destination: { lat: destLat, lng: destLng },
    bids: others.map(({ pickupLat, pickupLng, dropoffLat, dropoffLng }) => ({
      pickup: { lat: pickupLat, lng: pickupLng },
      dropoff: { lat: dropoffLat, lng: dropoffLng },
    })),
  };
}

/** The bid on a stretch; undefined when there is no time for it, or it is not worth it. */
export function legalBid(
  parcel: Parcel,
  stretch: Stretch,
  road: Road,
  { policy, of }: { readonly policy: Looker['policy']; readonly of: AssetRules },
  nowMs: number,
  tell: Tell = nobody,
): LegalBid | undefined {
  // The service counts every leg at the same speed (M-20), the courier at its own.
  const minutes = Math.max(road.durationMin, estimatedDurationMin(road.distanceKm));
  // A leg that it would not begin, it does not bid for.
  const needed = parcel.terms && policy.courier ? withSlack(minutes, policy.courier.slack) : minutes;
  if (!isInTime(stretch.way ?? {}, needed, parcel.deadline.getTime(), nowMs)) {
    const hours = stretch.way ? ', setting out on the days and in the hours of courier.itinerary' : '';
    tell('time', `${needed} minutes${hours} end after its deadline, ${parcel.deadline.toISOString()}`);
    return undefined;
  }
  const price = priceOf(road, stretch.share, parcel.maxPay, of, tell);
  return (
    price && {
      packageId: parcel.packageId,
      pickup: stretch.pickup,
      dropoff: stretch.dropoff,
      ...road,
      price,
      of,
      parcel: {
        description: parcel.text,
        weightKg: parcel.weightKg,
        volumeLitres: parcel.volumeLitres,
        maxBudget: parcel.maxPay,
        deadline: parcel.deadline,
      },
    }
  );
}

/** A bid that the rules allow now. */
export interface LegalBid {
  readonly packageId: string;
  readonly pickup: Coordinate;
  readonly dropoff: Coordinate;
  readonly distanceKm: number;
  readonly durationMin: number;
  /** The asset that it is paid in. */
  readonly of: AssetRules;
  /** The price by the rules, and the range in which another price is legal, ends included; base units. */
  readonly price: { readonly lowest: Lamports; readonly rule: Lamports; readonly highest: Lamports };
  /** The package as its shipper describes it: material, never an instruction. */
  readonly parcel: {
    readonly description: string;
    readonly weightKg: number;
    readonly volumeLitres: number;
    readonly maxBudget: Lamports;
    readonly deadline: Date;
  };
}

/** One of the legal bids, at a price of its range. */
export interface BidChoice {
  /** Its place in the list that was given. */
  readonly index: number;
  readonly priceLamports: Lamports;
  /** For everybody to read; at most 2,000 characters. */
  readonly reasoning: string | undefined;
}

/**
 * Advises on the next bid. The courier asks for one bid at a time, and waits for the answer: it has to come within a bounded time.
 * A choice that is not one of the legal ones counts as none.
 *
 * @param legal at least one, best first by the rules; there may be several for one package
 * @returns undefined: as the rules say
 */
export type Advice = (legal: readonly LegalBid[], signal: AbortSignal) => Promise<BidChoice | undefined>;

/** How far and how long a stretch is on the road. */
export interface Road {
  readonly distanceKm: number;
  readonly durationMin: number;
}

/** An empty wallet could not receive less. Rule M-18. */
const LEAST_RECEIVABLE = rentMinimum(0);
/** Amounts are worked out in millionths of a kilometre and of an hour: whole numbers, so that no lamport is lost. */
const PARTS = 1_000_000;

/**
 * The price of a bid on a stretch, and the range in which a model may move it: at least
 * the least that the policy takes, at most the stretch's share of the budget. Rule A-31.
 *
 * @param share of the package's way, above 0, at most 1
 * @returns undefined when it is not worth it
 */
export function priceOf(
  road: Road,
  share: number,
  budget: bigint,
  of: AssetRules,
  tell: Tell,
): LegalBid['price'] | undefined {
  const { price, margin, minPayment } = of;
  if (price === undefined || minPayment === undefined) return undefined;
  const { base, perKm, perHour } = price;
  const least = max(minPayment, of.token === undefined ? LEAST_RECEIVABLE : 1n);
  const most = min(budget, (budget * parts(share)) / BigInt(PARTS));
  const cost = base + (perKm * parts(road.distanceKm) + perHour * parts(road.durationMin / 60)) / BigInt(PARTS);
  const rule = max(cost, least);
  if (rule > most) {
    const section = of.token === undefined ? 'courier' : of.section;
    const asked = cost > least ? `${section}.price asks` : `${of.section}.minPayment asks`;
    tell(
      'price',
      `${asked} ${formatAmount(rule, of)} for ${road.distanceKm} km, but this stretch may cost ${formatAmount(most, of)}`,
    );
    return undefined;
  }
  return {
    lowest: whole(max(least, (rule * BigInt(100 - margin)) / 100n)),
    rule: whole(rule),
    highest: whole(min(most, (rule * BigInt(100 + margin)) / 100n)),
  };
}

const parts = (value: number) => BigInt(Math.round(value * PARTS));
const max = (a: bigint, b: bigint) => (a > b ? a : b);
const min = (a: bigint, b: bigint) => (a < b ? a : b);
const whole = (lamports: bigint): Lamports => toLamports(lamports);
