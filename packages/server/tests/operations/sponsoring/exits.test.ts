import { getReputationSize } from '@legwork/program-client';
import type { PackageDetail } from '@legwork/sdk';
import { describe, expect, test } from 'vitest';
import { forgetSponsorships } from '../../../src/money/sponsorshipRows.js';
import { bidInput, confirmAll, untilPackage } from '../../support/market.js';
import { type Party, withService } from '../../support/service.js';
import { untilQuiet } from '../../support/snapshot.js';
import { land } from '../../support/transactions.js';
import { cancellation, lamportsOf } from '../../coordinator/scene.js';
import { postSponsored, untilReturned } from './scene.js';

const service = withService();
const FEE = 5_000n;

const coordinatorLamports = () => lamportsOf(service.current, service.current.server.coordinatorPubkey);

/** A sponsored package whose deadline is a quarter of an hour away by the clock of the ledger. */
async function sponsored(): Promise<{ shipper: Party; parcel: PackageDetail }> {
  const shipper = await service.current.party(1);
  const slot = await service.current.rpc.getSlot({ commitment: 'confirmed' }).send();
  const now = await service.current.rpc.getBlockTime(slot).send();
  const deadline = new Date((Number(now) + 900) * 1000).toISOString();
  const { body } = await postSponsored(service.current, shipper.pubkey, { deadline });
  return { shipper, parcel: await shipper.client.getPackage({ packageId: body.id ?? '' }) };
}

async function untilClosed(packageId: string): Promise<PackageDetail> {
  await untilReturned(service.current, packageId);
  await untilQuiet(service.current);
  return (await service.current.party(0)).client.getPackage({ packageId });
}

/** The rent of an account without data. */
const emptyRent = () => service.current.rpc.getMinimumBalanceForRentExemption(0n).send();

describe('what the coordinator advanced comes back', () => {
  test('of a package that nobody carries, at its deadline, by cancelling and closing it (M-49)', async () => {
    const before = await coordinatorLamports();
    const { parcel } = await sponsored();
    await service.current.advanceTime(1_000);
    const closed = await untilClosed(parcel.id);
    expect(closed).toMatchObject({ status: 'failed', failureReason: 'cancelled' });
    expect(await lamportsOf(service.current, parcel.onChainVault)).toBe(0n);
    // list, cancel and close; the empty account that keeps the id used stays.
    expect(before - (await coordinatorLamports())).toBe(3n * FEE + (await emptyRent()));
  });

  test('of a package in transit at its deadline, though the service was down then, by reclaiming it (M-49)', async () => {
    const before = await coordinatorLamports();
    const { parcel } = await sponsored();
    const courier = await service.current.party(1);
    await courier.client.submitBid(bidInput(courier, parcel.id, 'zoo', 'ostkreuz', 0.1));
    await untilPackage(service.current, parcel.id, ({ status }) => status === 'in_transit');
    await service.current.stop();
    await service.current.advanceTime(1_000);
    await service.current.restart();
    const closed = await untilClosed(parcel.id);
    expect(closed).toMatchObject({ status: 'failed', failureReason: 'reclaimed', swarm: { status: 'failed' } });
    expect(await lamportsOf(service.current, parcel.onChainVault)).toBe(0n);
    // list, form, reclaim and close; the courier's reputation and the empty account stay.
    const reputation = await service.current.rpc.getMinimumBalanceForRentExemption(BigInt(getReputationSize())).send();
    expect(before - (await coordinatorLamports())).toBe(4n * FEE + reputation + (await emptyRent()));
  });

  test('of a delivered package, but for what the couriers earned (M-49)', async () => {
    const { shipper, parcel } = await sponsored();
    const courier = await service.current.party(1);
    await courier.client.submitBid(bidInput(courier, parcel.id, 'zoo', 'ostkreuz', 0.1));
    const formed = await untilPackage(service.current, parcel.id, ({ status }) => status === 'in_transit');
    await confirmAll(service.current, { shipper, couriers: [courier], parcel: formed });
    const closed = await untilClosed(parcel.id);
    expect(closed).toMatchObject({ status: 'delivered', swarm: { status: 'settled' } });
    expect(await lamportsOf(service.current, parcel.onChainVault)).toBe(0n);
  });

  test('of a package that its shipper cancels (M-49)', async () => {
    const { shipper, parcel } = await sponsored();
    const before = await coordinatorLamports();
    await land(service.current, await cancellation(service.current, shipper, parcel));
    await untilClosed(parcel.id);
    expect(await coordinatorLamports()).toBeGreaterThan(before + parcel.maxBudget);
  });

  test('and the record of it is kept for the caps of its day only (M-46)', async () => {
    const { shipper, parcel } = await sponsored();
    await land(service.current, await cancellation(service.current, shipper, parcel));
    await untilClosed(parcel.id);
    const records = () =>
      service.current.db.selectFrom('sponsorships').select('subject_id').where('subject_id', '=', parcel.id).execute();
    await forgetSponsorships(service.current.db);
    expect(await records()).toHaveLength(1);
    await service.current.db
      .updateTable('sponsorships')
      .set({ created_at: new Date(Date.now() - 86_401_000) })
      .where('subject_id', '=', parcel.id)
      .execute();
    await forgetSponsorships(service.current.db);
    expect(await records()).toEqual([]);
  });
});
