import { describe, expect, test } from 'vitest';
import { forgetReputations } from '../../src/agents/reputationRows.js';
import { inTransaction } from '../../src/db/transaction.js';
import { confirmLeg } from '../../src/legs/confirm.js';
import { bidInput, draft, untilPackage } from '../support/market.js';
import { withService } from '../support/service.js';
import { untilQuiet } from '../support/snapshot.js';
import { hold, letGo } from '../support/holdIntents.js';
import { eventsOf, type Market, twoLegs, untilCompleted, Wallets } from './walletScene.js';
import { listPackage } from '../support/listed.js';
import { until } from '../support/until.js';

const service = withService();
const wallets = () => new Wallets(service.current);

const FORMED = ['PACKAGE_LISTED', 'BID_STORED', 'BID_STORED', 'SWARM_FORMED', 'BID_RECEIVED', 'BID_RECEIVED'];
const CONFIRMED = [...FORMED, 'LEG_CONFIRMED', 'LEG_CONFIRMED'];

/** Acts with the service running, or without and starts it again; then everything is mirrored. */
async function during<T>(state: 'up' | 'down', act: () => Promise<T>): Promise<T> {
  if (state === 'down') await service.current.stop();
  const done = await act();
  if (state === 'down') await service.current.restart();
  await untilQuiet(service.current);
  return done;
}

/** Two legs and no settlement, whatever is confirmed. */
async function unsettled(): Promise<Market> {
  const market = await twoLegs(service.current);
  await hold(service.current, market.parcel.id);
  return market;
}

async function intentsOf(packageId: string): Promise<string[]> {
  const rows = await service.current.db
    .selectFrom('outbox')
    .select(['kind', 'status'])
    .where('subject', '=', `package:${packageId}`)
    .orderBy('id')
    .execute();
  return rows.map(({ kind, status }) => `${kind} ${status}`);
}

describe.each(['up', 'down'] as const)('sent by a wallet with the service %s', (state) => {
  test('a listing is mirrored once, and couriers may bid (S-50, S-89)', async () => {
    const shipper = await service.current.party();
    const { packageId, instruction } = await wallets().listing(shipper);
    const signature = await during(state, () => wallets().send(shipper, [instruction]));
    const parcel = await untilPackage(service.current, packageId, ({ status }) => status === 'listed');
    expect(parcel.listSignature).toBe(signature);
    expect(await eventsOf(service.current, packageId)).toEqual(['PACKAGE_LISTED']);
    const courier = await service.current.party(1);
    await courier.client.submitBid(bidInput(courier, packageId, 'zoo', 'ostkreuz', 0.1));
    await untilPackage(service.current, packageId, ({ status }) => status === 'in_transit');
  });

  test('confirmations are mirrored in order, and the coordinator settles (S-50, M-74)', async () => {
    const market = await twoLegs(service.current);
    const signatures = await during(state, async () => [
      await wallets().confirm(market, 0),
      await wallets().confirm(market, 1),
    ]);
    const parcel = await untilPackage(service.current, market.parcel.id, ({ status }) => status === 'delivered');
    expect(parcel.swarm?.legs.map((leg) => leg.confirmSignature)).toEqual(signatures);
    await untilQuiet(service.current);
    expect(await eventsOf(service.current, parcel.id)).toEqual([...CONFIRMED, 'PACKAGE_DELIVERED']);
    const { client } = await service.current.party(0);
    expect(await client.getReputation({ agentPubkey: market.couriers[0]?.pubkey ?? '' })).toMatchObject({
      legsAccepted: 1,
      legsCompleted: 1,
      reliabilityScore: 100,
    });
  });

  test('a cancellation is mirrored once (S-50)', async () => {
    const shipper = await service.current.party();
    const listed = await listPackage(shipper.client, shipper.signer, draft());
    const signature = await during(state, () => wallets().cancel(shipper, listed));
    const parcel = await untilPackage(service.current, listed.id, ({ status }) => status === 'failed');
    expect(parcel).toMatchObject({ failureReason: 'cancelled', endSignature: signature });
    expect(await eventsOf(service.current, listed.id)).toEqual(['PACKAGE_LISTED', 'PACKAGE_FAILED']);
  });

  test('a settlement is mirrored as the settlement, and no second one is sent (S-50)', async () => {
    const market = await unsettled();
    const { shipper } = market;
    const signature = await during(state, async () => {
      await wallets().confirm(market, 0);
      await wallets().confirm(market, 1);
      const settlement = await wallets().settle(shipper, market.parcel);
      await letGo(service.current, market.parcel.id);
      return settlement;
    });
    const parcel = await untilPackage(service.current, market.parcel.id, ({ status }) => status === 'delivered');
    expect(parcel).toMatchObject({ settleSignature: signature, swarm: { status: 'settled' } });
    await until('the settlement needs nothing more', async () =>
      (await intentsOf(parcel.id)).every((intent) => intent.endsWith('done')),
    );
    expect(await intentsOf(parcel.id)).toEqual(['form_swarm done', 'settle done']);
    expect(await eventsOf(service.current, parcel.id)).toEqual([...CONFIRMED, 'PACKAGE_DELIVERED']);
  });

  test('the closing of an account is mirrored and changes nothing else (S-50)', async () => {
    const shipper = await service.current.party();
    const listed = await listPackage(shipper.client, shipper.signer, draft());
    const signature = await during(state, async () => {
      await wallets().cancel(shipper, listed);
      return wallets().close(shipper, listed);
    });
    const row = await service.current.db
      .selectFrom('packages')
      .select(['status', 'close_signature'])
      .where('id', '=', listed.id)
      .executeTakeFirst();
    expect(row).toEqual({ status: 'failed', close_signature: signature });
    expect(await eventsOf(service.current, listed.id)).toEqual(['PACKAGE_LISTED', 'PACKAGE_FAILED']);
  });

  test('a reclaim fails package and swarm; what was confirmed stays confirmed (S-50, M-9)', async () => {
    // The ledger's clock may be ahead already, by the other run of this test.
    const deadline = new Date(Date.now() + (state === 'up' ? 60 : 120) * 60_000).toISOString();
    const market = await twoLegs(service.current, { deadline });
    const { shipper } = market;
    // It counts whole seconds, and may be one behind.
    await service.current.advanceTime(60 * 60 + 10);
    const signature = await during(state, async () => {
      await wallets().confirm(market, 0);
      return wallets().reclaim(shipper, market.parcel);
    });
    const parcel = await untilPackage(service.current, market.parcel.id, ({ status }) => status === 'failed');
    expect(parcel).toMatchObject({ failureReason: 'reclaimed', endSignature: signature, swarm: { status: 'failed' } });
    expect(parcel.swarm?.legs.map(({ status }) => status)).toEqual(['completed', 'pending']);
    expect(await eventsOf(service.current, parcel.id)).toEqual([...FORMED, 'LEG_CONFIRMED', 'PACKAGE_FAILED']);
  });
});

describe('a courier who confirmed and did not report', () => {
  test('holds no later leg up, even where the watcher has not come to it yet (S-51)', async () => {
    const market = await twoLegs(service.current);
    const { parcel, shipper } = market;
    const context = await service.current.context();
    await service.current.stop();
    await wallets().confirm(market, 0);
    const signature = await wallets().confirm(market, 1);
    const legId = parcel.swarm?.legs[1]?.id ?? '';
    const { answer } = await confirmLeg(context, { legId, signature }, { pubkey: shipper.pubkey, ip: '127.0.0.1' });
    expect(answer).toMatchObject({ legId, status: 'completed' });
    await context.db.destroy();
    await service.current.restart();
    await untilPackage(service.current, parcel.id, ({ status }) => status === 'delivered');
    await untilQuiet(service.current);
    expect(await eventsOf(service.current, parcel.id)).toEqual([...CONFIRMED, 'PACKAGE_DELIVERED']);
  });

  test('is recorded already when it reports after all (S-50)', async () => {
    const market = await unsettled();
    const signature = await wallets().confirm(market, 0);
    const parcel = await untilCompleted(service.current, market.parcel.id, 0);
    const recipient = market.couriers.find(({ pubkey }) => pubkey === parcel.swarm?.legs[1]?.agentPubkey);
    const legId = parcel.swarm?.legs[0]?.id ?? '';
    expect(await recipient?.client.confirmLeg({ legId, signature })).toMatchObject({ status: 'completed' });
    expect(await eventsOf(service.current, parcel.id)).toEqual([...FORMED, 'LEG_CONFIRMED']);
  });
});

test('a reputation is forgotten of an agent that no listing shows as assigned, and of no other (S-257)', async () => {
  const market = await twoLegs(service.current);
  const idle = await service.current.party(0);
  const assigned = market.couriers.map(({ pubkey }) => pubkey);
  const { db } = service.current;
  const ofAssigned = db.selectFrom('reputations').selectAll().where('agent_pubkey', 'in', assigned);
  const row = await ofAssigned.executeTakeFirstOrThrow();
  await db
    .insertInto('reputations')
    .values({ ...row, agent_pubkey: idle.pubkey })
    .execute();
  await inTransaction(db, (trx) => forgetReputations(trx, [idle.pubkey, ...assigned], row.slot + 1_000n));
  const left = await db.selectFrom('reputations').select('agent_pubkey').execute();
  const kept = left.map((one) => one.agent_pubkey);
  expect(assigned.filter((agent) => !kept.includes(agent))).toEqual([]);
  expect(kept).not.toContain(idle.pubkey);
});
