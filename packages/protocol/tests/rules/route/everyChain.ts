import { minutesUntil } from '../../../src/rules/deadline.js';
import { estimatedDurationMin, isWithinHandoff } from '../../../src/rules/geo.js';
import type { RouteBid, RoutePackage } from '../../../src/rules/route/types.js';

interface Candidate {
  readonly weight: bigint;
  readonly cost: bigint;
  readonly ids: readonly string[];
}

/** The optimizer's rules written the plain way: tries every chain of 1 to 7 bids and keeps the best one's ids. */
export function bestOfEveryChain(
  target: RoutePackage,
  bids: readonly RouteBid[],
  evaluatedAtMs: number,
): readonly string[] {
  let best: Candidate | undefined;
  const visit = (chain: readonly RouteBid[]): void => {
    const last = chain.at(-1);
    if (
      last !== undefined &&
      isWithinHandoff(last.dropoff, target.destination) &&
      isAllowed(target, chain, evaluatedAtMs)
    ) {
      const candidate = rate(chain);
      best = best === undefined || isBetter(candidate, best) ? candidate : best;
    }
    if (chain.length === 7) {
      return;
    }
    for (const bid of bids) {
      const isNew = chain.every((leg) => leg.agentPubkey !== bid.agentPubkey);
      if (isNew && isWithinHandoff(last?.dropoff ?? target.origin, bid.pickup)) {
        visit([...chain, bid]);
      }
    }
  };
  visit([]);
  return best?.ids ?? [];
}

function isAllowed(target: RoutePackage, chain: readonly RouteBid[], evaluatedAtMs: number): boolean {
  const cost = chain.reduce((sum, bid) => sum + bid.costLamports, 0n);
  const { carrySec = Infinity, handoffSec = 0 } = target.clocks ?? {};
  const ways = chain.map((bid) => estimatedDurationMin(bid.distanceKm));
  const minutes = ways.reduce((sum, way) => sum + way + Math.ceil(handoffSec / 60), 0);
  return (
    cost <= target.budgetLamports &&
    minutes <= minutesUntil(target.deadlineMs, evaluatedAtMs) &&
    ways.every((way) => way * 60 <= carrySec / 2) &&
    chain.every((bid) => bid.agentPubkey !== target.shipperPubkey)
  );
}

function rate(chain: readonly RouteBid[]): Candidate {
  return {
    weight: chain.reduce((sum, bid) => sum + bid.costLamports * BigInt(1300 - bid.rho), 0n),
    cost: chain.reduce((sum, bid) => sum + bid.costLamports, 0n),
    ids: chain.map((bid) => bid.id),
  };
}

function isBetter(a: Candidate, b: Candidate): boolean {
  if (a.weight !== b.weight) {
    return a.weight < b.weight;
  }
  if (a.cost !== b.cost) {
    return a.cost < b.cost;
  }
  if (a.ids.length !== b.ids.length) {
    return a.ids.length < b.ids.length;
  }
  return a.ids.join() < b.ids.join();
}
