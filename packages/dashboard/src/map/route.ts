import type { Relay } from '@legwork/protocol/contract';
import { type Box, boxOf, mercator, nearest, type Point } from './geometry.js';

/** How far a leg is: no swarm yet, ended, being walked, or waiting for its turn. */
export type LegState = 'offered' | 'done' | 'current' | 'to come';

export interface RouteLeg {
  readonly from: Point;
  readonly to: Point;
  readonly state: LegState;
}

/** A relay as the map draws it. */
export interface Route {
  readonly id: string;
  readonly look: Look;
  readonly origin: Point;
  readonly destination: Point;
  /** In carrying order; one from end to end while nobody carries it. */
  readonly legs: readonly RouteLeg[];
  readonly box: Box;
  /** Of the leg that is being walked. */
  readonly walk: Walk | undefined;
  /** When its last leg was completed, milliseconds of the clock; undefined: it goes on, or nobody carried it. */
  readonly endedAt: number | undefined;
}

/** The looks of a status; the same as in lists. */
export type Look = 'open' | 'moving' | 'done' | 'failed';

interface Walk {
  readonly leg: RouteLeg;
  /** The last handoff, milliseconds of the clock. */
  readonly startedAt: number;
  readonly durationMs: number;
}

const LOOK_OF: Readonly<Record<Relay['status'], Look>> = {
  listed: 'open',
  swarm_forming: 'open',
  in_transit: 'moving',
  delivered: 'done',
  failed: 'failed',
};

/** What matters less comes first: it is drawn first, and found last. */
const IMPORTANCE: readonly Look[] = ['done', 'failed', 'open', 'moving'];

export const routesOf = (relays: readonly OnMap[]): Route[] =>
  relays.map(routeOf).sort((one, other) => IMPORTANCE.indexOf(one.look) - IMPORTANCE.indexOf(other.look));

/** Whether it is under way: what a map shows first. */
export const isLive = ({ look }: Route): boolean => look === 'open' || look === 'moving';

/** What the map draws of a relay. */
export type OnMap = Pick<
  Relay,
  | 'id'
  | 'status'
  | 'originLat'
  | 'originLng'
  | 'destLat'
  | 'destLng'
  | 'completedLegs'
  | 'legStartedAt'
  | 'estimatedDurationMin'
> & {
  readonly legs: readonly Pick<
    Relay['legs'][number],
    'pickupLat' | 'pickupLng' | 'dropoffLat' | 'dropoffLng' | 'completedAt'
  >[];
};

/** Where a relay starts, passes and ends; each place in the same turn of the world as the one before. */
export function routeOf(relay: OnMap): Route {
  const origin = mercator({ lat: relay.originLat, lng: relay.originLng });
  let last = origin;
  const next = (lat: number, lng: number) => (last = nearest(mercator({ lat, lng }), last));
  const legs = relay.legs.map((leg, index) => ({
    from: next(leg.pickupLat, leg.pickupLng),
    to: next(leg.dropoffLat, leg.dropoffLng),
    state: stateOf(relay, index),
  }));
  const destination = next(relay.destLat, relay.destLng);
  const points = [origin, ...legs.flatMap(({ from, to }) => [from, to]), destination];
  return {
    id: relay.id,
    look: LOOK_OF[relay.status],
    origin,
    destination,
    legs: legs.length > 0 ? legs : [{ from: origin, to: destination, state: 'offered' }],
    box: boxOf(points) ?? { left: 0, top: 0, right: 0, bottom: 0 },
    walk: walkOf(relay, legs),
    endedAt: relay.status === 'delivered' ? relay.legs.at(-1)?.completedAt?.getTime() : undefined,
  };
}

function stateOf({ completedLegs, status }: OnMap, index: number): LegState {
  if (index < completedLegs) return 'done';
  return index === completedLegs && status === 'in_transit' ? 'current' : 'to come';
}

function walkOf({ legStartedAt, estimatedDurationMin }: OnMap, legs: readonly RouteLeg[]): Walk | undefined {
  const leg = legs.find(({ state }) => state === 'current');
  if (!leg || legStartedAt === null || estimatedDurationMin === null) return undefined;
  return { leg, startedAt: legStartedAt.getTime(), durationMs: estimatedDurationMin * 60_000 };
}

/** Where a parcel is, or is estimated to be. */
export interface Parcel extends Point {
  /** The time that its courier said has passed: nobody knows where it is. */
  readonly isOverdue: boolean;
}

/**
 * Nobody reports positions. A parcel under way is estimated from the last handoff and the time its courier said; any other
 * is where the last leg ended. Rule D-20.
 */
export function parcelOf({ legs, walk, origin, destination, look }: Route, now: number): Parcel {
  if (walk) {
    const { from, to } = walk.leg;
    const share = progress(walk, now);
    return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share, isOverdue: share === 1 };
  }
  const last = legs.findLast(({ state }) => state === 'done')?.to ?? origin;
  return { ...(look === 'done' ? destination : last), isOverdue: false };
}

/** The share of its estimate that a leg has used, 0 to 1. A leg that is said to take no time is at its end. */
export function progress({ startedAt, durationMs }: Pick<Walk, 'startedAt' | 'durationMs'>, now: number): number {
  return durationMs === 0 ? 1 : Math.max(0, Math.min(1, (now - startedAt) / durationMs));
}

/** What was delivered fades in so many steps, which take so long each, milliseconds. */
const [FADES, FADES_AFTER_MS] = [4, 10 * 60_000];

/** How far what was delivered has faded. Rule D-21. */
export const fadedSteps = ({ endedAt }: Pick<Route, 'endedAt'>, now: number): number =>
  endedAt === undefined ? 0 : Math.max(0, Math.min(FADES, Math.floor((now - endedAt) / FADES_AFTER_MS)));

const QUICKEST_MS = 16;
const SLOWEST_MS = 1000;
/** What an eye may miss, pixels. */
const STEP_PX = 0.5;

/** After how long the next picture differs from this one, milliseconds: most legs take minutes for a few pixels. */
export function nextFrameMs(routes: readonly Route[], world: number, now: number): number {
  let quickest = 0;
  for (const { walk } of routes) {
    if (!walk || progress(walk, now) === 1) continue;
    const { from, to } = walk.leg;
    quickest = Math.max(quickest, (Math.hypot(to.x - from.x, to.y - from.y) * world) / walk.durationMs);
  }
  return Math.max(QUICKEST_MS, Math.min(SLOWEST_MS, STEP_PX / quickest));
}
