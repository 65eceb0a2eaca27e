import { confirmLeg, listPackage, type PackageDetail, type PackageDraft, type QueuedLeg } from '@legwork/sdk';
import type { Party, TestService } from './service.js';
import { until } from './until.js';

/** Places in Berlin, west to east, with how far apart they lie by road in kilometres. */
export const PLACES = {
  zoo: { lat: 52.5074, lng: 13.3326 },
  hauptbahnhof: { lat: 52.5251, lng: 13.3694 },
  alexanderplatz: { lat: 52.5219, lng: 13.4132 },
  ostkreuz: { lat: 52.5031, lng: 13.4694 },
} as const;

export type Place = keyof typeof PLACES;

/** A package with nothing private, which is paid in SOL. */
type Draft = Omit<Extract<PackageDraft, { maxBudgetSol: number }>, 'private'>;

/** A package from the Zoo to Ostkreuz. */
export function draft(changes: Partial<Draft> = {}): Draft {
  return {
    originLat: PLACES.zoo.lat,
    originLng: PLACES.zoo.lng,
    destLat: PLACES.ostkreuz.lat,
    destLng: PLACES.ostkreuz.lng,
    description: 'a box of books',
    weightKg: 4.5,
    volumeLitres: 12,
    maxBudgetSol: 0.5,
    ...changes,
  };
}

/** The input of a bid from one place to another. */
export function bidInput(agent: Pick<Party, 'pubkey'>, packageId: string, from: Place, to: Place, costSol: number) {
  return {
    packageId,
    agentPubkey: agent.pubkey,
    pickupLat: PLACES[from].lat,
    pickupLng: PLACES[from].lng,
    dropoffLat: PLACES[to].lat,
    dropoffLng: PLACES[to].lng,
    distanceKm: 12,
    estimatedDurationMin: 30,
    costSol,
  };
}

/** Asks until the package is as `done` says. */
export async function untilPackage(
  service: TestService,
  packageId: string,
  done: (parcel: PackageDetail) => boolean,
): Promise<PackageDetail> {
  const { client } = await service.party(0);
  let status = 'unknown';
  return until(
    () => `package ${packageId}, which is ${status}`,
    async () => {
      const parcel = await client.getPackage({ packageId });
      status = parcel.status;
      return done(parcel) && parcel;
    },
  );
}

/** A listed package and the swarm that formed for it from one bid a pair of places. */
export async function formedPackage(
  service: TestService,
  bids: readonly (readonly [Place, Place, number])[],
  changes: Parameters<typeof draft>[0] = {},
): Promise<{ shipper: Party; couriers: Party[]; parcel: PackageDetail }> {
  const shipper = await service.party();
  const listed = await listPackage(shipper.client, shipper.signer, draft(changes));
  const couriers: Party[] = [];
  for (const [from, to, costSol] of bids) {
    const courier = await service.party(1);
    await courier.client.submitBid(bidInput(courier, listed.id, from, to, costSol));
    couriers.push(courier);
  }
  const parcel = await untilPackage(service, listed.id, ({ status }) => status === 'in_transit');
  return { shipper, couriers, parcel };
}

/** Confirms every leg of the package that is still open, each by its recipient. */
export async function confirmAll(
  service: TestService,
  { shipper, couriers, parcel }: { shipper: Party; couriers: Party[]; parcel: PackageDetail },
): Promise<void> {
  for (const leg of parcel.swarm?.legs ?? []) {
    const next = parcel.swarm?.legs[leg.legIndex + 1];
    const recipient = next ? couriers.find((courier) => courier.pubkey === next.agentPubkey) : shipper;
    if (!recipient) throw new Error(`nobody can confirm leg ${leg.legIndex}`);
    await confirmLeg(recipient.client, service.rpc, recipient.signer, leg.id);
  }
}

/** The legs of packages among those of a work queue. */
export function physicalLegs(legs: readonly QueuedLeg[]): Extract<QueuedLeg, { kind: 'physical' }>[] {
  return legs.flatMap((leg) => (leg.kind === 'physical' ? [leg] : []));
}
