import { expect, vi } from 'vitest';
import { at, type Cast, courier, legNow, listedWithTerms, move, moveWithText } from '../operations/turns/scene.js';
import { bidInput, type Place, PLACES, untilPackage } from '../support/market.js';
import type { Party, TestService } from '../support/service.js';
import { paidByCoordinator } from '../fees/scene.js';

/** Packages with terms, whose legs stand where requests can be about them. */
export interface WorldTerms {
  shipper: Party;
  arbiter: Party;
  /** Its first leg is disputed, its second is pending, its third is vacant. */
  contestedId: string;
  disputed: { legId: string; carrier: Party };
  pending: { legId: string; courier: Party };
  vacantLegId: string;
  /** Its second leg is vacant. */
  open: { packageId: string; legId: string };
  /** A leg whose acceptance, which the coordinator paid for, is on the ledger and was not told to the service. */
  accepted: { legId: string; signature: string; transaction: string; relayed: string };
}

const DAY_SEC = 86_400;

/** Nobody's clock runs out while requests are sent. */
const PATIENT = {
  stakeSol: 0.01,
  carrySec: 10 * DAY_SEC,
  handoffSec: DAY_SEC,
  reviewSec: 10 * DAY_SEC,
  arbitrationSec: 10 * DAY_SEC,
};

const HOURS = { stakeSol: 0.01, carrySec: 3_600, handoffSec: 3_600, reviewSec: 3_600, arbitrationSec: 3_600 };

type Stretch = readonly [Place, Place];

async function inTransit(service: TestService, stretches: readonly Stretch[]): Promise<Cast> {
  const deadline = new Date(Date.now() + 60 * DAY_SEC * 1000).toISOString();
  const listed = await listedWithTerms(service, PATIENT, { deadline });
  const couriers: Party[] = [];
  for (const [from, to] of stretches) {
    const one = await courier(service);
    await one.client.submitBid(bidInput(one, listed.parcel.id, from, to, 0.03));
    couriers.push(one);
  }
  const parcel = await untilPackage(service, listed.parcel.id, ({ status }) => status === 'in_transit');
  return { ...listed, couriers, parcel };
}

async function legIdOf(service: TestService, { parcel }: Cast, index: number): Promise<string> {
  return (await legNow(service, parcel.id, index)).id;
}

/** Has the first courier accept at the cost of the coordinator, and says no more of it. */
async function unreportedAcceptance(service: TestService, cast: Cast): Promise<WorldTerms['accepted']> {
  const one = at(cast.couriers, 0);
  const legId = await legIdOf(service, cast, 0);
  const built = await one.client.buildTurnTx({ legId, action: 'accept', pubkey: one.pubkey });
  const relayed = await paidByCoordinator(service, built.transaction, [one]);
  return { legId, relayed, ...(await one.client.relayTransaction({ transaction: relayed })) };
}

export async function createTerms(service: TestService): Promise<WorldTerms> {
  const contested = await inTransit(service, [
    ['zoo', 'hauptbahnhof'],
    ['hauptbahnhof', 'alexanderplatz'],
    ['alexanderplatz', 'ostkreuz'],
  ]);
  const [carrier, waiting, leaver] = [0, 1, 2].map((index) => at(contested.couriers, index)) as [Party, Party, Party];
  await move(service, contested, 0, carrier, 'take');
  await moveWithText(service, contested, 0, carrier, 'claim', 'at the door');
  await moveWithText(service, contested, 0, contested.shipper, 'dispute', 'nothing is at the door');
  await move(service, contested, 2, leaver, 'vacate');
  const other = await inTransit(service, [
    ['zoo', 'hauptbahnhof'],
    ['hauptbahnhof', 'ostkreuz'],
  ]);
  await move(service, other, 1, at(other.couriers, 1), 'vacate');
  return {
    shipper: contested.shipper,
    arbiter: contested.arbiter,
    contestedId: contested.parcel.id,
    disputed: { legId: await legIdOf(service, contested, 0), carrier },
    pending: { legId: await legIdOf(service, contested, 1), courier: waiting },
    vacantLegId: await legIdOf(service, contested, 2),
    open: { packageId: other.parcel.id, legId: await legIdOf(service, other, 1) },
    accepted: await unreportedAcceptance(service, other),
  };
}

const NOWHERE = { pickupLat: 0, pickupLng: 0, dropoffLat: 0, dropoffLng: 0, distanceKm: 0 };

/** Waits until no vacant leg gathers bids: from then on only another bid makes an evaluation due. */
export async function untilGathered({ db }: TestService): Promise<void> {
  const gathering = () => db.selectFrom('legs').select('id').where('evaluate_at', 'is not', null).execute();
  await vi.waitFor(async () => expect(await gathering()).toEqual([]), 100_000);
}

/** Values of operations about legs with terms, one object a way to call the operation. */
export function termsValues(terms: WorldTerms, listedId: string): Record<string, Record<string, unknown>[]> {
  const { disputed, pending, accepted, open } = terms;
  const hash = 'ab'.repeat(32);
  const opening = {
    ...open,
    pickupLat: PLACES.hauptbahnhof.lat,
    pickupLng: PLACES.hauptbahnhof.lng,
    dropoffLat: PLACES.ostkreuz.lat,
    dropoffLng: PLACES.ostkreuz.lng,
    distanceKm: 12,
  };
  return {
    // The first is the one of tools too, whose calls need no signature. It fits into no chain.
    submitBid: [{ ...NOWHERE, packageId: listedId, legId: undefined }, opening],
    buildTurnTx: [
      { legId: pending.legId, action: 'accept', pubkey: pending.courier.pubkey, hash, percent: 1 },
      { legId: disputed.legId, action: 'rule', pubkey: terms.arbiter.pubkey, hash, percent: 40 },
      { legId: disputed.legId, action: 'agree', pubkey: terms.shipper.pubkey, hash, percent: 0 },
    ],
    submitTurn: [
      { legId: accepted.legId, signature: accepted.signature, transaction: undefined },
      { legId: accepted.legId, transaction: accepted.transaction, signature: undefined },
    ],
    relayTransaction: [{ transaction: accepted.relayed }],
    putEvidence: [{ legId: disputed.legId, text: 'A photograph of the door.' }],
    listEvidence: [{ legId: disputed.legId }],
    listOpenings: [{ packageId: open.packageId }],
    getPrivateParts: [{ packageId: terms.contestedId }],
    listPrivateReadings: [{ packageId: terms.contestedId }],
    // Where it ends is known.
    moveOpening: [
      { packageId: terms.contestedId, legId: terms.vacantLegId, dropoffLat: undefined, dropoffLng: undefined },
    ],
    getArbiter: [{ arbiterPubkey: terms.arbiter.pubkey }],
  };
}

/** The signer of a request of this operation; undefined: it is about no leg with terms. */
export function signerOfTerms(terms: WorldTerms, operation: string): Party | undefined {
  if (operation.endsWith('Evidence')) return terms.disputed.carrier;
  const ofShipper = ['moveOpening', 'getPrivateParts', 'listPrivateReadings'];
  return ofShipper.includes(operation) ? terms.shipper : undefined;
}

/** Terms and requirements with every field that they may have. */
export function ownTerms(terms: WorldTerms, receiverPubkey: string) {
  const { arbiter, pending } = terms;
  return {
    // The terms and requirements that packages and tasks of two legs share.
    terms: { preset: 'guarded', receiverPubkey, arbiterPubkey: arbiter.pubkey, ...HOURS, cosignedPickup: false },
    requirements: { minScore: 1, minCompleted: 1, capabilities: ['cooled'], blocked: [pending.courier.pubkey] },
  };
}
