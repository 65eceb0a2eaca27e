import { confirmLeg, listPackage, signTransaction } from '@legwork/sdk';
import { address } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { bidInput, confirmAll, draft, formedPackage, untilPackage } from '../../support/market.js';
import { withService } from '../../support/service.js';

const service = withService();

async function balance(pubkey: string): Promise<bigint> {
  const { value } = await service.current.rpc.getBalance(address(pubkey), { commitment: 'confirmed' }).send();
  return value;
}

describe('a package from listing to settlement', () => {
  test('locks the budget, forms a chain of three, pays each courier at its handoff and returns the surplus (M-74)', async () => {
    const market = await formedPackage(service.current, [
      ['zoo', 'hauptbahnhof', 0.03],
      ['hauptbahnhof', 'alexanderplatz', 0.05],
      ['alexanderplatz', 'ostkreuz', 0.04],
    ]);
    const { parcel, couriers, shipper } = market;
    expect(parcel.swarm?.legs.map((leg) => leg.agentPubkey)).toEqual(couriers.map((courier) => courier.pubkey));
    // 0.5 SOL of budget leave every newcomer's bonus in full: floor(bid * 3 * 50 / 700).
    expect(parcel.swarm?.legs.map((leg) => leg.agreedPaymentLamports)).toEqual([36_428_571n, 60_714_285n, 48_571_428n]);

    const before = await Promise.all(couriers.map((courier) => balance(courier.pubkey)));
    await confirmAll(service.current, market);
    const delivered = await untilPackage(service.current, parcel.id, ({ status }) => status === 'delivered');

    expect(delivered.refundLamports).toBe(500_000_000n - 145_714_284n);
    expect(delivered.swarm?.status).toBe('settled');
    const after = await Promise.all(couriers.map((courier) => balance(courier.pubkey)));
    const fee = 5_000n;
    // The second and third courier signed the handoff before theirs and paid its fee.
    expect(after.map((lamports, index) => lamports - (before[index] ?? 0n))).toEqual([
      36_428_571n,
      60_714_285n - fee,
      48_571_428n - fee,
    ]);
    expect(await balance(parcel.onChainVault)).toBe(0n);
    const reputation = await shipper.client.getReputation({ agentPubkey: couriers[0]?.pubkey ?? '' });
    expect(reputation).toMatchObject({ legsAccepted: 1, legsCompleted: 1, reliabilityScore: 100 });
  });

  test('one courier that beats a chain carries it alone', async () => {
    const { parcel } = await formedPackage(service.current, [['zoo', 'ostkreuz', 0.1]]);
    expect(parcel.swarm).toMatchObject({ totalLegs: 1, totalLamports: 121_428_571n, status: 'active' });
  });

  test('announces what happens in the order in which it happened (S-90)', async () => {
    const market = await formedPackage(service.current, [
      ['zoo', 'hauptbahnhof', 0.03],
      ['hauptbahnhof', 'ostkreuz', 0.05],
    ]);
    await confirmAll(service.current, market);
    await untilPackage(service.current, market.parcel.id, ({ status }) => status === 'delivered');
    const rows = await service.current.db
      .selectFrom('events')
      .select('type')
      .where('subject', '=', `package:${market.parcel.id}`)
      .orderBy('seq')
      .execute();
    expect(rows.map((row) => row.type)).toEqual([
      'PACKAGE_LISTED',
      'BID_STORED',
      'BID_STORED',
      'SWARM_FORMED',
      'BID_RECEIVED',
      'BID_RECEIVED',
      'LEG_CONFIRMED',
      'LEG_CONFIRMED',
      'PACKAGE_DELIVERED',
    ]);
  });

  test('takes the same confirmation twice and answers the same', async () => {
    const { parcel, shipper } = await formedPackage(service.current, [['zoo', 'ostkreuz', 0.1]]);
    const legId = parcel.swarm?.legs[0]?.id ?? '';
    const first = await confirmLeg(shipper.client, service.current.rpc, shipper.signer, legId);
    await untilPackage(service.current, parcel.id, ({ status }) => status === 'delivered');
    const again = await shipper.client.confirmLeg({ legId, signature: first.signature });
    expect(again).toMatchObject({ legId, status: 'completed', swarmStatus: 'settled' });
  });

  test('takes a handoff as the signed transaction, sends it, and answers the same when it is given again (S-83)', async () => {
    const { parcel, couriers, shipper } = await formedPackage(service.current, [
      ['zoo', 'hauptbahnhof', 0.03],
      ['hauptbahnhof', 'ostkreuz', 0.05],
    ]);
    const recipients = [couriers[1] ?? shipper, shipper];
    for (const [index, { id: legId, agentPubkey, agreedPaymentLamports }] of (parcel.swarm?.legs ?? []).entries()) {
      const { client, signer } = recipients[index] ?? shipper;
      const built = await client.buildConfirmTx({ legId });
      const transaction = await signTransaction(built.transaction, signer, {
        programId: address(service.current.server.programId),
        name: 'confirmLeg',
      });
      const before = await balance(agentPubkey);
      const first = await client.confirmLeg({ legId, transaction });
      expect(first).toMatchObject({ legId, status: 'completed' });
      expect((await balance(agentPubkey)) - before).toBe(agreedPaymentLamports);
      expect(await client.confirmLeg({ legId, transaction })).toMatchObject({ legId, status: 'completed' });
    }
    await untilPackage(service.current, parcel.id, ({ status }) => status === 'delivered');
  });

  test('answers the confirmation of the last leg when it has settled, or after 5 seconds (S-70)', async () => {
    const { parcel, shipper } = await formedPackage(service.current, [['zoo', 'ostkreuz', 0.1]]);
    const legId = parcel.swarm?.legs[0]?.id ?? '';
    const asked = performance.now();
    const answer = await confirmLeg(shipper.client, service.current.rpc, shipper.signer, legId);
    const isLate = performance.now() - asked >= 5000;
    expect(answer.status).toBe('completed');
    expect(isLate ? 'settled' : answer.swarmStatus).toBe('settled');
  });

  test('50 bids at once form exactly one swarm', async () => {
    const shipper = await service.current.party();
    const { id } = await listPackage(shipper.client, shipper.signer, draft());
    const couriers = await Promise.all(Array.from({ length: 50 }, () => service.current.party(0)));
    const outcomes = await Promise.allSettled(
      couriers.map((courier, index) =>
        courier.client.submitBid(bidInput(courier, id, 'zoo', 'ostkreuz', 0.1 + index / 1000)),
      ),
    );
    expect(outcomes.some((outcome) => outcome.status === 'fulfilled')).toBe(true);
    await untilPackage(service.current, id, ({ status }) => status === 'in_transit');
    const swarms = await service.current.db
      .selectFrom('swarms')
      .select('status')
      .where('package_id', '=', id)
      .execute();
    expect(swarms).toEqual([{ status: 'active' }]);
  });
});
