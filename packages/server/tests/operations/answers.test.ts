import { listPackage, type PackageDetail } from '@legwork/sdk';
import { beforeAll, describe, expect, test } from 'vitest';
import { answerOf } from '../mcp/toolCalls.js';
import { bidInput, confirmAll, draft, physicalLegs, untilPackage } from '../support/market.js';
import { type Party, withService } from '../support/service.js';
import { onceFinal } from '../support/onceFinal.js';

const service = withService({ settings: () => ({ SOLANA_CLUSTER: 'embedded' }) });

/** A parcel whose numbers a binary fraction or a rounding would change. */
const PARCEL = draft({ weightKg: 0.1, volumeLitres: 12.345678, maxBudgetSol: 0.123456789, biddingWindowSec: 0 });

let shipper: Party;
let couriers: Party[];
let bids: ReturnType<typeof bidInput>[];
let parcel: PackageDetail;

beforeAll(async () => {
  shipper = await service.current.party();
  const [first, second] = [await service.current.party(1), await service.current.party(1)];
  couriers = [first, second];
  const { id } = await listPackage(shipper.client, shipper.signer, PARCEL);
  bids = [
    { ...bidInput(first, id, 'zoo', 'alexanderplatz', 0.030000007), distanceKm: 6.25, estimatedDurationMin: 41 },
    { ...bidInput(second, id, 'alexanderplatz', 'ostkreuz', 0.02), distanceKm: 5.1, estimatedDurationMin: 7.5 },
  ];
  for (const [index, bid] of bids.entries()) await couriers[index]?.client.submitBid(bid);
  parcel = await untilPackage(service.current, id, ({ status }) => status === 'in_transit');
});

const placesOf = ({ pickupLat, pickupLng, dropoffLat, dropoffLng }: (typeof bids)[number]) => ({
  pickupLat,
  pickupLng,
  dropoffLat,
  dropoffLng,
});

/** The legs as each answer with legs shows them. */
async function legsEverywhere() {
  const { client } = shipper;
  const queues = couriers.map(async ({ pubkey }) =>
    physicalLegs((await client.listAgentLegs({ agentPubkey: pubkey })).items),
  );
  const swarm = await client.getSwarm({ swarmId: parcel.swarm?.id ?? '' });
  return [parcel.swarm?.legs, swarm.legs, (await Promise.all(queues)).flat()];
}

describe('a leg', () => {
  test('has the places and the distance of its bid (S-87)', async () => {
    for (const legs of await legsEverywhere()) {
      expect(legs).toMatchObject(
        bids.map((bid, legIndex) => ({ legIndex, ...placesOf(bid), distanceKm: bid.distanceKm })),
      );
    }
  });

  test('starts with the formation, or with the handoff before it (S-87)', async () => {
    const { swarm } = parcel;
    expect(swarm?.formedAt?.getTime()).toBeGreaterThanOrEqual(swarm?.createdAt.getTime() ?? Infinity);
    for (const legs of await legsEverywhere()) {
      expect(legs?.map((leg) => leg.startedAt)).toEqual([swarm?.formedAt, legs?.[0]?.completedAt ?? null]);
    }
  });

  test('takes the minutes of its distance at 30 km/h, halves rounded up, whatever the bid says (M-6)', async () => {
    for (const legs of await legsEverywhere()) {
      expect(legs?.map((leg) => leg.estimatedDurationMin)).toEqual([13, 10]);
    }
  });

  test('tells its payment in SOL and in lamports alike (M-3)', async () => {
    // The bids, and floor(bid * 3 * 50 / 700) on top of each.
    for (const legs of await legsEverywhere()) {
      expect(legs?.map((leg) => [leg.agreedPaymentSol, leg.agreedPaymentLamports])).toEqual([
        [0.036428579, 36_428_579n],
        [0.024285714, 24_285_714n],
      ]);
    }
  });
});

test('a bid keeps places, distance and duration as they were bid, and its cost to the lamport (S-87)', async () => {
  const { items } = await shipper.client.listBids({ packageId: parcel.id });
  expect(items.toReversed()).toMatchObject(bids);
  expect(items.map((bid) => bid.costLamports)).toEqual([20_000_000n, 30_000_007n]);
});

describe('a package', () => {
  test('answers weight, volume and budget as they were given (S-87)', async () => {
    const given = {
      weightKg: 0.1,
      volumeLitres: 12.345678,
      maxBudgetSol: 0.123456789,
      maxBudgetLamports: 123_456_789n,
    };
    expect(parcel).toMatchObject(given);
    expect((await shipper.client.listPackages({})).items).toMatchObject([given]);
  });

  test('is shown by svc_list_packages with status, places, budget, weight and addresses (S-35)', async () => {
    const { items } = await answerOf(service.current, 'svc_list_packages', { status: 'in_transit' });
    expect(onceFinal(items)).toEqual([
      {
        id: parcel.id,
        status: 'in_transit',
        finality: 'final',
        originLat: PARCEL.originLat,
        originLng: PARCEL.originLng,
        destLat: PARCEL.destLat,
        destLng: PARCEL.destLng,
        weightKg: 0.1,
        volumeLitres: 12.345678,
        asset: 'sol',
        decimals: 9,
        maxBudget: '123456789',
        maxBudgetSol: 0.123456789,
        maxBudgetLamports: 123_456_789,
        deadline: parcel.deadline.toISOString(),
        biddingClosesAt: null,
        terms: null,
        requirements: null,
        shipperPubkey: shipper.pubkey,
        onChainPackage: parcel.onChainPackage,
        onChainVault: parcel.onChainVault,
      },
    ]);
  });
});

describe('links to the explorer', () => {
  const address = (value: string) => at('account', value);
  const transaction = (signature: string | null | undefined) => at('tx', signature ?? 'none');
  const at = (page: string, value: string) => `${service.current.server.url}/${page}/${value}`;

  test('are in answers about a package, a swarm and a leg, for what has happened so far (S-22)', async () => {
    expect(parcel.explorer).toEqual({
      onChainPackage: address(parcel.onChainPackage),
      onChainVault: address(parcel.onChainVault),
      listSignature: transaction(parcel.listSignature),
      settleSignature: null,
      endSignature: null,
    });
    expect(parcel.swarm?.explorer).toEqual({
      onChainSwarm: address(parcel.swarm?.onChainSwarm ?? ''),
      formSignature: transaction(parcel.swarm?.formSignature),
      settleSignature: null,
    });
    for (const legs of await legsEverywhere()) {
      expect(legs?.map((leg) => leg.explorer)).toEqual(
        parcel.swarm?.legs.map((leg) => ({ onChainLeg: address(leg.onChainLeg), confirmSignature: null })),
      );
    }
    expect((await shipper.client.getSwarm({ swarmId: parcel.swarm?.id ?? '' })).explorer).toEqual(
      parcel.swarm?.explorer,
    );
  });

  test('lead to confirmations and settlement once they are there (S-22)', async () => {
    await confirmAll(service.current, { shipper, couriers, parcel });
    const delivered = await untilPackage(service.current, parcel.id, ({ status }) => status === 'delivered');
    expect(delivered.settleSignature).not.toBeNull();
    expect(delivered.explorer.settleSignature).toBe(transaction(delivered.settleSignature));
    expect(delivered.swarm?.explorer.settleSignature).toBe(transaction(delivered.settleSignature));
    for (const leg of delivered.swarm?.legs ?? []) {
      expect(leg.confirmSignature).not.toBeNull();
      expect(leg.explorer.confirmSignature).toBe(transaction(leg.confirmSignature));
    }
  });
});
