import { MAX_CHAIN_LEGS } from '../../contract/resources/swarm.js';
import { minutesUntil } from '../deadline.js';
import { type Coordinate, isWithinHandoff } from '../geo.js';
import type { RouteBid, RoutePackage } from './types.js';
import { fitsCarry, legMinutes } from './windows.js';

/**
 * Says why the bids, in this order, do not carry the package; undefined: they do. It does not say whether another chain is
 * better. Rules M-20, M-21.
 *
 * @param evaluatedAtMs from when on the minutes of the legs are counted, milliseconds since 1970
 */
export function chainFault(target: RoutePackage, bids: readonly RouteBid[], evaluatedAtMs: number): string | undefined {
  const agents = new Set(bids.map(({ agentPubkey }) => agentPubkey));
  if (bids.length < 1 || bids.length > MAX_CHAIN_LEGS) return `it has ${bids.length} legs`;
  if (agents.size < bids.length) return 'an agent carries two legs';
  if (agents.has(target.shipperPubkey)) return 'the shipper carries a leg';
  if (bids.some(({ costLamports }) => costLamports < 1n)) return 'a bid asks for nothing';
  const cost = bids.reduce((sum, { costLamports }) => sum + costLamports, 0n);
  if (cost > target.budgetLamports) return 'it is above the budget';
  const minutes = bids.reduce((sum, bid) => sum + legMinutes(target, bid), 0);
  if (!bids.every((bid) => fitsCarry(target, bid))) return 'a leg is too long for the carry window';
  if (!(minutes <= minutesUntil(target.deadlineMs, evaluatedAtMs))) return 'it is too slow for the deadline';
  const places: Coordinate[] = [target.origin, ...bids.flatMap((bid) => [bid.pickup, bid.dropoff]), target.destination];
  // From the origin to the first pickup, from each drop-off to the next pickup, from the last one to the destination.
  for (let at = 0; at < places.length; at += 2) {
    const [from, to] = [places[at], places[at + 1]];
    if (!from || !to || !isWithinHandoff(from, to)) return 'its places do not join';
  }
  return undefined;
}
