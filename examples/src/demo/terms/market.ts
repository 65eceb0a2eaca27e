import { greatCircleKm, makeMove, openReputation } from '@legwork/sdk';
import type { Leg, MadeMove, PackageDetail } from '@legwork/sdk';
import { DemoError, PATIENCE_MS, sol } from '../stage.js';
import type { Stage } from '../stage.js';
import { listPackageOnce } from '../listOnce.js';
import { ARBITER, CLOCKS } from './cast.js';
import type { AgentName, CourierName, Offer, Shipment } from './cast.js';

const LOOK_EVERY_MS = 100;

/** Lists a shipment with terms, or finds it listed by an earlier part of this run. */
export function list({ company, folder }: Stage, shipment: Shipment): Promise<PackageDetail> {
  const { origin, destination, stakeSol } = shipment;
  const arbiterPubkey = company.named(ARBITER).signer.address;
  return listPackageOnce(folder, shipment.key, company.named(shipment.shipper), {
    originLat: origin.lat,
    originLng: origin.lng,
    destLat: destination.lat,
    destLng: destination.lng,
    description: shipment.what,
    weightKg: 3,
    volumeLitres: 20,
    maxBudgetSol: shipment.maxBudgetSol,
    terms: { arbiterPubkey, stakeSol, ...CLOCKS, cosignedPickup: false },
  });
}

/** Opens the account that everybody who works under terms has of its own. */
export async function openAccount({ company, ledger }: Stage, name: CourierName | AgentName): Promise<void> {
  const { client, signer } = company.named(name);
  const { mirroredAt } = await client.getReputation({ agentPubkey: signer.address });
  if (mirroredAt !== null) return;
  await openReputation(client, ledger.rpc, signer);
  await until(`the account of ${name} is seen`, async () => {
    const reputation = await client.getReputation({ agentPubkey: signer.address });
    return reputation.mirroredAt === null ? undefined : reputation;
  });
}

/** Offers to carry a stretch of a listed package, or with `legId` the leg that lost its courier. */
export async function offer({ company, say }: Stage, packageId: string, given: Offer, legId?: string): Promise<void> {
  const { signer, client } = company.named(given.courier);
  const distanceKm = Number((greatCircleKm(given.from, given.to) * 1.3).toFixed(1));
  const { cost } = await client.submitBid({
    packageId,
    ...(legId !== undefined && { legId }),
    agentPubkey: signer.address,
    pickupLat: given.from.lat,
    pickupLng: given.from.lng,
    dropoffLat: given.to.lat,
    dropoffLng: given.to.lng,
    distanceKm,
    estimatedDurationMin: distanceKm * 2,
    costSol: given.costSol,
  });
  say(`    ${given.courier.padEnd(7)} ${`${given.from.name} -> ${given.to.name}`.padEnd(32)} ${sol(cost)} SOL`);
}

/** The leg of the package as it stands. */
export async function legOf({ client }: Stage, packageId: string, index: number): Promise<Leg> {
  const leg = (await client.getPackage({ packageId })).swarm?.legs[index];
  if (leg === undefined) throw new DemoError(`package ${packageId} has no leg ${index}`);
  return leg;
}

type What = Omit<Parameters<typeof makeMove>[2], 'legId' | 'packageId'>;

/** Somebody makes a move of a leg: it is built, checked, signed and landed. */
export async function move(
  stage: Stage,
  name: string,
  of: { readonly packageId: string; readonly index: number },
  what: What,
): Promise<MadeMove> {
  const { signer, client } = stage.company.named(name);
  const { id: legId } = await legOf(stage, of.packageId, of.index);
  return makeMove(client, signer, { legId, packageId: of.packageId, ...what }, { rpc: stage.ledger.rpc });
}

/** When bids for the vacant leg are weighed. */
export async function gatheredAt({ client }: Stage, packageId: string): Promise<Date> {
  const { items } = await client.listOpenings({ packageId });
  const closesAt = items[0]?.closesAt;
  if (!closesAt) throw new DemoError(`no leg of package ${packageId} takes bids`);
  return closesAt;
}

/** Waits until the package is as wanted. @throws {DemoError} when it does not get there in time */
export function untilPackage(
  { client }: Stage,
  packageId: string,
  what: string,
  isSo: (parcel: PackageDetail) => boolean,
): Promise<PackageDetail> {
  return until(`package ${packageId} is ${what}`, async () => {
    const parcel = await client.getPackage({ packageId });
    return isSo(parcel) ? parcel : undefined;
  });
}

/** Looks until there is something. @throws {DemoError} when it does not come in time */
export async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  for (const end = Date.now() + PATIENCE_MS; ; ) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > end) throw new DemoError(`this did not come about in time: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
