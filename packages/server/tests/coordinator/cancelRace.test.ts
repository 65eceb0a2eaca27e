import { PackageStatus } from '@legwork/program-client';
import { type PackageDetail } from '@legwork/sdk';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { bidInput, draft, untilPackage } from '../support/market.js';
import { type Party, withService } from '../support/service.js';
import { untilQuiet } from '../support/snapshot.js';
import { land } from '../support/transactions.js';
import { hold, letGo } from '../support/holdIntents.js';
import { cancellation, lamportsOf, statusOnLedger, swarmsOf } from './scene.js';
import { listPackage } from '../support/listed.js';

const service = withService();

async function listed(): Promise<{ shipper: Party; parcel: PackageDetail; cancel: string }> {
  const shipper = await service.current.party();
  const parcel = await listPackage(shipper.client, shipper.signer, draft());
  return { shipper, parcel, cancel: await cancellation(service.current, shipper, parcel) };
}

/** The state in mirror and ledger of a package that is over, or on its way. */
interface Outcome {
  status: string;
  failureReason: string | null;
  onLedger: PackageStatus;
  /** Swarms that did not fail. */
  swarms: number;
  escrow: boolean;
}

const CANCELLED: Outcome = {
  status: 'failed',
  failureReason: 'cancelled',
  onLedger: PackageStatus.Cancelled,
  swarms: 0,
  escrow: false,
};
const FORMED: Outcome = {
  status: 'in_transit',
  failureReason: null,
  onLedger: PackageStatus.InTransit,
  swarms: 1,
  escrow: true,
};

/** The outcome once nothing happens any more. */
async function outcomeOf({ parcel, shipper }: { parcel: PackageDetail; shipper: Party }): Promise<Outcome> {
  const isOver = ({ status }: PackageDetail) => status === 'in_transit' || status === 'failed';
  await untilPackage(service.current, parcel.id, isOver);
  await untilQuiet(service.current);
  const { status, failureReason } = await shipper.client.getPackage({ packageId: parcel.id });
  const swarms = await swarmsOf(service.current, parcel.id);
  return {
    status,
    failureReason,
    onLedger: await statusOnLedger(service.current, parcel),
    swarms: swarms.filter((swarm) => swarm.status !== 'failed').length,
    escrow: (await lamportsOf(service.current, parcel.onChainVault)) >= parcel.maxBudget,
  };
}

describe("a shipper's cancellation and a formation", () => {
  test('that the cancellation comes before end in a cancelled package and a failed swarm (M-44)', async () => {
    const market = await listed();
    const { parcel, cancel } = market;
    await hold(service.current, parcel.id);
    const courier = await service.current.party(1);
    await courier.client.submitBid(bidInput(courier, parcel.id, 'zoo', 'ostkreuz', 0.1));
    await untilPackage(service.current, parcel.id, ({ status }) => status === 'swarm_forming');
    await land(service.current, cancel);
    await letGo(service.current, parcel.id);
    expect(await outcomeOf(market)).toEqual(CANCELLED);
  });

  test('that comes first end in a package in transit (M-44)', async () => {
    const market = await listed();
    const { parcel, cancel } = market;
    const courier = await service.current.party(1);
    await courier.client.submitBid(bidInput(courier, parcel.id, 'zoo', 'ostkreuz', 0.1));
    await untilPackage(service.current, parcel.id, ({ status }) => status === 'in_transit');
    await land(service.current, cancel);
    expect(await outcomeOf(market)).toEqual(FORMED);
  });

  test('at the same time end in exactly one of the two (M-44)', async () => {
    for (let round = 0; round < 6; round += 1) {
      const market = await listed();
      const courier = await service.current.party(1);
      const bid = courier.client.submitBid(bidInput(courier, market.parcel.id, 'zoo', 'ostkreuz', 0.1));
      await sleep(round * 15);
      // The bid, or the cancellation, may be too late.
      await Promise.allSettled([bid, land(service.current, market.cancel)]);
      expect([CANCELLED, FORMED]).toContainEqual(await outcomeOf(market));
    }
  });
});
