import type { OpenWork } from '@legwork/sdk';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { MARK } from '../../../src/db/sealing.js';
import { markWork } from '../../../src/work/marking.js';
import { listDigitalTask, listPackage } from '../../support/listed.js';
import { bidInput, draft, formedPackage, untilPackage } from '../../support/market.js';
import { type Party, withService } from '../../support/service.js';
import { until } from '../../support/until.js';
import { claim, giveBack, goal } from '../digitalTasks/scene.js';
import { at, CHAIN, formedWithTerms, move } from '../turns/scene.js';

const service = withService();

/** The work that a stranger finds by a word that nothing else has. */
async function find(q: string): Promise<readonly OpenWork[]> {
  const { client } = await service.current.party(0);
  return (await client.findWork({ q })).items;
}

/** The part of that work that the agent can have. */
async function findFor({ client, pubkey }: Party, q?: string): Promise<readonly OpenWork[]> {
  return (await client.findWork({ ...(q !== undefined && { q }), for: pubkey })).items;
}

const untilFound = (q: string, count: number) =>
  until(`${count} things found by ${q}`, async () => {
    const found = await find(q);
    return found.length === count && found;
  });

describe('work is found', () => {
  test('from its listing until couriers have it, and not again once it is over (M-84)', async () => {
    const shipper = await service.current.party();
    const parcel = await listPackage(shipper.client, shipper.signer, draft({ description: 'a Stradivarius' }));
    expect(await find('stradivarius')).toMatchObject([
      { kind: 'package', packageId: parcel.id, text: 'a Stradivarius' },
    ]);
    const courier = await service.current.party(1);
    expect(await findFor(courier, 'stradivarius')).toHaveLength(1);
    expect(await findFor(shipper, 'stradivarius')).toEqual([]);
    await courier.client.submitBid(bidInput(courier, parcel.id, 'zoo', 'ostkreuz', 0.03));
    await untilPackage(service.current, parcel.id, ({ status }) => status === 'in_transit');
    expect(await find('stradivarius')).toEqual([]);
  });

  test('as an opening while a leg is vacant, by the words of its package (M-84, T-71)', async () => {
    const cast = await formedWithTerms(service.current, CHAIN);
    const first = at(cast.couriers, 0);
    expect(await find('books')).toEqual([]);
    await move(service.current, cast, 0, first, 'vacate');
    const [opening] = await untilFound('books', 1);
    const { client } = await service.current.party(0);
    const [listed] = (await client.listOpenings({ packageId: cast.parcel.id })).items;
    expect(opening).toMatchObject({
      kind: 'opening',
      packageId: cast.parcel.id,
      legId: listed?.legId,
      originLat: listed?.pickup.lat,
      originLng: listed?.pickup.lng,
      destLat: listed?.dropoff.lat,
      maxPayLamports: listed?.maxCostLamports,
      hasTerms: true,
    });
    const near = `${listed?.pickup.lat},${listed?.pickup.lng}`;
    expect((await client.findWork({ kind: 'opening', near, radiusKm: 0.1 })).items).toHaveLength(1);
    expect((await client.findWork({ kind: 'opening', near: '52.6,13.3326', radiusKm: 10 })).items).toEqual([]);
    // A courier that had a leg of it gets none of it again.
    expect(await findFor(first, 'books')).toEqual([]);
  });

  test('leg by leg of a task, while nobody has the leg (M-84, M-54)', async () => {
    const [poster, worker] = [await service.current.party(), await service.current.party(1)];
    const task = await listDigitalTask(poster.client, poster.signer, goal({ title: 'Zeppelin timetable' }));
    expect((await find('zeppelins')).map(({ legIndex, isWorkable }) => [legIndex, isWorkable])).toEqual([
      [1, false],
      [0, true],
    ]);
    await claim(worker, task, 0);
    expect((await find('zeppelin')).map(({ legIndex }) => legIndex)).toEqual([1]);
    expect(await findFor(worker, 'zeppelin')).toEqual([]);
    await giveBack(worker, task, 0);
    await untilFound('zeppelin', 2);
    // It is barred from the task now.
    expect(await findFor(worker, 'zeppelin')).toEqual([]);
  });
});

describe('the words of what is listed', () => {
  test('are nowhere in the database, only their keyed hashes are, and those are gone with the listing (M-86, S-148)', async () => {
    const shipper = await service.current.party();
    const parcel = await listPackage(shipper.client, shipper.signer, draft({ description: 'Theremin' }));
    const { rows } = await sql<{ text: string; marks: string[] }>`
      select work::text as text, marks::text[] from work where id = ${parcel.id}`.execute(service.current.db);
    expect(rows[0]?.marks.length).toBeGreaterThan(0);
    expect(rows[0]?.text.toLowerCase()).not.toContain('theremin');
    expect(rows[0]?.text).not.toContain(MARK);
    const { rows: parcels } = await sql<{ text: string }>`
      select packages::text as text from packages where id = ${parcel.id}`.execute(service.current.db);
    expect(parcels[0]?.text.toLowerCase()).not.toContain('theremin');
  });

  test('of former listings are marked after an upgrade, and those made without keys again (M-86)', async () => {
    const { parcel } = await formedPackage(service.current, [['zoo', 'ostkreuz', 0.03]]);
    const shipper = await service.current.party();
    const open = await listPackage(shipper.client, shipper.signer, draft({ description: 'a Bandoneon' }));
    const [context, before] = [await service.current.context(), await find('bandoneon')];
    expect(before).toHaveLength(1);
    await service.current.db.updateTable('work').set({ marked_in: null, marks: null }).execute();
    expect(await find('bandoneon')).toEqual([]);
    while ((await markWork(context)) > 0);
    expect(await find('bandoneon')).toEqual(before);
    await service.current.db.updateTable('work').set({ marked_in: '', marks: [] }).where('id', '=', open.id).execute();
    await markWork(context);
    expect(await find('bandoneon')).toEqual(before);
    await context.db.destroy();
    expect(parcel.status).toBe('in_transit');
  });
});
