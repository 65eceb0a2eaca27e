import type { Terms } from '@legwork/protocol/contract';
import { sql } from 'kysely';
import { vi } from 'vitest';
import { findPackage } from '../../src/packages/packageRows.js';
import { readFormedSwarm } from '../../src/ledger/accounts.js';
import { reclaimPackageInstruction } from '../../src/ledger/packageInstructions.js';
import { at, type Cast, courier, legNow, listedWithTerms, move, moveWithText } from '../operations/turns/scene.js';
import { bidInput, type Place, untilPackage } from '../support/market.js';
import type { Party, TestService } from '../support/service.js';
import { land, signed } from '../support/transactions.js';

/** Packages with terms, each with another past, by id. */
export interface TermsScene {
  /** Reclaimed while its first courier carried it and the second one waited. */
  reclaimed: string;
  /** The first leg had three couriers: the first never came, the second came late. Delivered, and received by its receiver. */
  replaced: string;
  /** The first leg was claimed and nobody disputed it; the second was received. Delivered. */
  silent: string;
  /** Disputed by the receiver, and the arbiter was silent. Delivered. */
  defaulted: string;
  /** Disputed by the shipper, and ruled. Delivered. */
  ruled: string;
  /** The first leg was rejected by agreement, the second left in time. */
  vacant: string;
  /** The first leg is claimed, the second accepted. It requires something of its couriers. */
  claimed: string;
  /** Its only leg is disputed. */
  disputed: string;
}

const ONE_LEG: readonly [Place, Place, number][] = [['zoo', 'ostkreuz', 0.07]];
const TWO_LEGS: readonly [Place, Place, number][] = [
  ['zoo', 'hauptbahnhof', 0.03],
  ['hauptbahnhof', 'ostkreuz', 0.05],
];

const CLOCKS = { carrySec: 7200, handoffSec: 300, reviewSec: 300, arbitrationSec: 300 };
/** How long the keeper leaves a late courier alone, and the ledger's clock may be a second behind. */
const GRACE_SEC = 130;
/** Long enough for the couriers to be in time, sooner than the deadlines of the other packages. */
const SOON_SEC = 6 * 3600;

type Choice = Partial<Pick<Terms, 'receiverPubkey'>>;

async function formed(
  service: TestService,
  bids: readonly (readonly [Place, Place, number])[],
  { receiverPubkey }: Choice = {},
  changes: Parameters<typeof listedWithTerms>[2] = {},
): Promise<Cast> {
  const choice = { ...CLOCKS, ...(typeof receiverPubkey === 'string' && { receiverPubkey }) };
  const listed = await listedWithTerms(service, choice, changes);
  const couriers: Party[] = [];
  for (const [from, to, costSol] of bids) {
    const one = await courier(service);
    await one.client.submitBid(bidInput(one, listed.parcel.id, from, to, costSol));
    couriers.push(one);
  }
  const parcel = await untilPackage(service, listed.parcel.id, ({ status }) => status === 'in_transit');
  return { ...listed, couriers, parcel };
}

async function untilStage(service: TestService, { parcel }: Cast, index: number, stage: string): Promise<void> {
  await untilPackage(service, parcel.id, ({ swarm }) => swarm?.legs[index]?.stage === stage);
}

async function untilDelivered(service: TestService, { parcel }: Cast): Promise<string> {
  await untilPackage(service, parcel.id, ({ status }) => status === 'delivered');
  return parcel.id;
}

async function reclaimed(service: TestService): Promise<string> {
  const deadline = new Date(Date.now() + SOON_SEC * 1000).toISOString();
  const cast = await formed(service, TWO_LEGS, {}, { deadline });
  await move(service, cast, 0, at(cast.couriers, 0), 'take');
  await move(service, cast, 1, at(cast.couriers, 1), 'accept');
  await service.advanceTime(SOON_SEC + 10);
  const { ledger, db } = await service.context();
  const [row, swarm] = [
    await findPackage(db, cast.parcel.id),
    await readFormedSwarm(ledger, cast.parcel.onChainPackage),
  ];
  await db.destroy();
  if (!row || !swarm) throw new Error('the ledger shows its swarm');
  const { signer } = cast.shipper;
  const instruction = reclaimPackageInstruction(ledger, row, swarm, signer);
  await land(service, await signed(service, [signer], [instruction]));
  await untilPackage(service, cast.parcel.id, ({ status }) => status === 'failed');
  return cast.parcel.id;
}

/** Does it while the clock is behind: what comes later gets a smaller id, as from another service. */
async function byAnEarlierClock<T>(work: () => Promise<T>): Promise<T> {
  const now = Date.now.bind(Date);
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() - 15_000);
  try {
    return await work();
  } finally {
    clock.mockRestore();
  }
}

/** Lets another courier have the vacant first leg, as soon as it has bid. */
function replaceFirst(service: TestService, cast: Cast, costSol: number): Promise<Party> {
  return byAnEarlierClock(() => replaceFirstNow(service, cast, costSol));
}

async function replaceFirstNow(service: TestService, cast: Cast, costSol: number): Promise<Party> {
  await untilStage(service, cast, 0, 'vacant');
  const [one, leg] = [await courier(service), await legNow(service, cast.parcel.id, 0)];
  const bid = bidInput(one, cast.parcel.id, 'zoo', 'hauptbahnhof', costSol);
  await one.client.submitBid({ ...bid, legId: leg.id });
  await sql`update legs set evaluate_at = now() where id = ${leg.id}`.execute(service.db);
  await untilPackage(service, cast.parcel.id, ({ swarm }) => swarm?.legs[0]?.agentPubkey === one.pubkey);
  return one;
}

async function replaced(service: TestService): Promise<string> {
  const receiver = await service.party(1);
  const cast = await formed(service, TWO_LEGS, { receiverPubkey: receiver.pubkey });
  const last = at(cast.couriers, 1);
  await move(service, cast, 1, last, 'accept');
  await service.advanceTime(CLOCKS.handoffSec + GRACE_SEC);
  const late = await replaceFirst(service, cast, 0.02);
  await move(service, cast, 0, late, 'accept');
  await service.advanceTime(CLOCKS.carrySec + GRACE_SEC);
  // More than the formation gave the leg: the stake of the late courier pays it.
  const third = await replaceFirst(service, cast, 0.06);
  await move(service, cast, 0, third, 'take');
  await move(service, cast, 0, last, 'confirm');
  await move(service, cast, 1, receiver, 'confirm');
  return untilDelivered(service, cast);
}

async function silent(service: TestService): Promise<string> {
  const cast = await formed(service, TWO_LEGS);
  const [first, second] = [at(cast.couriers, 0), at(cast.couriers, 1)];
  await move(service, cast, 1, second, 'accept');
  await move(service, cast, 0, first, 'accept');
  await move(service, cast, 0, first, 'take');
  await moveWithText(service, cast, 0, first, 'claim', 'in locker 7');
  // The next courier takes no notice, and leaves nobody waiting once its turn has come.
  await service.advanceTime(CLOCKS.reviewSec);
  await untilStage(service, cast, 0, 'completed');
  await move(service, cast, 1, second, 'take');
  await move(service, cast, 1, cast.shipper, 'confirm');
  return untilDelivered(service, cast);
}

async function disputedBy(service: TestService, cast: Cast, disputer: Party): Promise<void> {
  const only = at(cast.couriers, 0);
  await move(service, cast, 0, only, 'take');
  await moveWithText(service, cast, 0, only, 'claim', 'at the door');
  await moveWithText(service, cast, 0, disputer, 'dispute', 'nothing is at the door');
}

async function defaulted(service: TestService): Promise<string> {
  const receiver = await service.party(1);
  const cast = await formed(service, ONE_LEG, { receiverPubkey: receiver.pubkey });
  await disputedBy(service, cast, receiver);
  await service.advanceTime(CLOCKS.arbitrationSec);
  return untilDelivered(service, cast);
}

async function ruled(service: TestService): Promise<string> {
  const cast = await formed(service, ONE_LEG);
  await disputedBy(service, cast, cast.shipper);
  await move(service, cast, 0, cast.arbiter, 'rule', { percent: 33 });
  return untilDelivered(service, cast);
}

async function vacant(service: TestService): Promise<string> {
  const cast = await formed(service, TWO_LEGS);
  const [first, second] = [at(cast.couriers, 0), at(cast.couriers, 1)];
  await move(service, cast, 0, first, 'take');
  await move(service, cast, 0, cast.shipper, 'agree', { percent: 0, with: [first] });
  await move(service, cast, 1, second, 'accept');
  await move(service, cast, 1, second, 'vacate');
  await untilStage(service, cast, 1, 'vacant');
  return cast.parcel.id;
}

async function claimed(service: TestService): Promise<string> {
  const cast = await formed(service, TWO_LEGS, {}, { requirements: { minScore: 0 } });
  const [first, second] = [at(cast.couriers, 0), at(cast.couriers, 1)];
  await move(service, cast, 0, first, 'take');
  await move(service, cast, 1, second, 'accept');
  await moveWithText(service, cast, 0, first, 'claim', 'at the station');
  return cast.parcel.id;
}

async function disputed(service: TestService): Promise<string> {
  const cast = await formed(service, ONE_LEG);
  await disputedBy(service, cast, cast.shipper);
  return cast.parcel.id;
}

/** Plays all of them on the service; those that wait for something last, because the ledger's clock goes on for all. */
export async function playTermsScene(service: TestService): Promise<TermsScene> {
  return {
    reclaimed: await reclaimed(service),
    replaced: await replaced(service),
    silent: await silent(service),
    defaulted: await defaulted(service),
    ruled: await ruled(service),
    vacant: await vacant(service),
    claimed: await claimed(service),
    disputed: await disputed(service),
  };
}
