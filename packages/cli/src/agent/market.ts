import type { Session } from '@legwork/agents';
import {
  ensureReputation,
  estimatedDurationMin,
  formatAmount,
  greatCircleKm,
  isInSol,
  type PackageView,
  stillOpen,
} from '@legwork/sdk';
import type { Agent } from './agent.js';
import { requireLimits, unitsOf } from './assets.js';
import { UserError } from '../screen.js';
import { minuteOf, type Shown, table } from './output.js';

interface Place {
  readonly lat: number;
  readonly lng: number;
}

/** Roads are longer than great circles by about this. */
const ROAD = 1.3;

interface PackagesInput {
  readonly status: PackageView['status'];
  readonly near?: Place;
  readonly radius?: number;
  readonly limit: number;
}

/** The packages with a status, newest first. */
export async function packages({ client }: Agent, { status, near, radius, limit }: PackagesInput): Promise<Shown> {
  const { items } = await client.listPackages({
    status,
    limit,
    ...(near && { near: `${near.lat},${near.lng}` }),
    ...(radius !== undefined && { radiusKm: radius }),
  });
  const rows = items.map((item) => [
    item.id,
    `${place(item.originLat, item.originLng)} -> ${place(item.destLat, item.destLng)}`,
    `${Math.round(greatCircleKm({ lat: item.originLat, lng: item.originLng }, { lat: item.destLat, lng: item.destLng }))} km`,
    `${item.weightKg} kg, ${item.volumeLitres} l`,
    formatAmount(item.maxBudget, item),
    minuteOf(item.deadline),
    item.description,
  ]);
  const head = ['PACKAGE', 'FROM -> TO', 'AS THE CROW FLIES', 'SIZE', 'UP TO', 'UNTIL', 'WHAT'];
  return { data: items, text: table(head, rows, `No package is ${status.replace('_', ' ')} here.`) };
}

/** The digital tasks with a leg that can be claimed, newest first. */
export async function tasks({ client }: Agent, { limit }: { readonly limit: number }): Promise<Shown> {
  const { items } = await client.listDigitalTasks({ open: true, limit });
  const rows = items.flatMap(({ id, title, deadline, paymentPerLeg, terms, legs, ...of }) =>
    legs
      .filter(({ isOpen }) => isOpen)
      .map(({ legIndex, isWorkable, instruction }) => [
        id,
        `${legIndex + 1} of ${legs.length}`,
        isWorkable ? 'now' : 'later',
        formatAmount(paymentPerLeg, of),
        terms === null ? 'none' : formatAmount(terms.stake, of),
        minuteOf(deadline),
        `${title}: ${instruction}`,
      ]),
  );
  const head = ['TASK', 'LEG', 'WORK', 'PAYS', 'STAKE', 'UNTIL', 'WHAT'];
  return { data: items, text: table(head, rows, 'No leg of a digital task is open.') };
}

/** Legs that their couriers left or lost, oldest first. */
export async function openings({ client }: Agent): Promise<Shown> {
  const { items } = await client.listOpenings();
  const rows = items.map(({ legId, packageId, pickup, dropoff, maxCost, deadline, packageDescription, ...of }) => [
    packageId,
    legId,
    `${place(pickup.lat, pickup.lng)} -> ${place(dropoff.lat, dropoff.lng)}`,
    formatAmount(maxCost, of),
    minuteOf(deadline),
    packageDescription,
  ]);
  const head = ['PACKAGE', 'LEG', 'FROM -> TO', 'UP TO', 'UNTIL', 'WHAT'];
  return { data: items, text: table(head, rows, 'No leg is vacant.') };
}

interface BidInput {
  readonly package: string;
  /** A vacant leg of it. */
  readonly leg?: string;
  readonly cost: number;
  readonly from?: Place;
  readonly to?: Place;
  readonly km?: number;
  readonly minutes?: number;
  readonly because?: string;
}

/** Bids on a package: on the whole way, on the stretch between two places, or on a leg of it that is vacant. */
export async function bid(agent: Agent, { package: packageId, leg: legId, cost, ...input }: BidInput): Promise<Shown> {
  const item = await agent.client.getPackage({ packageId });
  const amountAsked = unitsOf(cost, item);
  const session = await agent.session(undefined, [], isInSol(item) ? undefined : { asset: item.asset, amount: 0n });
  const { client, signer } = session;
  requireLimits(session, item);
  // A key without a reputation cannot bid where both sides are bound.
  if (item.terms !== null) await withReputation(session, item);
  const opening = legId === undefined ? undefined : await openingOf(agent, packageId, legId);
  const from = opening?.pickup ?? input.from ?? { lat: item.originLat, lng: item.originLng };
  const to = opening?.dropoff ?? input.to ?? { lat: item.destLat, lng: item.destLng };
  const distanceKm = input.km ?? Math.round(greatCircleKm(from, to) * ROAD * 10) / 10;
  const answer = await client.submitBid({
    packageId,
    ...(legId !== undefined && { legId }),
    agentPubkey: signer.address,
    pickupLat: from.lat,
    pickupLng: from.lng,
    dropoffLat: to.lat,
    dropoffLng: to.lng,
    distanceKm,
    estimatedDurationMin: input.minutes ?? estimatedDurationMin(distanceKm),
    ...(isInSol(item) ? { costSol: cost } : { cost: String(amountAsked) }),
    ...(input.because !== undefined && { reasoning: input.because }),
  });
  const alone = `alone it would be paid ${formatAmount(answer.expectedPayment, answer)}`;
  const stake =
    item.terms && `If it wins, you stake ${formatAmount(item.terms.stake, item)}: see ${agent.command('turns')}`;
  const lines = [`Bid ${answer.id} stands until ${minuteOf(answer.expiresAt)}; ${alone}.`, stake, answer.warning];
  return { data: answer, text: lines.filter((line) => line !== null).join('\n') };
}

/** Opens the reputation of this key unless it has one, and says so: that has cost its rent, whatever becomes of the bid. */
export async function withReputation(
  { client, signer, rpc }: Session,
  listing: Pick<PackageView, 'shipperPubkey' | 'terms'>,
): Promise<void> {
  const opened = await ensureReputation(client, rpc, signer, listing);
  if (opened === null) return;
  process.stderr.write(
    `The reputation account of ${signer.address} is opened (transaction ${opened.signature})${stillOpen(opened)}\n`,
  );
}

/** @throws UserError when the leg is not vacant */
async function openingOf(agent: Agent, packageId: string, legId: string) {
  const { items } = await agent.client.listOpenings({ packageId });
  const opening = items.find((one) => one.legId === legId);
  if (opening !== undefined) return opening;
  throw new UserError(`Leg ${legId} of package ${packageId} is not vacant. These are: ${agent.command('openings')}`);
}

/** Moves where the next courier of a vacant leg picks the parcel up. */
export async function movePickup(agent: Agent, input: { readonly leg: string; readonly at: Place }): Promise<Shown> {
  const { leg: legId, at } = input;
  const { items } = await agent.client.listOpenings();
  const packageId = items.find((one) => one.legId === legId)?.packageId;
  if (packageId === undefined)
    throw new UserError(`Leg ${legId} is not vacant. These are: ${agent.command('openings')}`);
  const { client } = await agent.session();
  const moved = await client.moveOpening({ packageId, legId, pickupLat: at.lat, pickupLng: at.lng });
  const { pickup, dropoff } = moved;
  const way = `${place(pickup.lat, pickup.lng)} -> ${place(dropoff.lat, dropoff.lng)}`;
  return { data: moved, text: `Leg ${legId} is open from where the parcel is: ${way}. Bids for the old place ended.` };
}

/** Withdraws a bid that no leg was made of. */
export async function withdraw(agent: Agent, { bid: bidId }: { readonly bid: string }): Promise<Shown> {
  const answer = await (await agent.session()).client.withdrawBid({ bidId });
  return { data: answer, text: `Bid ${bidId} is ${answer.status}.` };
}

function place(lat: number, lng: number): string {
  return `${lat.toFixed(4)},${lng.toFixed(4)}`;
}
