import { createUuid, toLamports } from '@legwork/protocol/contract';
import { confirmLeg } from '@legwork/sdk';
import { address } from '@solana/kit';
import { expect, test } from 'vitest';
import { keepCounts } from '../../../src/db/counts.js';
import { draft, formedPackage, untilPackage } from '../../support/market.js';
import { insertPackages, packageRow } from '../../support/packageRows.js';
import { withService } from '../../support/service.js';
import { untilQuiet } from '../../support/snapshot.js';
import { claim, handIn, postedTask, untilTask } from '../digitalTasks/scene.js';
import { listPackage } from '../../support/listed.js';

const service = withService();

/** The ledger's balance at these addresses, without the rent of those that exist. */
async function heldAt(vaults: readonly string[]): Promise<bigint> {
  const { rpc } = service.current;
  const rent = await rpc.getMinimumBalanceForRentExemption(0n).send();
  const balances = await Promise.all(vaults.map((vault) => rpc.getBalance(address(vault)).send()));
  return balances.reduce((sum, { value }) => sum + (value === 0n ? 0n : value - rent), 0n);
}

test('getStats says what the vaults hold, to the lamport, from the listing to the settlement (S-122)', async () => {
  const { client, signer } = await service.current.party();
  const vaults: string[] = [];
  const heldBoth = async (): Promise<bigint> => {
    await untilQuiet(service.current);
    const held = await heldAt(vaults);
    await expect.poll(async () => (await client.getStats()).escrowLamports).toBe(held);
    return held;
  };
  expect(await heldBoth()).toBe(0n);

  const waiting = await listPackage(client, signer, draft({ biddingWindowSec: 3600 }));
  const { parcel, shipper, couriers } = await formedPackage(service.current, [
    ['zoo', 'hauptbahnhof', 0.03],
    ['hauptbahnhof', 'ostkreuz', 0.05],
  ]);
  const { task } = await postedTask(service.current);
  vaults.push(waiting.onChainVault, parcel.onChainVault, task.onChainVault);
  const locked = waiting.maxBudget + parcel.maxBudget + task.maxBudget;
  expect(await heldBoth()).toBe(locked);

  const [first, second] = parcel.swarm?.legs ?? [];
  await confirmLeg(couriers[1]?.client ?? client, service.current.rpc, couriers[1]?.signer ?? signer, first?.id ?? '');
  expect(await heldBoth()).toBe(locked - (first?.agreedPaymentLamports ?? 0n));

  await confirmLeg(shipper.client, service.current.rpc, shipper.signer, second?.id ?? '');
  await untilPackage(service.current, parcel.id, ({ status }) => status === 'delivered');
  expect(await heldBoth()).toBe(waiting.maxBudget + task.maxBudget);

  const worker = await service.current.party(1);
  await claim(worker, task, 0);
  await handIn(worker, task, 0);
  const { legs } = await untilTask(service.current, task.id, ({ completedLegs }) => completedLegs === 1);
  expect(await heldBoth()).toBe(waiting.maxBudget + task.maxBudget - (legs[0]?.payment ?? 0n));
});

test('getStats names the newest event that is counted (S-122)', async () => {
  const { client } = await service.current.party(0);
  await untilQuiet(service.current);
  const [newest] = (await client.listEvents({ limit: 1 })).items;
  await expect.poll(async () => (await client.getStats()).lastEventSeq).toBe(newest?.seq ?? 0);
});

test('getStats tells the median of the last hundred formations (S-122)', async () => {
  const { db } = service.current;
  // 50 took 300 ms, 49 took 100 ms, and the newest one an hour; older ones count no more.
  const tookMs = [...Array.from({ length: 50 }, () => 300), ...Array.from({ length: 49 }, () => 100), 3_600_000];
  const parcels = tookMs.map(() => packageRow());
  await insertPackages(db, parcels);
  const chosenAt = Date.now();
  await db
    .insertInto('swarms')
    .values(
      parcels.map(({ id }, index) => ({
        id: createUuid(),
        package_id: id,
        status: 'settled' as const,
        formation: 1,
        on_chain_swarm: 'swarm',
        form_signature: `formation ${index}`,
        total_legs: 1,
        total_lamports: toLamports(1n),
        exact: true,
        created_at: new Date(chosenAt),
      })),
    )
    .execute();
  await db
    .insertInto('ledger_transactions')
    .values(
      tookMs.map((ms, index) => ({
        signature: `formation ${index}`,
        slot: 1n,
        position: BigInt(1_000_000 + index),
        subjects: [],
        applied_at: new Date(chosenAt + ms),
      })),
    )
    .execute();
  expect((await keepCounts(db)()).medianFormationMs).toBe(300);
});
