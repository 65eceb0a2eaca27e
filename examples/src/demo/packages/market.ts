import { confirmLeg, estimatedDurationMin, greatCircleKm, openReputation, LegworkApiError } from '@legwork/sdk';
import type { Leg, PackageDetail, Swarm } from '@legwork/sdk';
import { DemoError, PATIENCE_MS, sol } from '../stage.js';
import type { Stage } from '../stage.js';
import { listPackageOnce } from '../listOnce.js';
import { COURIERS, SHIPMENTS } from './cast.js';
import type { PlannedBid, Shipment } from './cast.js';

const LOOK_EVERY_MS = 100;
/** A formation that does not come within this time after the bids: bid again, some may have expired. */
const BID_AGAIN_MS = 20_000;

/** Lists a shipment, or finds it listed by an earlier part of this run. */
export function list({ company, folder }: Stage, shipment: Shipment): Promise<PackageDetail> {
  return listPackageOnce(folder, shipment.key, company.named(shipment.shipper), {
    originLat: shipment.origin.lat,
    originLng: shipment.origin.lng,
    destLat: shipment.destination.lat,
    destLng: shipment.destination.lng,
    description: shipment.what,
    weightKg: shipment.weightKg,
    volumeLitres: shipment.volumeLitres,
    maxBudgetSol: shipment.maxBudgetSol,
    terms: 'plain',
  });
}

/** Has the couriers bid until the package is assigned. Says nothing of bids when it is already. */
export async function assign(stage: Stage, shipment: Shipment, packageId: string): Promise<PackageDetail> {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    let parcel = await stage.client.getPackage({ packageId });
    if (parcel.status === 'listed') await bidAll(stage, shipment, packageId);
    const bidAgainAt = Date.now() + BID_AGAIN_MS;
    while (parcel.status === 'listed' || parcel.status === 'swarm_forming') {
      if (parcel.status === 'listed' && Date.now() > bidAgainAt) break;
      if (Date.now() > until) throw new DemoError(`${shipment.what} found no couriers (package ${packageId})`);
      await lookAgain();
      parcel = await stage.client.getPackage({ packageId });
    }
    if (parcel.status !== 'listed') return parcel;
  }
}

async function bidAll({ company, ledger, say }: Stage, shipment: Shipment, packageId: string): Promise<void> {
  for (const bid of shipment.bids) {
    const { signer, client } = company.named(bid.courier);
    const distanceKm = roadKm(bid);
    const costSol = Number((distanceKm * COURIERS[bid.courier]).toFixed(4));
    try {
      const stored = await client.submitBid({
        packageId,
        agentPubkey: signer.address,
        pickupLat: bid.pickup.lat,
        pickupLng: bid.pickup.lng,
        dropoffLat: bid.dropoff.lat,
        dropoffLng: bid.dropoff.lng,
        distanceKm,
        estimatedDurationMin: estimatedDurationMin(distanceKm),
        costSol,
      });
      const route = `${bid.pickup.name} -> ${bid.dropoff.name}`;
      const km = `${distanceKm.toFixed(1)} km`;
      say(`    ${bid.courier.padEnd(7)} ${route.padEnd(30)} ${km.padStart(7)}  ${sol(stored.cost)} SOL`);
      if (stored.warning !== null) {
        await openReputation(client, ledger.rpc, signer);
        say(`            (pays for an own reputation account: this service has opened enough today)`);
      }
    } catch (error) {
      // Assigned meanwhile, perhaps with couriers from elsewhere: there is nothing left to bid on.
      if (!(error instanceof LegworkApiError) || error.code !== 'invalid_status') throw error;
      return;
    }
  }
}

/** The way by road: a third longer than the crow flies. */
function roadKm({ pickup, dropoff }: PlannedBid): number {
  return Number((greatCircleKm(pickup, dropoff) * 1.3).toFixed(1));
}

/** Carries an assigned package from hand to hand until it is settled. */
export async function carry(stage: Stage, packageId: string): Promise<PackageDetail> {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const parcel = await stage.client.getPackage({ packageId });
    if (parcel.status === 'delivered') return parcel;
    if (parcel.status === 'failed')
      throw new DemoError(`package ${packageId} was ${parcel.failureReason ?? 'given up'}`);
    if (Date.now() > until) throw new DemoError(`package ${packageId} is not settled; it is ${parcel.status}`);
    const { swarm } = parcel;
    const leg = swarm?.status === 'active' ? swarm.legs.find(({ status }) => status === 'pending') : undefined;
    if (swarm && leg) await handOver(stage, parcel, swarm, leg);
    else await lookAgain();
  }
}

async function handOver({ company, ledger, say }: Stage, parcel: PackageDetail, swarm: Swarm, leg: Leg): Promise<void> {
  const next = swarm.legs[leg.legIndex + 1];
  const recipient = company.withKey(next?.agentPubkey ?? parcel.shipperPubkey);
  // A stranger's wallet: it has to sign by itself.
  if (recipient === undefined) return lookAgain();
  await confirmLeg(recipient.client, ledger.rpc, recipient.signer, leg.id);
  const carrier = company.nameOf(leg.agentPubkey);
  const what = next
    ? `takes over from ${carrier} at ${placeOf(leg)} and signs`
    : `receives it from ${carrier} and signs`;
  const { agreedPayment: paid, cost: bid } = leg;
  const parts = `bid ${sol(bid)} + bonus ${sol(paid - bid)}`;
  say(`    ${recipient.name} ${what}: ${carrier} is paid ${sol(paid)} SOL (${parts})`);
}

/** The name of the place where a leg ends. */
function placeOf(leg: Leg): string {
  const places = SHIPMENTS.flatMap(({ bids }) => bids.map(({ dropoff }) => dropoff));
  return places.find(({ lat, lng }) => lat === leg.dropoffLat && lng === leg.dropoffLng)?.name ?? 'the meeting point';
}

function lookAgain(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, LOOK_EVERY_MS);
  });
}
