import { cancelPackage, listPackage } from '@legwork/sdk';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AppContext } from '../../src/context.js';
import { eraseDue } from '../../src/personal/erasing.js';
import { vacuumErased } from '../../src/personal/vacuum.js';
import { handIn, postedTask } from '../operations/digitalTasks/scene.js';
import { listedPrivately, readBy } from '../operations/personalData/scene.js';
import { at } from '../operations/turns/scene.js';
import { bidInput, confirmAll, draft, formedPackage, PLACES, untilPackage } from '../support/market.js';
import { refusalOf } from '../support/sdkRefusal.js';
import { withService } from '../support/service.js';
import { untilQuiet } from '../support/snapshot.js';
import { completedTask, deliveredPackage, TEXTS } from './scene.js';

const service = withService();
let context: AppContext;

beforeAll(async () => {
  context = await service.current.context();
});
afterAll(() => context.db.destroy());

const everythingFinal = () => untilQuiet(service.current);
/** A transaction of the service that began before may be under way for a moment. */
const rewritten = async (log = context.log): Promise<void> => {
  await expect.poll(() => vacuumErased({ ...context, log })).toBe(true);
};

describe('the personal data of what is over', () => {
  test('shows nothing of it any more, and keeps what was paid (S-144)', async () => {
    const { shipper, carrier, id } = await deliveredPackage(service.current);
    const { poster, worker, task } = await completedTask(service.current);
    const { listSignature } = await shipper.client.getPackage({ packageId: id });
    // An answer that a repeat would get again.
    await shipper.client.submitPackage({ packageId: id, signature: listSignature }, { idempotencyKey: 'one' });
    await everythingFinal();
    const { erasedAt } = await shipper.client.erasePackageData({ packageId: id });
    await poster.client.eraseTaskData({ taskId: task.id });
    const shown = await carrier.client.getPackage({ packageId: id });
    expect(shown).toMatchObject({
      description: 'erased',
      salt: null,
      erasedAt,
      originLat: 53,
      originLng: 13,
      destLng: 13,
    });
    expect(shown.swarm?.legs[0]).toMatchObject({
      pickupLat: 53,
      dropoffLng: 13,
      distanceKm: 12,
      agentPubkey: carrier.pubkey,
    });
    const { items: bids } = await carrier.client.listBids({ packageId: id });
    expect(bids).toMatchObject([{ reasoning: null, pickupLat: 53, status: 'chosen' }]);
    expect((await carrier.client.getDecision({ packageId: id })).considered).toBeNull();
    const { items: events } = await carrier.client.listEvents({ package: id });
    expect(events.find(({ type }) => type === 'PACKAGE_LISTED')).toMatchObject({ origin: { lat: 53, lng: 13 } });
    const seen = await worker.client.getDigitalTask({ taskId: task.id });
    expect(seen).toMatchObject({ title: 'erased', description: 'erased', salt: null, status: 'completed' });
    expect(seen.legs).toMatchObject([
      { instruction: 'erased', result: null, resultHash: expect.stringMatching(/^\w{64}$/) },
    ]);
    // Erased data does not come back.
    expect(await refusalOf(handIn(worker, task, 0, TEXTS.result))).toMatchObject({ code: 'invalid_status' });
    expect((await shipper.client.erasePackageData({ packageId: id })).erasedAt).toEqual(erasedAt);
  });

  test('is erased for its lister alone, and once it has ended (S-144)', async () => {
    const { shipper, couriers, parcel } = await formedPackage(service.current, [['zoo', 'ostkreuz', 0.1]]);
    const { poster, task } = await postedTask(service.current);
    const packageId = parcel.id;
    for (const early of [
      () => shipper.client.erasePackageData({ packageId }),
      () => poster.client.eraseTaskData({ taskId: task.id }),
    ]) {
      expect(await refusalOf(early())).toMatchObject({ status: 409, code: 'invalid_status' });
    }
    await confirmAll(service.current, { shipper, couriers, parcel });
    await untilPackage(service.current, packageId, ({ status }) => status === 'delivered');
    await everythingFinal();
    for (const stranger of [at(couriers, 0), poster]) {
      const asked = stranger.client.erasePackageData({ packageId });
      expect(await refusalOf(asked)).toMatchObject({ status: 403, code: 'pubkey_mismatch' });
    }
    expect((await shipper.client.getPackage({ packageId })).erasedAt).toBeNull();
    const unsigned = await fetch(`${service.current.server.url}/packages/${packageId}/personal-data`, {
      method: 'DELETE',
    });
    expect(unsigned.status).toBe(401);
  });

  test('of an agent with several live bids is erased, though the places become the same (S-144)', async () => {
    const shipper = await service.current.party(3);
    const { id } = await listPackage(shipper.client, shipper.signer, draft());
    const agent = await service.current.party(1);
    for (const to of ['hauptbahnhof', 'alexanderplatz'] as const) {
      await agent.client.submitBid(bidInput(agent, id, 'zoo', to, 0.1));
    }
    const winner = await service.current.party(1);
    await winner.client.submitBid(bidInput(winner, id, 'zoo', 'ostkreuz', 0.01));
    const parcel = await untilPackage(service.current, id, ({ status }) => status === 'in_transit');
    await confirmAll(service.current, { shipper, couriers: [winner], parcel });
    await untilPackage(service.current, id, ({ status }) => status === 'delivered');
    await everythingFinal();
    await shipper.client.erasePackageData({ packageId: id });
    const { items } = await agent.client.listBids({ packageId: id });
    expect(items.map(({ pickupLat, dropoffLat }) => [pickupLat, dropoffLat])).toEqual([
      [53, 53],
      [53, 53],
      [53, 53],
    ]);
    expect(PLACES.zoo.lat).not.toBe(53);
  });
});

describe('the service by itself', () => {
  test('erases what ended so many days ago, and nothing sooner (S-145)', async () => {
    const old = await listedPrivately(service.current, { isPlain: true });
    const young = await listedPrivately(service.current, { isPlain: true });
    const open = await listedPrivately(service.current, { isPlain: true });
    const ids = [old, young, open].map(({ parcel }) => parcel.id);
    for (const { shipper, parcel } of [old, young]) {
      await cancelPackage(shipper.client, service.current.rpc, shipper.signer, parcel.id);
    }
    await everythingFinal();
    expect(await eraseDue(context)).toBe(0);
    await sql`update ledger_transactions set applied_at = applied_at - interval '30 days'
      where signature = (select end_signature from packages where id = ${old.parcel.id})`.execute(service.current.db);
    await expect.poll(() => eraseDue(context)).toBe(1);
    expect(await eraseDue(context)).toBe(0);
    const { client } = old.shipper;
    const shown = await Promise.all(ids.map((packageId) => client.getPackage({ packageId })));
    expect(shown.map(({ erasedAt }) => erasedAt !== null)).toEqual([true, false, false]);
    expect(await readBy(old.shipper, old.parcel.id)).toBe('');
    expect(await readBy(young.shipper, young.parcel.id)).toBe('pickup dropoff');
    const never = { ...context, config: { ...context.config, personalDataDays: 0 } };
    expect(await eraseDue(never)).toBe(0);
  });

  test('rewrites nothing while a transaction may still read what was erased (S-146)', async () => {
    const { id, shipper } = await deliveredPackage(service.current);
    await everythingFinal();
    await sql`delete from meta where key = 'vacuumed_at'`.execute(service.current.db);
    await service.current.db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (trx) => {
        await sql`select from packages`.execute(trx);
        await shipper.client.erasePackageData({ packageId: id });
        expect(await vacuumErased(context)).toBe(false);
      });
    await rewritten();
  });

  test('waits for no table that others use, says so, and comes back (S-146)', async () => {
    const { id, shipper } = await deliveredPackage(service.current);
    await everythingFinal();
    await sql`delete from meta where key = 'vacuumed_at'`.execute(service.current.db);
    await shipper.client.erasePackageData({ packageId: id });
    const lines: unknown[] = [];
    const log = { warn: (...entry: unknown[]) => lines.push(entry) } as unknown as AppContext['log'];
    await service.current.db.transaction().execute(async (trx) => {
      await sql`lock table events in access share mode`.execute(trx);
      const said = async () => {
        expect(await vacuumErased({ ...context, log })).toBe(false);
        return JSON.stringify(lines);
      };
      await expect.poll(said).toContain('a table is not rewritten yet');
    });
    expect(lines).toHaveLength(1);
    await rewritten(log);
    expect(lines).toHaveLength(1);
    expect(await vacuumErased({ ...context, log })).toBe(false);
  });
});
