import { type DigitalTaskDetail, listPackage, type PackageDetail } from '@legwork/sdk';
import { claim, handIn, postedTask, untilTask } from '../operations/digitalTasks/scene.js';
import { bidInput, confirmAll, draft, untilPackage } from '../support/market.js';
import type { Party, TestService } from '../support/service.js';

/** A package that two couriers brought, though a third asked for the same. */
interface Relay {
  readonly shipper: Party;
  readonly couriers: Party[];
  readonly parcel: PackageDetail;
}

/** Lists a package and lets two couriers and a rival bid on it. */
export async function formedRelay(service: TestService, description: string): Promise<Relay> {
  const shipper = await service.party();
  const { id } = await listPackage(shipper.client, shipper.signer, draft({ description }));
  const [rival, ...couriers] = await Promise.all([0, 1, 2].map(() => service.party(1)));
  const [first, second] = couriers;
  if (!rival || !first || !second) throw new Error('there are three couriers');
  await rival.client.submitBid(bidInput(rival, id, 'zoo', 'alexanderplatz', 0.12));
  await first.client.submitBid(bidInput(first, id, 'zoo', 'alexanderplatz', 0.1));
  await second.client.submitBid(bidInput(second, id, 'alexanderplatz', 'ostkreuz', 0.1));
  const parcel = await untilPackage(service, id, ({ status }) => status === 'in_transit');
  return { shipper, couriers, parcel };
}

/** Lets everybody sign for what they receive, until it is delivered and paid. */
export async function delivered(service: TestService, relay: Relay): Promise<PackageDetail> {
  await confirmAll(service, relay);
  return untilPackage(service, relay.parcel.id, ({ status }) => status === 'delivered');
}

/** A digital task of two legs, done and paid. */
export async function completedTask(service: TestService): Promise<DigitalTaskDetail> {
  const { task } = await postedTask(service);
  for (const legIndex of [0, 1]) {
    const agent = await service.party(0);
    await claim(agent, task, legIndex);
    await handIn(agent, task, legIndex);
    await untilTask(service, task.id, ({ completedLegs }) => completedLegs === legIndex + 1);
  }
  return untilTask(service, task.id, ({ status }) => status === 'completed');
}
