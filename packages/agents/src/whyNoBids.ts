import { formatAmount, greatCircleKm } from '@legwork/sdk';
import type { PackageDetail, LegworkClient } from '@legwork/sdk';

/** The conditions for a bid on a package, by the service's published data. */
export interface BidChances {
  /** Agents that have registered; no more than this many are counted. */
  readonly registered: number;
  /** Couriers with a leg that began or ended near where the package starts or ends. */
  readonly near: number;
  readonly nearKm: number;
  /** Sentences about what a courier has to bring. */
  readonly asked: readonly string[];
}

const NEAR_KM = 25;
const MOST = 200;

/** The obstacles between a listed package and its first bid. Rule A-101. */
export async function bidChances(client: LegworkClient, parcel: PackageDetail): Promise<BidChances> {
  const [agents, relays] = await Promise.all([client.listAgents({ limit: MOST }), client.listRelays({ limit: MOST })]);
  const ends = [
    { lat: parcel.originLat, lng: parcel.originLng },
    { lat: parcel.destLat, lng: parcel.destLng },
  ];
  const isNear = (lat: number, lng: number) => ends.some((end) => greatCircleKm(end, { lat, lng }) <= NEAR_KM);
  const couriers = relays.items.flatMap(({ legs }) =>
    legs.filter((leg) => isNear(leg.pickupLat, leg.pickupLng) || isNear(leg.dropoffLat, leg.dropoffLng)),
  );
  return {
    registered: agents.items.filter(({ agentPubkey }) => agentPubkey !== parcel.shipperPubkey).length,
    near: new Set(couriers.map(({ agentPubkey }) => agentPubkey)).size,
    nearKm: NEAR_KM,
    asked: askedOfCouriers(parcel),
  };
}

/** The demands of a listing on its courier, and the field of a policy that has to allow each. */
function askedOfCouriers({ terms, requirements, maxBudget, weightKg, volumeLitres, ...way }: PackageDetail) {
  const km = greatCircleKm({ lat: way.originLat, lng: way.originLng }, { lat: way.destLat, lng: way.destLng });
  const { minScore, minCompleted, capabilities, blocked } = requirements ?? {};
  return [
    `It pays at most ${formatAmount(maxBudget, way)} for ${km.toFixed(1)} km as the crow flies, ${weightKg} kg and ${volumeLitres} l.`,
    ...(way.biddingClosesAt ? [`Bids are gathered until ${way.biddingClosesAt.toISOString()}.`] : []),
    ...(terms
      ? [
          `Each leg takes a stake of ${formatAmount(terms.stake, way)}: limits.stakePerLeg of a courier's policy has to allow it.`,
          `${terms.arbiterPubkey} rules disputes: accept.arbiters has to name it.`,
        ]
      : []),
    ...(minScore === undefined ? [] : [`It requires a reliability of ${minScore} %.`]),
    ...(minCompleted === undefined ? [] : [`It requires ${minCompleted} completed legs.`]),
    ...(capabilities === undefined ? [] : [`It requires couriers registered for ${capabilities.join(', ')}.`]),
    ...(blocked === undefined ? [] : [`It excludes ${blocked.length} keys.`]),
  ];
}

/** The same as one paragraph. */
export function chancesInWords({ registered, near, nearKm, asked }: BidChances): string {
  const count =
    registered >= MOST ? `${MOST} agents or more are` : registered === 1 ? '1 agent is' : `${registered} agents are`;
  const carried = near === 1 ? '1 courier has' : near === 0 ? 'no courier has' : `${near} couriers have`;
  return [`Nobody bids: ${count} registered, and ${carried} had a leg within ${nearKm} km of its ends.`, ...asked].join(
    ' ',
  );
}
