import {
  confirmLeg,
  type DigitalTaskDetail,
  listPackage,
  type PackageDetail,
  readHandoff,
  signHandoff,
  submitHandoff,
} from '@legwork/sdk';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { claim, handIn, postedTask, untilTask } from '../operations/digitalTasks/scene.js';
import { bidInput, draft, untilPackage } from '../support/market.js';
import type { Party, TestService } from '../support/service.js';
import { verdicts } from './visit.js';

/** A package that two couriers brought, though a third asked for the same. */
interface Relay {
  readonly shipper: Party;
  readonly couriers: Party[];
  readonly parcel: PackageDetail;
}

/** Lists a package and lets two couriers and a rival bid on it. */
export async function formedRelay(service: TestService, description: string): Promise<Relay> {
  const shipper = await service.party();
  const { id } = await listPackage(shipper.client, shipper.signer, draft({ description, terms: 'plain' }));
  const [rival, ...couriers] = await Promise.all([0, 1, 2].map(() => service.party(1)));
  const [first, second] = couriers;
  if (!rival || !first || !second) throw new Error('there are three couriers');
  await rival.client.submitBid(bidInput(rival, id, 'zoo', 'alexanderplatz', 0.12));
  await first.client.submitBid(bidInput(first, id, 'zoo', 'alexanderplatz', 0.1));
  await second.client.submitBid(bidInput(second, id, 'alexanderplatz', 'ostkreuz', 0.1));
  const parcel = await untilPackage(service, id, ({ status }) => status === 'in_transit');
  return { shipper, couriers, parcel };
}

/** The hash of the shipper's note about the parcel at receipt. */
const DAMAGE = new Uint8Array(32).fill(0xc0);

/**
 * Lets everybody sign for what they receive, until it is delivered and paid: the second courier a transaction, and the shipper a text
 * that something is wrong with what the second courier brought.
 */
export async function delivered(service: TestService, { shipper, couriers, parcel }: Relay): Promise<PackageDetail> {
  const { id: packageId, swarm } = parcel;
  const [first, second] = swarm?.legs ?? [];
  const taker = couriers.find(({ pubkey }) => pubkey === second?.agentPubkey);
  if (!first || !taker) throw new Error('there are two legs');
  await confirmLeg(taker.client, service.rpc, taker.signer, first.id);
  const ahead = await readHandoff(shipper.client, shipper.signer.address, { packageId, legIndex: 1 });
  const signed = await signHandoff(shipper.signer, ahead, { noted: DAMAGE });
  await submitHandoff(shipper.client, shipper.signer, signed);
  return untilPackage(service, packageId, ({ status }) => status === 'delivered');
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

/** The handoffs of a package or a task, on its page, once they were asked for. */
export async function shownReceipts(page: Page): Promise<Locator> {
  const panel = page.getByRole('region', { name: 'Handoffs' });
  await panel.getByRole('button', { name: 'Show the receipts' }).click();
  await panel.getByRole('listitem').first().waitFor();
  return panel;
}

/** The verdict of the check of the receipts. */
export async function checkedReceipts(panel: Locator): Promise<string> {
  await panel.getByRole('button', { name: 'Check these receipts' }).click();
  // Below those of the single transactions.
  const check = panel.getByRole('status').last();
  await expect.poll(() => verdicts(check)).toHaveLength(1);
  return (await verdicts(check)).join();
}
