import { listPackage } from '@legwork/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AppContext } from '../../src/context.js';
import { leaseNext } from '../../src/db/outbox.js';
import { deliverIntent } from '../../src/outbox/deliverIntent.js';
import { hold, letGo } from '../support/holdIntents.js';
import { bidInput, draft, untilPackage } from '../support/market.js';
import { type Party, withService } from '../support/service.js';
import { untilQuiet } from '../support/snapshot.js';
import { eventsOf, Wallets } from './walletScene.js';

const service = withService();
const wallets = () => new Wallets(service.current);
let context: AppContext;

beforeAll(async () => {
  context = await service.current.context();
});
afterAll(() => context.db.destroy());

/** A package whose swarm is decided and held back from the ledger. */
async function forming(): Promise<{ shipper: Party; id: string }> {
  const [shipper, courier] = await Promise.all([service.current.party(), service.current.party(1)]);
  const { id } = await listPackage(shipper.client, shipper.signer, draft());
  await hold(service.current, id);
  await courier.client.submitBid(bidInput(courier, id, 'zoo', 'ostkreuz', 0.1));
  await untilPackage(service.current, id, ({ status }) => status === 'swarm_forming');
  return { shipper, id };
}

/** One outcome: cancelled, nothing formed, nothing left to do. */
async function requireCancelled(id: string, signature: string): Promise<void> {
  const parcel = await untilPackage(service.current, id, ({ status }) => status === 'failed');
  expect(parcel).toMatchObject({ failureReason: 'cancelled', endSignature: signature, swarm: { status: 'failed' } });
  expect(parcel.swarm?.formSignature).toBeNull();
  await untilQuiet(service.current);
  expect(await eventsOf(service.current, id)).toEqual(['PACKAGE_LISTED', 'BID_STORED', 'PACKAGE_FAILED']);
  const intents = await context.db
    .selectFrom('outbox')
    .select('status')
    .where('subject', '=', `package:${id}`)
    .execute();
  expect(intents).toEqual([{ status: 'done' }]);
}

describe('a shipper that cancels before its swarm is on the ledger', () => {
  test('wins when the cancellation is mirrored first (M-44, S-51)', async () => {
    const { shipper, id } = await forming();
    const parcel = await untilPackage(service.current, id, () => true);
    const signature = await wallets().cancel(shipper, parcel);
    await untilPackage(service.current, id, ({ status }) => status === 'failed');
    await letGo(service.current, id);
    await requireCancelled(id, signature);
    const intent = context.db.selectFrom('outbox').select('last_error').where('subject', '=', `package:${id}`);
    expect((await intent.executeTakeFirst())?.last_error).toBe('there was nothing left to do');
  });

  test('wins when the formation is refused first (M-44, S-51)', async () => {
    const { shipper, id } = await forming();
    const parcel = await untilPackage(service.current, id, () => true);
    await service.current.stop();
    const signature = await wallets().cancel(shipper, parcel);
    await letGo(service.current, id);
    const intent = await leaseNext(context.db, 15);
    if (!intent) throw new Error('the formation is due');
    await deliverIntent(context, intent, new AbortController().signal);
    const row = await context.db.selectFrom('packages').select('status').where('id', '=', id).executeTakeFirst();
    // A refused formation is looked up at once.
    expect(row?.status).toBe('failed');
    await service.current.restart();
    await requireCancelled(id, signature);
  });
});

describe('a listing that the watcher saw first', () => {
  test('is answered as it is, and listed once (S-51)', async () => {
    const shipper = await service.current.party();
    const { packageId, instruction } = await wallets().listing(shipper);
    const signature = await wallets().send(shipper, [instruction]);
    await untilQuiet(service.current);
    const parcel = await shipper.client.submitPackage({ packageId, signature });
    expect(parcel).toMatchObject({ id: packageId, status: 'listed', listSignature: signature });
    expect(await eventsOf(service.current, packageId)).toEqual(['PACKAGE_LISTED']);
  });

  test('and its cancellation too is no listing any more (S-51)', async () => {
    const shipper = await service.current.party();
    const { packageId, instruction } = await wallets().listing(shipper);
    const signature = await wallets().send(shipper, [instruction]);
    const parcel = await shipper.client.submitPackage({ packageId, signature });
    await wallets().cancel(shipper, parcel);
    await untilQuiet(service.current);
    await expect(shipper.client.submitPackage({ packageId, signature })).rejects.toMatchObject({
      code: 'invalid_status',
    });
  });

  test('opens its bidding window by its own time (M-35)', async () => {
    const shipper = await service.current.party();
    const { packageId, instruction } = await wallets().listing(shipper);
    await context.db.updateTable('packages').set({ bidding_window_sec: 90 }).where('id', '=', packageId).execute();
    await wallets().send(shipper, [instruction]);
    await untilQuiet(service.current);
    const { listedAt, biddingClosesAt } = await shipper.client.getPackage({ packageId });
    expect(Date.parse(String(biddingClosesAt)) - Date.parse(String(listedAt))).toBe(90_000);
  });
});
