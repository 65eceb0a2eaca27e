import type { Address } from '@solana/kit';
import type { Due } from '../audit/histories.js';
import type { CarriedPackage } from './couriers.js';
import {
  configAddress,
  fetchMaybePackage,
  fetchMaybeSwarm,
  getCancelPackageInstruction,
  getSettleInstruction,
  legAddress,
  PackageStatus,
  packageAddress,
  swarmAddress,
  vaultAddress,
} from '@legwork/program-client';
import { uuidToBytes } from '@legwork/protocol/contract';
import type { Alone, Owned, Kind } from '../kind.js';
import { isByText } from '../byText.js';
import { below, choose, randomOf, type Shares, shuffled } from '../plan.js';
import { type SignedHand, type Story, tellHand, tellStory } from '../stories.js';
import { everyItem, type PackageDetail, type PackageDraft, signListing, submitListing } from '@legwork/sdk';

/** The transactions that there have to be between the listing of a package and its end: one formation, one confirmation a leg. */
export function carriedBy(ended: CarriedPackage, coordinator: Address): Due[] {
  const { listing } = ended;
  const { swarm, shipperPubkey } = listing;
  if (swarm?.formSignature == null) return [];
  const formation: Due = [['formSwarm', ...swarm.legs.map(() => 'assignLeg')], coordinator, swarm.formSignature];
  if (ended.bound) return [formation, ...ended.bound.moves];
  const confirmations = swarm.legs.flatMap(({ legIndex, agentPubkey, confirmSignature }): Due[] => {
    const recipient = swarm.legs[legIndex + 1]?.agentPubkey ?? shipperPubkey;
    const sender = isByText(listing.id, legIndex) ? agentPubkey : recipient;
    return confirmSignature === null ? [] : [[['confirmLeg'], sender, confirmSignature]];
  });
  return [formation, ...confirmations];
}

async function accountsOf({ programId, shipper, funder, id }: Owned) {
  const listing = await packageAddress(programId, shipper.address, uuidToBytes(id));
  const [config, vault] = await Promise.all([configAddress(programId), vaultAddress(programId, listing)]);
  return { signer: shipper, config, package: listing, vault, funder };
}

/** The acts of a package's shipper with the ledger alone. */
const PACKAGE_ALONE: Alone = {
  async cancel(owned) {
    return getCancelPackageInstruction(await accountsOf(owned), { programAddress: owned.programId });
  },

  async settle(rpc, owned) {
    const { programId } = owned;
    const accounts = await accountsOf(owned);
    const listing = await fetchMaybePackage(rpc, accounts.package, { commitment: 'confirmed' });
    if (!listing.exists) return 'early';
    if (listing.data.status > PackageStatus.InTransit) return 'over';
    const swarm = await swarmAddress(programId, accounts.package);
    const formed = await fetchMaybeSwarm(rpc, swarm, { commitment: 'confirmed' });
    if (!formed.exists || formed.data.completedLegs < formed.data.totalLegs) return 'early';
    const { totalLegs, rentPayer } = formed.data;
    const legs = await Promise.all([...Array(totalLegs).keys()].map((index) => legAddress(programId, swarm, index)));
    return getSettleInstruction({ ...accounts, swarm, rentPayer, legs }, { programAddress: programId });
  },
};

/** How the service hears of a confirmation: as the SDK does it, not at all, or through a tool afterwards. */
export type Report = 'sdk' | 'never' | 'tool';

/** The stretch that a courier offers. */
export interface Offer {
  readonly from: number;
  readonly to: number;
  /** Which of the agents. */
  readonly courier: number;
  readonly costSol: number;
  /** How its courier bids, if it signs. */
  readonly hand: SignedHand;
}

/** Everything about a package that its seed decides. */
export interface PackageStory extends Story {
  /** Together they reach from the origin to the destination. */
  readonly offers: readonly Offer[];
  /** The first courier bids on another stretch before, and withdraws that. */
  readonly withdraws: boolean;
  /** By the index of the leg. */
  readonly reports: readonly Report[];
  /** Legs that are confirmed of a package that is reclaimed. */
  readonly legsKept: number;
}

/** The stretches of a package, from stop to stop, by how many there are. */
const STRETCHES: readonly (readonly [number, number])[][] = [
  [[0, 3]],
  [
    [0, 2],
    [2, 3],
  ],
  [
    [0, 1],
    [1, 2],
    [2, 3],
  ],
];

const REPORTS: Shares<Report> = [
  ['sdk', 0.6],
  ['never', 0.3],
  ['tool', 0.1],
];
const WITHDRAWAL_SHARE = 0.3;
const MOST_LEGS = 3;

/** @param agents - how many there are to choose from */
export function tellPackageStory(seed: number, number: number, agents: number): PackageStory {
  const random = randomOf(seed, number);
  const stretches = STRETCHES[below(STRETCHES.length, random)] ?? [];
  const chosen = shuffled([...Array(agents).keys()], random);
  return {
    ...tellStory(number, random),
    offers: stretches.map(([from, to], index) => ({
      from,
      to,
      courier: chosen[index] ?? 0,
      costSol: (20 + below(60, random)) / 1000,
      hand: tellHand(random),
    })),
    withdraws: random() < WITHDRAWAL_SHARE,
    reports: Array.from({ length: MOST_LEGS }, () => choose(REPORTS, random)),
    legsKept: below(stretches.length, random),
  };
}

/** Nothing of it is private. */
type Draft = PackageDraft;

export const PACKAGES: Kind<PackageDetail, Draft> = {
  noun: 'package',
  listing: 'listPackage',
  tools: { post: 'svc_post_task', get: 'svc_get_package' },
  named: (packageId) => ({ packageId }),
  open: ['listed', 'swarm_forming', 'in_transit'],
  done: 'delivered',
  accountOf: ({ onChainPackage }) => onChainPackage,
  async sign(client, shipper, draft) {
    const listing = await signListing(client, shipper, draft);
    return { id: listing.packageId, submit: (at) => submitListing(at, listing) };
  },
  async build(client, { address: shipperPubkey }, draft) {
    const { private: _private, ...said } = draft;
    const { packageId, ...built } = await client.buildListTx({ ...said, shipperPubkey });
    return { id: packageId, ...built };
  },
  async sponsor(client, { address: shipperPubkey }, draft, idempotencyKey) {
    const options = idempotencyKey === undefined ? {} : { idempotencyKey };
    const { private: _private, maxBudget: _units, asset: _asset, maxBudgetSol = 0, ...said } = draft;
    return (await client.postSponsored({ ...said, maxBudgetSol, shipperPubkey }, options)).id;
  },
  get: (client, packageId) => client.getPackage({ packageId }),
  async *list(client) {
    for await (const { id, description } of everyItem(client.listPackages, {})) yield { id, text: description };
  },
  cancel: { instruction: 'cancelPackage', build: (client, packageId) => client.buildCancelTx({ packageId }) },
  reclaim: { instruction: 'reclaimPackage', build: (client, packageId) => client.buildReclaimTx({ packageId }) },
  close: { instruction: 'closePackage', build: (client, packageId) => client.buildCloseTx({ packageId }) },
  alone: PACKAGE_ALONE,
};
