import { INCINERATOR_ADDRESS } from '@legwork/protocol/rules';
import { cancelPackage, type PackageDetail, receive, reclaimPackage } from '@legwork/sdk';
import { leaveWith } from '../../fees/scene.js';
import { postSponsored } from '../../operations/sponsoring/scene.js';
import {
  at,
  carryTo,
  type Cast,
  CHAIN,
  courier,
  formedWithTerms,
  listedWithTerms,
  move,
  moveWithText,
  signedWith,
} from '../../operations/turns/scene.js';
import { hold } from '../../support/holdIntents.js';
import { listPackage } from '../../support/listed.js';
import { bidInput, confirmAll, draft, formedPackage, type Place, untilPackage } from '../../support/market.js';
import type { Party, TestService } from '../../support/service.js';
import type { PaidLeg } from './books.js';
import { formedFor, type Making, type Plot, type Story } from './story.js';

type Bids = readonly (readonly [Place, Place, number])[];
const ONE_LEG: Bids = [['zoo', 'ostkreuz', 0.07]];
const TWO_LEGS: Bids = [
  ['zoo', 'hauptbahnhof', 0.03],
  ['hauptbahnhof', 'ostkreuz', 0.05],
];

type Market = Awaited<ReturnType<typeof formedPackage>>;

/** The fields that all stories of a package share. */
const ofPackage = ({ shipper, couriers, parcel }: Market) =>
  ({ kind: 'package', id: parcel.id, lister: shipper, others: couriers }) as const;
const received = ({ shipper, parcel }: Market) => receive(shipper.client, shipper.signer, { packageId: parcel.id });

/** Its courier bids once the document is here; without it, its shipper takes the money back. */
function carriedOrCancelled(
  { service, hasPapers }: Making,
  { shipper, parcel, by }: { shipper: Party; parcel: PackageDetail; by: Party },
  go: (formed: PackageDetail) => Promise<unknown>,
): Pick<Story, 'goOn' | 'end' | 'paid'> {
  let legs: PaidLeg[] = [];
  async function goOn(): Promise<void> {
    if (!hasPapers) return void (await cancelPackage(shipper.client, service.rpc, shipper.signer, parcel.id));
    await by.client.submitBid(bidInput(by, parcel.id, 'zoo', 'ostkreuz', 0.07));
    const formed = await untilPackage(service, parcel.id, ({ status }) => status === 'in_transit');
    legs = formedFor(formed);
    await go(formed);
  }
  return { goOn, end: hasPapers ? 'delivered' : 'cancelled', paid: () => legs };
}

const listed: Plot = async (making) => {
  const { service } = making;
  const [shipper, by] = [await service.party(), await service.party(1)];
  const parcel = await listPackage(shipper.client, shipper.signer, draft());
  const market = { shipper, couriers: [by], parcel };
  return { ...ofPackage(market), ...carriedOrCancelled(making, { shipper, parcel, by }, () => received(market)) };
};

const formed: Plot = async ({ service }) => {
  const market = await formedPackage(service, TWO_LEGS);
  const paid = formedFor(market.parcel);
  // Ids of legs are those of whoever rebuilt the package.
  const goOn = async () =>
    confirmAll(service, { ...market, parcel: await market.shipper.client.getPackage({ packageId: market.parcel.id }) });
  return { ...ofPackage(market), goOn, end: 'delivered', paid: () => paid };
};

/** The first of two couriers has been relieved, and is paid. */
async function halfWay(service: TestService) {
  const market = await formedPackage(service, TWO_LEGS);
  const second = at(market.couriers, 1);
  await receive(second.client, second.signer, { packageId: market.parcel.id });
  return { market, paid: formedFor(market.parcel) };
}

const underWay: Plot = async ({ service }) => {
  const { market, paid } = await halfWay(service);
  return { ...ofPackage(market), goOn: () => received(market), end: 'delivered', paid: () => paid };
};

const forgotten: Plot = async ({ service }) => {
  const { market, paid } = await halfWay(service);
  return { ...ofPackage(market), end: 'reclaimed', paid: () => paid.slice(0, 1) };
};

/** All legs are paid, and the former service did not settle any more. */
const unsettled: Plot = async ({ service }) => {
  const market = await formedPackage(service, TWO_LEGS);
  const paid = formedFor(market.parcel);
  await hold(service, market.parcel.id);
  await confirmAll(service, market);
  return { ...ofPackage(market), end: 'delivered', paid: () => paid };
};

const settled: Plot = async ({ service }) => {
  const market = await formedPackage(service, ONE_LEG);
  const paid = formedFor(market.parcel);
  await received(market);
  await untilPackage(service, market.parcel.id, ({ status }) => status === 'delivered');
  return { ...ofPackage(market), end: 'delivered', paid: () => paid };
};

const cancelled: Plot = async ({ service }) => {
  const shipper = await service.party();
  const parcel = await listPackage(shipper.client, shipper.signer, draft());
  await cancelPackage(shipper.client, service.rpc, shipper.signer, parcel.id);
  return { ...ofPackage({ shipper, couriers: [], parcel }), end: 'cancelled' };
};

/** The former coordinator pays for it. */
async function funded(service: TestService) {
  const shipper = await service.party(1);
  const { body } = await postSponsored(service, shipper.pubkey, { maxBudgetSol: 0.1 });
  const parcel = await shipper.client.getPackage({ packageId: body.id ?? '' });
  return { shipper, parcel, funder: parcel.funderPubkey };
}

/** The coordinator of the day takes back at the deadline what nobody carries. */
const fundedListed: Plot = async ({ service }) => {
  const { shipper, parcel, funder } = await funded(service);
  return { ...ofPackage({ shipper, couriers: [], parcel }), funder, end: 'cancelled' };
};

const fundedFormed: Plot = async ({ service }) => {
  const { shipper, parcel: posted, funder } = await funded(service);
  const by = await service.party(1);
  await by.client.submitBid(bidInput(by, posted.id, 'zoo', 'ostkreuz', 0.07));
  const parcel = await untilPackage(service, posted.id, ({ status }) => status === 'in_transit');
  const market = { shipper, couriers: [by], parcel };
  const paid = formedFor(parcel);
  return { ...ofPackage(market), funder, goOn: () => received(market), end: 'delivered', paid: () => paid };
};

/** The fields that all stories of a package with terms share. */
const ofCast = (cast: Cast) => ({ ...ofPackage(cast), others: [...cast.couriers, cast.arbiter] });
const stakeOf = ({ parcel }: Cast): bigint => parcel.terms?.stake ?? 0n;

const boundListed: Plot = async (making) => {
  const { service } = making;
  const [cast, by] = [await listedWithTerms(service), await courier(service)];
  const couriers = [by];
  return {
    ...ofCast({ ...cast, couriers }),
    ...carriedOrCancelled(making, { ...cast, by }, () => Promise.resolve()),
  };
};

/** Turns alone tell everybody what to do. */
const byTurns =
  (bids: Bids, before: (service: TestService, cast: Cast) => Promise<unknown>): Plot =>
  async ({ service }) => {
    const cast = await formedWithTerms(service, bids);
    const paid = formedFor(cast.parcel);
    await before(service, cast);
    return { ...ofCast(cast), end: 'delivered', paid: () => paid };
  };

async function claimed(service: TestService): Promise<Cast> {
  const cast = await formedWithTerms(service, ONE_LEG);
  const only = at(cast.couriers, 0);
  await move(service, cast, 0, only, 'take');
  await moveWithText(service, cast, 0, only, 'claim', 'at the door');
  return cast;
}

const unread: Plot = async ({ service }) => {
  const cast = await claimed(service);
  const paid = formedFor(cast.parcel);
  return { ...ofCast(cast), silent: cast.shipper, end: 'delivered', paid: () => paid };
};

async function disputed(service: TestService): Promise<Cast> {
  const cast = await claimed(service);
  await moveWithText(service, cast, 0, cast.shipper, 'dispute', 'nothing is at the door');
  return cast;
}

function ruledBy(cast: Cast, by: 'arbiter' | 'silence', percent: number): () => PaidLeg[] {
  const feeTo = by === 'arbiter' ? cast.arbiter.pubkey : INCINERATOR_ADDRESS;
  const ruled = { by, percent, stake: stakeOf(cast), disputer: cast.shipper.pubkey, feeTo };
  return () => formedFor(cast.parcel).map((leg) => ({ ...leg, ruled }));
}

const judged: Plot = async ({ service }) => {
  const cast = await disputed(service);
  return { ...ofCast(cast), percent: 40, end: 'delivered', paid: ruledBy(cast, 'arbiter', 40) };
};

const unjudged: Plot = async ({ service }) => {
  const cast = await disputed(service);
  return { ...ofCast(cast), silent: cast.arbiter, end: 'delivered', paid: ruledBy(cast, 'silence', 50) };
};

/** Ruled, and the former service did not pay any more. */
const ruled: Plot = async ({ service }) => {
  const cast = await disputed(service);
  await hold(service, cast.parcel.id);
  await move(service, cast, 0, cast.arbiter, 'rule', { percent: 33 });
  return { ...ofCast(cast), end: 'delivered', paid: ruledBy(cast, 'arbiter', 33) };
};

/** Left in time, and nobody can be found for it any more. */
const vacant: Plot = async ({ service }) => {
  const cast = await formedWithTerms(service, ONE_LEG);
  await move(service, cast, 0, at(cast.couriers, 0), 'accept');
  await move(service, cast, 0, at(cast.couriers, 0), 'vacate');
  return { ...ofCast(cast), end: 'reclaimed' };
};

const vanished: Plot = async ({ service }) => {
  const cast = await formedWithTerms(service, ONE_LEG);
  const silent = at(cast.couriers, 0);
  await move(service, cast, 0, silent, 'take');
  return { ...ofCast(cast), silent, end: 'reclaimed', lost: [{ agent: silent.pubkey, stake: stakeOf(cast) }] };
};

const takenBack: Plot = async ({ service }) => {
  const cast = await formedWithTerms(service, ONE_LEG);
  await move(service, cast, 0, at(cast.couriers, 0), 'accept');
  await reclaimPackage(cast.shipper.client, service.rpc, cast.shipper.signer, cast.parcel.id);
  return { ...ofCast(cast), end: 'reclaimed' };
};

/** Couriers who have tokens for their stake, and no SOL: the coordinator of the day pays their fees. */
const inTokens: Plot = async ({ service }) => {
  const arbiter = await service.party(1);
  const [shipper, first] = [await service.party(1), await courier(service)];
  for (const one of [shipper, first]) await one.client.registerAgent({ agentPubkey: one.pubkey });
  const { maxBudgetSol: _, ...rest } = draft();
  const { packageId, transaction } = await shipper.client.buildListTx({
    ...rest,
    maxBudget: '50000001',
    asset: 'usdc',
    shipperPubkey: shipper.pubkey,
    terms: { arbiterPubkey: arbiter.pubkey },
  });
  await shipper.client.submitPackage({ packageId, transaction: await signedWith(transaction, [shipper.signer]) });
  const { costSol: __, ...bid } = bidInput(first, packageId, 'zoo', 'ostkreuz', 0);
  await first.client.submitBid({ ...bid, cost: '5000000' });
  const parcel = await untilPackage(service, packageId, ({ status }) => status === 'in_transit');
  await leaveWith(service, first, 0n);
  const cast = { shipper, couriers: [first], arbiter, parcel };
  const paid = formedFor(parcel);
  return { ...ofCast(cast), given: [shipper, first], end: 'delivered', paid: () => paid };
};

/** Every stage of a package, by name. */
export const RELAYS: Readonly<Record<string, Plot>> = {
  listed,
  formed,
  underWay,
  forgotten,
  unsettled,
  settled,
  cancelled,
  fundedListed,
  fundedFormed,
  boundListed,
  pending: byTurns(CHAIN, () => Promise.resolve()),
  carried: byTurns(CHAIN, (service, cast) => carryTo(service, cast, 1)),
  unread,
  judged,
  unjudged,
  ruled,
  vacant,
  vanished,
  takenBack,
  inTokens,
};
