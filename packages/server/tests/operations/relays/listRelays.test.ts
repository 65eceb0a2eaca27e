import { confirmLeg, type PackageDetail } from '@legwork/sdk';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { confirmAll, draft, formedPackage, PLACES, untilPackage } from '../../support/market.js';
import { insertPackages, packageRow } from '../../support/packageRows.js';
import { type TestService, withService } from '../../support/service.js';
import { listPackage } from '../../support/listed.js';

const service = withService();

async function relaysBy(query: Parameters<Awaited<ReturnType<TestService['party']>>['client']['listRelays']>[0] = {}) {
  const { client } = await service.current.party(0);
  return (await client.listRelays(query)).items;
}

const idsBy = async (query: Parameters<typeof relaysBy>[0] = {}) => (await relaysBy(query)).map(({ id }) => id);

async function relayOf({ id }: Pick<PackageDetail, 'id'>) {
  const relay = (await relaysBy()).find((one) => one.id === id);
  if (relay === undefined) throw new Error(`no relay ${id}`);
  return relay;
}

/** When the ledger showed the transaction. */
async function appliedAt(signature: string | null | undefined): Promise<Date> {
  const { applied_at: at } = await service.current.db
    .selectFrom('ledger_transactions')
    .select('applied_at')
    .where('signature', '=', signature ?? '')
    .executeTakeFirstOrThrow();
  return at;
}

describe('listRelays', () => {
  test('shows a package before its formation with its ends and its budget (S-121)', async () => {
    const { client, signer } = await service.current.party();
    const parcel = await listPackage(client, signer, draft({ description: 'b'.repeat(81), biddingWindowSec: 3600 }));
    expect(await relayOf(parcel)).toEqual({
      id: parcel.id,
      status: 'listed',
      description: `${'b'.repeat(79)}…`,
      originLat: PLACES.zoo.lat,
      originLng: PLACES.zoo.lng,
      destLat: PLACES.ostkreuz.lat,
      destLng: PLACES.ostkreuz.lng,
      legs: [],
      completedLegs: 0,
      totalLegs: 0,
      holder: null,
      legStartedAt: null,
      estimatedDurationMin: null,
      asset: 'sol',
      decimals: 9,
      paid: 0n,
      paidLamports: 0n,
      total: null,
      totalLamports: null,
      maxBudget: 500_000_000n,
      maxBudgetLamports: 500_000_000n,
      listedAt: parcel.listedAt,
    });
  });

  test('tells who has the parcel and since when, from the formation to the delivery (S-121)', async () => {
    const market = await formedPackage(service.current, [
      ['zoo', 'hauptbahnhof', 0.03],
      ['hauptbahnhof', 'ostkreuz', 0.05],
    ]);
    const { parcel, shipper, couriers } = market;
    const [first, second] = parcel.swarm?.legs ?? [];
    const formed = await relayOf(parcel);
    expect(formed).toMatchObject({
      status: 'in_transit',
      completedLegs: 0,
      totalLegs: 2,
      holder: couriers[0]?.pubkey,
      legStartedAt: await appliedAt(parcel.swarm?.formSignature),
      estimatedDurationMin: first?.estimatedDurationMin,
      paidLamports: 0n,
      totalLamports: parcel.swarm?.totalLamports,
    });
    expect(formed.legs).toEqual(
      [first, second].map((leg) => ({
        agentPubkey: leg?.agentPubkey,
        pickupLat: leg?.pickupLat,
        pickupLng: leg?.pickupLng,
        dropoffLat: leg?.dropoffLat,
        dropoffLng: leg?.dropoffLng,
        status: 'pending',
        stage: null,
        completedAt: null,
      })),
    );

    const [, recipient] = couriers;
    if (recipient === undefined || first === undefined) throw new Error('a relay of two');
    await confirmLeg(recipient.client, service.current.rpc, recipient.signer, first.id);
    const { completedAt } = (await shipper.client.getPackage({ packageId: parcel.id })).swarm?.legs[0] ?? {};
    expect(await relayOf(parcel)).toMatchObject({
      completedLegs: 1,
      holder: recipient.pubkey,
      legStartedAt: completedAt,
      estimatedDurationMin: second?.estimatedDurationMin,
      paidLamports: first.agreedPaymentLamports,
    });

    const rest = { ...market, parcel: await shipper.client.getPackage({ packageId: parcel.id }) };
    await confirmLeg(shipper.client, service.current.rpc, shipper.signer, rest.parcel.swarm?.legs[1]?.id ?? '');
    await untilPackage(service.current, parcel.id, ({ status }) => status === 'delivered');
    expect(await relayOf(parcel)).toMatchObject({
      status: 'delivered',
      completedLegs: 2,
      holder: null,
      legStartedAt: null,
      estimatedDurationMin: null,
      paidLamports: parcel.swarm?.totalLamports,
    });
  });

  test('leaves out what was delivered more than an hour ago, unless it is asked for (S-121)', async () => {
    const market = await formedPackage(service.current, [['zoo', 'ostkreuz', 0.1]]);
    await confirmAll(service.current, market);
    const { id, swarm } = market.parcel;
    await untilPackage(service.current, id, ({ status }) => status === 'delivered');
    const deliveredBefore = (age: string) =>
      sql`update legs set completed_at = now() - ${age}::interval where swarm_id = ${swarm?.id}`.execute(
        service.current.db,
      );
    await deliveredBefore('59 minutes');
    expect(await idsBy()).toContain(id);
    await deliveredBefore('61 minutes');
    // No event tells that an hour has passed (S-124).
    await expect.poll(() => idsBy()).not.toContain(id);
    expect(await idsBy({ status: 'delivered' })).toContain(id);
  });

  test('keeps what starts or ends in an area, also across the antimeridian; the newest come first, up to a limit (S-121)', async () => {
    const [suva, apia] = [
      { origin_lat: -18.1, origin_lng: 178.4, dest_lat: -17.6, dest_lng: 177.5 },
      { origin_lat: -13.8, origin_lng: -171.8, dest_lat: -13.6, dest_lng: -172.4 },
    ];
    const over = {
      origin_lat: suva.origin_lat,
      origin_lng: suva.origin_lng,
      dest_lat: apia.dest_lat,
      dest_lng: apia.dest_lng,
    };
    const failed = { ...suva, status: 'failed', failure_reason: 'cancelled' } as const;
    const rows = [packageRow(suva), packageRow(apia), packageRow(over), packageRow(failed)];
    await insertPackages(service.current.db, rows);
    const [inFiji, inSamoa, between, cancelled] = rows.map(({ id }) => id);
    expect(await idsBy({ bbox: '177,-19,180,-17' })).toEqual([between, inFiji]);
    expect(await idsBy({ bbox: '-173,-14,-171,-13' })).toEqual([between, inSamoa]);
    expect(await idsBy({ bbox: '177,-19,-171,-13' })).toEqual([between, inSamoa, inFiji]);
    expect(await idsBy({ bbox: '177,-19,-171,-13', limit: 2 })).toEqual([between, inSamoa]);
    expect(await idsBy({ bbox: '177,-19,180,-17', status: 'failed' })).toEqual([cancelled]);
    expect(await idsBy({ bbox: '-171,-19,177,-13' })).toEqual([]);
  });

  test('has an ETag, with which nothing comes while nothing changed (S-121)', async () => {
    const url = `${service.current.server.url}/relays?bbox=0,89,1,90`;
    const first = await fetch(url);
    const again = await fetch(url, { headers: { 'if-none-match': first.headers.get('etag') ?? '' } });
    expect([first.status, again.status, await again.text()]).toEqual([200, 304, '']);
    await insertPackages(service.current.db, [packageRow({ origin_lat: 89.5, origin_lng: 0.5 })]);
    // A row that comes by itself has no event (S-124).
    await expect.poll(async () => (await fetch(url)).json()).toEqual([expect.objectContaining({ originLat: 89.5 })]);
    const changed = await fetch(url, { headers: { 'if-none-match': first.headers.get('etag') ?? '' } });
    expect(changed.status).toBe(200);
  });

  test.each([
    ['bbox=13,52,14', 'bbox'],
    ['bbox=13,53,14,52', 'bbox'],
    ['bbox=13,52,181,53', 'bbox'],
    ['bbox=13,-91,14,53', 'bbox'],
    ['bbox=1e1,52,14,53', 'bbox'],
    ['bbox=', 'bbox'],
    ['status=draft', 'status'],
    ['limit=1001', 'limit'],
    ['limit=0', 'limit'],
    ['cursor=x', 'cursor'],
  ])('refuses %s by its name (S-3)', async (query, field) => {
    const response = await fetch(`${service.current.server.url}/relays?${query}`);
    expect([response.status, await response.json()]).toEqual([
      400,
      expect.objectContaining({ errors: [expect.objectContaining({ field })] }),
    ]);
  });
});
