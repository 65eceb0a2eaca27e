import { estimatedDurationMin, greatCircleKm, minimumDistanceKm } from '@legwork/sdk';
import type { Coordinate } from '@legwork/sdk';
import { z } from 'zod';
import { messageOf } from '../engine/desk.js';
import type { Log } from '../engine/desk.js';
import type { Road } from './legalBid.js';

/** How much longer the way on the road is than the great circle, where no router says. */
const ROAD_FACTOR = 1.3;
const ROUTER_PATIENCE_MS = 3_000;
/** A router that failed is left alone for so long. */
const ROUTER_REST_MS = 60_000;
const MOST_KEPT = 2_000;
/** The most that a bid may state, kilometres. */
const LONGEST_KM = 40_100;

/** The part of OSRM's answer that counts: metres and seconds of the best route. */
const routed = z.object({
  routes: z.array(z.object({ distance: z.number().nonnegative(), duration: z.number().nonnegative() })).min(1),
});

/** Distances on the road: by the policy's router, else 1.3 great circles at 30 km/h. A router in trouble stops nothing. */
export class Roads {
  readonly #router: string | undefined;
  readonly #profile: string;
  readonly #log: Log;
  readonly #kept = new Map<string, Road>();
  #restsUntilMs = 0;

  /** @param profile by which the router chooses roads, such as `bike` */
  constructor(router: string | undefined, profile: string, log: Log) {
    this.#router = router;
    this.#profile = profile;
    this.#log = log;
  }

  async between(from: Coordinate, to: Coordinate): Promise<Road> {
    if (this.#router === undefined || Date.now() < this.#restsUntilMs) return estimate(from, to);
    const key = [from.lat, from.lng, to.lat, to.lng].join();
    const kept = this.#kept.get(key);
    if (kept) return kept;
    try {
      const road = await ask(
        `${this.#router.replace(/\/$/, '')}/route/v1/${encodeURIComponent(this.#profile)}`,
        from,
        to,
      );
      if (this.#kept.size >= MOST_KEPT) this.#kept.clear();
      this.#kept.set(key, road);
      return road;
    } catch (error) {
      this.#restsUntilMs = Date.now() + ROUTER_REST_MS;
      this.#log.warn({}, `the router does not answer, distances are estimated: ${messageOf(error)}`);
      return estimate(from, to);
    }
  }
}

function estimate(from: Coordinate, to: Coordinate): Road {
  return roadOf(greatCircleKm(from, to) * ROAD_FACTOR, undefined, from, to);
}

/** A road as a bid may state it, in whole metres. Rule M-7. */
function roadOf(km: number, minutes: number | undefined, from: Coordinate, to: Coordinate): Road {
  const least = Math.ceil(minimumDistanceKm(from, to) * 1000) / 1000;
  const distanceKm = Math.min(LONGEST_KM, Math.max(least, Math.round(km * 1000) / 1000));
  return { distanceKm, durationMin: minutes ?? estimatedDurationMin(distanceKm) };
}

async function ask(route: string, from: Coordinate, to: Coordinate): Promise<Road> {
  const places = [from, to].map(({ lat, lng }) => `${lng},${lat}`).join(';');
  const response = await fetch(`${route}/${places}?overview=false`, {
    signal: AbortSignal.timeout(ROUTER_PATIENCE_MS),
  });
  const { routes } = routed.parse(await response.json());
  const [{ distance, duration } = { distance: 0, duration: 0 }] = routes;
  return roadOf(distance / 1000, Math.round(duration / 60), from, to);
}
