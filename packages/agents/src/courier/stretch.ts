import { greatCircleKm, HANDOFF_RADIUS_KM } from '@legwork/sdk';
import type { Coordinate } from '@legwork/sdk';
import type { CourierPolicy } from '../policy/policy.js';

/** A package's way, and the live bids of others on it. */
export interface Errand {
  readonly origin: Coordinate;
  readonly destination: Coordinate;
  readonly bids: readonly { readonly pickup: Coordinate; readonly dropoff: Coordinate }[];
}

/** A part of a package's way that a courier could go. */
export interface Stretch {
  readonly pickup: Coordinate;
  readonly dropoff: Coordinate;
  /** Both ends of the package's way, both ends where a parcel is or goes on, or one end that others have to find. */
  readonly fit: 'whole' | 'joins' | 'hopes';
  /** How much of the way to the destination it is, above 0, at most 1. */
  readonly share: number;
  /** The detour from the courier's own way, kilometres; around a home the distance from it. */
  readonly detourKm: number;
  /** The way of the itinerary that it lies along; undefined around a home. */
  readonly way: Way | undefined;
}

/** An end of a stretch: is it where a parcel is, or goes on from, by what is known now? */
interface End {
  readonly place: Coordinate;
  readonly isKnown: boolean;
  readonly isOfPackage: boolean;
}

/** A stretch brings the parcel at least so much nearer to its destination, kilometres. */
const LEAST_PROGRESS_KM = 0.5;
/** A way over the stretch is at most so much longer than the straight one. */
const LONGEST_WAY_ROUND = 1.5;
const WAY_ROUND_GRACE_KM = 2 * HANDOFF_RADIUS_KM;
/** Ends of bids that are tried, those of the newest bids; hostile ones could be without number. */
const MOST_ENDS = 12;
const FITS = ['whole', 'joins', 'hopes'] as const;

/**
 * The stretch of a package's way that suits the courier best, or undefined when none does. It starts at the origin or where a bid
 * drops off, and ends at the destination or where a bid picks up; of the two ends, one may be a place of the courier's own where
 * others can join. It leads nearer to the destination, not far round, and is within the detour (around a home: within the radius).
 * Rule A-30.
 */
export function bestStretch(errand: Errand, courier: CourierPolicy): Stretch | undefined {
  const ways = courier.itinerary ?? [undefined];
  const found = ways.flatMap((way) => stretchesAlong(errand, courier, way));
  return found.reduce<Stretch | undefined>((best, one) => (best && !isBetter(one, best) ? best : one), undefined);
}

/**
 * Reports whether bids on the package could make a stretch possible: the courier's own
 * way leads a part of it. Around a home it only checks that the home is not far off.
 */
export function mightJoin({ origin, destination }: Omit<Errand, 'bids'>, courier: CourierPolicy): boolean {
  const { itinerary, home, radiusKm } = courier;
  if (home) {
    const place = toCoordinate(home);
    return isOnTheWay(origin, place, place, destination, 2 * radiusKm);
  }
  return (itinerary ?? []).some((way) => {
    const [from, to] = [nearestOn(way, origin), nearestOn(way, destination)];
    return gainOf(from, to, destination) >= LEAST_PROGRESS_KM && isOnTheWay(origin, from, to, destination, 0);
  });
}

/** How much nearer to the destination a stretch ends, kilometres. */
const gainOf = (from: Coordinate, to: Coordinate, destination: Coordinate) =>
  greatCircleKm(from, destination) - greatCircleKm(to, destination);

function isOnTheWay(origin: Coordinate, from: Coordinate, to: Coordinate, destination: Coordinate, graceKm: number) {
  const overKm = greatCircleKm(origin, from) + greatCircleKm(from, to) + greatCircleKm(to, destination);
  return overKm <= greatCircleKm(origin, destination) * LONGEST_WAY_ROUND + WAY_ROUND_GRACE_KM + graceKm;
}

function isBetter(a: Stretch, b: Stretch): boolean {
  const [rankA, rankB] = [FITS.indexOf(a.fit), FITS.indexOf(b.fit)];
  if (rankA !== rankB) return rankA < rankB;
  return a.share === b.share ? a.detourKm < b.detourKm : a.share > b.share;
}

function stretchesAlong(errand: Errand, courier: CourierPolicy, way: Way | undefined): Stretch[] {
  const { origin, destination } = errand;
  const wholeKm = greatCircleKm(origin, destination);
  const bids = errand.bids.slice(0, MOST_ENDS);
  const known = (place: Coordinate): End => ({ place, isKnown: true, isOfPackage: false });
  const own = (towards: Coordinate): End[] =>
    way ? [{ place: nearestOn(way, towards), isKnown: false, isOfPackage: false }] : [];
  const pickups: End[] = [
    { place: origin, isKnown: true, isOfPackage: true },
    ...bids.map(({ dropoff }) => known(dropoff)),
    ...own(origin),
  ];
  const dropoffs: End[] = [
    { place: destination, isKnown: true, isOfPackage: true },
    ...bids.map(({ pickup }) => known(pickup)),
    ...own(destination),
  ];
  return pickups.flatMap((from) =>
    dropoffs.flatMap((to) => {
      if (!from.isKnown && !to.isKnown) return [];
      const gainKm = gainOf(from.place, to.place, destination);
      if (gainKm < LEAST_PROGRESS_KM || !isOnTheWay(origin, from.place, to.place, destination, 0)) return [];
      const detourKm = detourOf(from.place, to.place, courier, way);
      if (detourKm === undefined) return [];
      const [pickup, dropoff] = [from.place, to.place];
      const share = Math.min(1, gainKm / wholeKm);
      return [{ pickup, dropoff, fit: fitOf(from, to), share, detourKm, way }];
    }),
  );
}

function fitOf(from: End, to: End): Stretch['fit'] {
  if (from.isOfPackage && to.isOfPackage) return 'whole';
  return from.isKnown && to.isKnown ? 'joins' : 'hopes';
}

/** @returns kilometres; undefined when it is too far off */
function detourOf(
  pickup: Coordinate,
  dropoff: Coordinate,
  { home, radiusKm, maxDetourKm }: CourierPolicy,
  way: Way | undefined,
): number | undefined {
  if (way) {
    const [from, to] = [toCoordinate(way.from), toCoordinate(way.to)];
    const overKm = greatCircleKm(from, pickup) + greatCircleKm(pickup, dropoff) + greatCircleKm(dropoff, to);
    const detourKm = Math.max(0, overKm - greatCircleKm(from, to));
    return detourKm <= maxDetourKm ? detourKm : undefined;
  }
  if (!home) return undefined;
  const [near, far] = [greatCircleKm(toCoordinate(home), pickup), greatCircleKm(toCoordinate(home), dropoff)];
  return Math.max(near, far) <= radiusKm ? near : undefined;
}

const toCoordinate = ([lat, lng]: readonly [number, number]): Coordinate => ({ lat, lng });

/** The place on a way that is nearest to another, near enough on the scale of a city: on a plane whose unit is a degree of latitude. */
function nearestOn(way: Way, to: Coordinate): Coordinate {
  const [from, end] = [toCoordinate(way.from), toCoordinate(way.to)];
  const squeeze = Math.cos((from.lat * Math.PI) / 180);
  const [dx, dy] = [(end.lng - from.lng) * squeeze, end.lat - from.lat];
  const length = dx * dx + dy * dy;
  const along = length === 0 ? 0 : ((to.lng - from.lng) * squeeze * dx + (to.lat - from.lat) * dy) / length;
  const part = Math.min(1, Math.max(0, along));
  return { lat: from.lat + part * (end.lat - from.lat), lng: from.lng + part * (end.lng - from.lng) };
}

/** One way that a courier goes anyway. */
export type Way = NonNullable<CourierPolicy['itinerary']>[number];

const MINUTE_MS = 60_000;
const WHOLE_DAY = { from: 0, to: 24 * 60 };
/** Today, and a week: every weekday comes once more, also when today's hours are over. */
const DAYS_AHEAD = 8;

/**
 * Reports whether a courier that goes this way can take so many minutes for a parcel before the
 * deadline: it sets out on one of its days, within its hours, in the time zone of this machine.
 *
 * @param nowMs milliseconds since 1970, as `deadlineMs`
 */
export function isInTime(
  { days, between = WHOLE_DAY }: Pick<Way, 'days' | 'between'>,
  minutes: number,
  deadlineMs: number,
  nowMs: number,
): boolean {
  for (let ahead = 0; ahead < DAYS_AHEAD; ahead += 1) {
    const day = new Date(nowMs);
    day.setDate(day.getDate() + ahead);
    // JavaScript counts from Sunday, a policy from Monday.
    if (days && !days.includes((day.getDay() + 6) % 7)) continue;
    const setsOutMs = Math.max(nowMs, day.setHours(0, between.from, 0, 0));
    if (setsOutMs <= day.setHours(0, between.to, 0, 0)) return setsOutMs + minutes * MINUTE_MS <= deadlineMs;
  }
  return false;
}
