import type { MoveAction } from '@legwork/protocol/contract';
import type { PackageDetail } from '@legwork/sdk';
import {
  type Base64EncodedWireTransaction,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  getBase64Encoder,
  getTransactionDecoder,
  type KeyPairSigner,
  signTransaction,
} from '@solana/kit';
import type { PackageDraft } from '@legwork/sdk';
import { bidInput, draft, type Place, untilPackage } from '../../support/market.js';
import type { Party, TestService } from '../../support/service.js';
import { land } from '../../support/transactions.js';
import { until } from '../../support/until.js';

/** Terms of a poster's own, as they are sent. */
type OwnTerms = Exclude<NonNullable<PackageDraft['terms']>, string>;

/** The people in a package with terms. */
export interface Cast {
  shipper: Party;
  couriers: Party[];
  arbiter: Party;
  parcel: PackageDetail;
}

/** Signs a transaction that the service built, with the keys that it names. */
export async function signedWith(
  transaction: string,
  signers: readonly KeyPairSigner[],
): Promise<Base64EncodedWireTransaction> {
  const decoded = getTransactionDecoder().decode(getBase64Encoder().encode(transaction));
  const keyPairs = signers.map((signer) => signer.keyPair);
  return getBase64EncodedWireTransaction(await signTransaction(keyPairs, decoded));
}

/** A wallet with a reputation account: only such agents bid on packages with terms. */
export async function courier(service: TestService): Promise<Party> {
  const party = await service.party(1);
  const { transaction } = await party.client.buildOpenReputationTx({ agentPubkey: party.pubkey });
  await land(service, await signedWith(transaction, [party.signer]));
  return until('the reputation account is mirrored', async () => {
    const { mirroredAt } = await party.client.getReputation({ agentPubkey: party.pubkey });
    return mirroredAt !== null && party;
  });
}

type Draft = Parameters<typeof draft>[0];

/** A listed package with terms, whose arbiter is a key of the test's. */
export async function listedWithTerms(
  service: TestService,
  choice: OwnTerms = {},
  changes: Draft = {},
  by?: Party,
): Promise<Omit<Cast, 'couriers'>> {
  const [shipper, arbiter] = [by ?? (await service.party(3)), await service.party(1)];
  const terms = { arbiterPubkey: arbiter.pubkey, ...choice };
  const { packageId, transaction } = await shipper.client.buildListTx({
    ...draft(changes),
    shipperPubkey: shipper.pubkey,
    terms,
  });
  const parcel = await shipper.client.submitPackage({
    packageId,
    transaction: await signedWith(transaction, [shipper.signer]),
  });
  return { shipper, arbiter, parcel };
}

export const CHAIN: readonly (readonly [Place, Place, number])[] = [
  ['zoo', 'hauptbahnhof', 0.03],
  ['hauptbahnhof', 'alexanderplatz', 0.05],
  ['alexanderplatz', 'ostkreuz', 0.04],
];

/** A package with terms in transit: nobody has accepted yet. */
export async function formedWithTerms(
  service: TestService,
  bids: readonly (readonly [Place, Place, number])[] = CHAIN,
  choice: OwnTerms = {},
  by?: Party,
): Promise<Cast> {
  const listed = await listedWithTerms(service, choice, {}, by);
  const couriers = await Promise.all(bids.map(() => courier(service)));
  for (const [index, [from, to, costSol]] of bids.entries()) {
    const one = at(couriers, index);
    await one.client.submitBid(bidInput(one, listed.parcel.id, from, to, costSol));
  }
  const parcel = await untilPackage(service, listed.parcel.id, ({ status }) => status === 'in_transit');
  return { ...listed, couriers, parcel };
}

/** The leg as the service shows it now. */
export async function legNow(service: TestService, packageId: string, index: number) {
  const { client } = await service.party(0);
  const { swarm } = await client.getPackage({ packageId });
  const leg = swarm?.legs[index];
  if (!leg) throw new Error(`package ${packageId} has no leg ${index}`);
  return leg;
}

interface Options {
  hash?: string;
  percent?: number;
  /** The other signers. */
  with?: readonly Party[];
  payer?: Party;
}

/** Makes a move: built by the service, signed by the party, handed in. */
export async function move(
  service: TestService,
  { parcel }: Pick<Cast, 'parcel'>,
  index: number,
  by: Party,
  action: MoveAction,
  options: Options = {},
) {
  const { id: legId } = await legNow(service, parcel.id, index);
  const { with: others = [], payer, ...given } = options;
  const built = await by.client.buildTurnTx({
    legId,
    action,
    pubkey: by.pubkey,
    ...given,
    ...(payer && { payerPubkey: payer.pubkey }),
  });
  const known = [by, ...others, ...(payer ? [payer] : [])];
  const signers = built.signers.flatMap((key) => known.find(({ pubkey }) => pubkey === key)?.signer ?? []);
  return by.client.submitTurn({ legId, transaction: await signedWith(built.transaction, signers) });
}

/** Stores the text and claims, or disputes, with its hash. */
export async function moveWithText(
  service: TestService,
  cast: Pick<Cast, 'parcel'>,
  index: number,
  by: Party,
  action: 'claim' | 'dispute',
  text: string,
) {
  const { id: legId } = await legNow(service, cast.parcel.id, index);
  const { hash } = await by.client.putEvidence({ legId, text });
  return move(service, cast, index, by, action, { hash });
}

/** Takes the parcel at the first leg, or over from the courier before, up to the leg with this index. */
export async function carryTo(service: TestService, cast: Cast, index: number): Promise<void> {
  const { couriers } = cast;
  await Promise.all(couriers.map((one, leg) => move(service, cast, leg, one, 'accept')));
  await move(service, cast, 0, at(couriers, 0), 'take');
  for (let next = 1; next <= index; next += 1) await move(service, cast, next - 1, at(couriers, next), 'confirm');
}

export function at<T>(list: readonly T[], index: number): T {
  const found = list[index];
  if (found === undefined) throw new Error(`there is no ${index} of ${list.length}`);
  return found;
}

/** A key that nobody knows. */
export const newKey = async () => (await generateKeyPairSigner()).address;

/** Lamports that the movements left on each account: every stake came back or is accounted for. */
export async function movedIn(service: TestService, packageId: string) {
  const { client } = await service.party(0);
  return client.getPackageMoney({ packageId });
}

/** Bids for the vacant leg of the chain. */
export async function bidForOpening({ parcel }: Cast, agent: Party, costSol: number): Promise<string> {
  const { items } = await agent.client.listOpenings({ packageId: parcel.id });
  const { legId, pickup, dropoff } = at(items, 0);
  const { id } = await agent.client.submitBid({
    ...bidInput(agent, parcel.id, 'hauptbahnhof', 'alexanderplatz', costSol),
    pickupLat: pickup.lat,
    pickupLng: pickup.lng,
    dropoffLat: dropoff.lat,
    dropoffLng: dropoff.lng,
    legId,
  });
  return id;
}
