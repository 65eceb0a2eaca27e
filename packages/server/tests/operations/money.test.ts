import { createUuid, type Movement } from '@legwork/protocol/contract';
import { cancelDigitalTask, cancelPackage, confirmLeg, reclaimDigitalTask, reclaimPackage } from '@legwork/sdk';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lamportsOf } from '../coordinator/scene.js';
import { hold } from '../support/holdIntents.js';
import { bidInput, draft, formedPackage, type Place, untilPackage } from '../support/market.js';
import { refusalOf } from '../support/sdkRefusal.js';
import { type Party, type TestService, withService } from '../support/service.js';
import { received } from '../support/transactions.js';
import { claim, handIn, legs, postedTask, untilTask } from './digitalTasks/scene.js';
import { listPackage } from '../support/listed.js';

/** The fields that the two operations share about a listing. */
interface Escrow {
  onChainVault: string;
  vault: bigint;
  vaultRentLamports: bigint;
  movements: Movement[];
}

const sum = (movements: readonly Movement[]) => movements.reduce((total, { amount }) => total + amount, 0n);

/** Adds up, and compares each movement and what is left with the ledger itself. */
async function expectExact(service: TestService, escrow: Escrow): Promise<void> {
  const { onChainVault, vault: held, vaultRentLamports: rent, movements } = escrow;
  const [into, out] = [
    movements.filter(({ to }) => to === onChainVault),
    movements.filter(({ from }) => from === onChainVault),
  ];
  expect(into.length + out.length).toBe(movements.length);
  expect(sum(into) - sum(out)).toBe(held);
  const isEmptied = movements.some(({ what }) => what === 'refund');
  expect(await lamportsOf(service, onChainVault)).toBe(isEmptied ? 0n : held + rent);
  for (const { what, from, amount: lamports, signature, slot, appliedAt } of movements) {
    const withRent = what === 'payment' ? lamports : lamports + rent;
    expect([what, await received(service, signature, onChainVault)]).toEqual([
      what,
      from === onChainVault ? -withRent : withRent,
    ]);
    expect(slot).toBeGreaterThan(0);
    expect(appliedAt?.getTime()).toBeLessThanOrEqual(Date.now());
  }
}

const WAYS: readonly (readonly [Place, Place])[][] = [
  [['zoo', 'ostkreuz']],
  [
    ['zoo', 'hauptbahnhof'],
    ['hauptbahnhof', 'ostkreuz'],
  ],
  [
    ['zoo', 'hauptbahnhof'],
    ['hauptbahnhof', 'alexanderplatz'],
    ['alexanderplatz', 'ostkreuz'],
  ],
];

/** How far a listing gets, and how it ends: its legs, those of them that are paid, its budget, what each leg asks. */
const story = fc.record({
  legs: fc.integer({ min: 1, max: 3 }),
  paid: fc.nat(3),
  budget: fc.integer({ min: 200_000_000, max: 900_000_000 }),
  cost: fc.integer({ min: 5_000_000, max: 60_000_000 }),
  end: fc.constantFrom('open', 'over'),
});
type Story = typeof story extends fc.Arbitrary<infer T> ? T : never;

/** Carries a package as far as the story says. @returns its id, and how to reclaim it once its deadline has passed */
async function playPackage(service: TestService, { legs: count, paid, budget, cost, end }: Story) {
  const way = WAYS[count - 1] ?? [];
  const bids = way.map(([from, to]) => [from, to, cost / 1e9] as const);
  const market = await formedPackage(service, bids, { maxBudgetSol: budget / 1e9 });
  const { parcel, couriers, shipper } = market;
  for (const leg of parcel.swarm?.legs.slice(0, paid) ?? []) {
    const recipient = couriers[leg.legIndex + 1] ?? shipper;
    await confirmLeg(recipient.client, service.rpc, recipient.signer, leg.id);
  }
  const isDelivered = paid >= count;
  if (isDelivered) await untilPackage(service, parcel.id, ({ status }) => status === 'delivered');
  const reclaim = () => reclaimPackage(shipper.client, service.rpc, shipper.signer, parcel.id);
  return { id: parcel.id, payments: Math.min(paid, count), isDelivered, end, reclaim };
}

/** The same of a digital task. */
async function playTask(service: TestService, { legs: count, paid, budget, end }: Story) {
  const { poster, task } = await postedTask(service, { legs: legs(count), maxBudgetSol: budget / 1e9 });
  const workers = await Promise.all(task.legs.map(() => service.party(0)));
  for (const [index, worker] of workers.entries()) {
    if (index > paid) break;
    await claim(worker, task, index);
    if (index < paid) await handIn(worker, task, index);
  }
  const isDelivered = paid >= count;
  const hasCome = isDelivered ? 'completed' : 'in_progress';
  await untilTask(service, task.id, ({ status }) => status === hasCome);
  const reclaim = () => reclaimDigitalTask(poster.client, service.rpc, poster.signer, task.id);
  return { id: task.id, payments: Math.min(paid, count), isDelivered, end, reclaim };
}

/** The kinds of movements that a listing has after so many payments. */
const kinds = ({ payments, isRefunded }: { payments: number; isRefunded: boolean }) => [
  'lock',
  ...Array.from({ length: payments }, () => 'payment'),
  ...(isRefunded ? ['refund'] : []),
];

describe('the money of a listing', () => {
  const service = withService();

  test('is locked, and cancelled goes back whole (S-130)', async () => {
    const shipper = await service.current.party();
    const { id, listSignature, onChainVault: vault } = await listPackage(shipper.client, shipper.signer, draft());
    const locked = await shipper.client.getPackageMoney({ packageId: id });
    expect(locked.movements).toMatchObject([
      {
        what: 'lock',
        legIndex: null,
        from: shipper.pubkey,
        to: vault,
        lamports: 500_000_000n,
        signature: listSignature,
      },
    ]);
    await expectExact(service.current, locked);
    await cancelPackage(shipper.client, service.current.rpc, shipper.signer, id);
    const { endSignature } = await shipper.client.getPackage({ packageId: id });
    const cancelled = await shipper.client.getPackageMoney({ packageId: id });
    expect(cancelled.movements.slice(1)).toMatchObject([
      { what: 'refund', from: vault, to: shipper.pubkey, lamports: 500_000_000n, signature: endSignature },
    ]);
    await expectExact(service.current, cancelled);

    const { poster, task } = await postedTask(service.current);
    await cancelDigitalTask(poster.client, service.current.rpc, poster.signer, task.id);
    const ofTask = await poster.client.getTaskMoney({ taskId: task.id });
    expect(ofTask.movements.map(({ what }) => what)).toEqual(['lock', 'refund']);
    await expectExact(service.current, ofTask);
  });

  test('stays where it is while a chain forms (S-131)', async () => {
    const [shipper, courier] = [await service.current.party(), await service.current.party(1)];
    const { id } = await listPackage(shipper.client, shipper.signer, draft());
    await hold(service.current, id);
    await courier.client.submitBid(bidInput(courier, id, 'zoo', 'ostkreuz', 0.1));
    await untilPackage(service.current, id, ({ status }) => status === 'swarm_forming');
    const escrow = await shipper.client.getPackageMoney({ packageId: id });
    expect(escrow.movements.map(({ what }) => what)).toEqual(['lock']);
    await expectExact(service.current, escrow);
  });

  test('of the coordinator returns to the coordinator (S-130)', async () => {
    const shipper = await service.current.party();
    const { id } = await shipper.client.postSponsored({ ...draft(), shipperPubkey: shipper.pubkey });
    await cancelPackage(shipper.client, service.current.rpc, shipper.signer, id);
    const escrow = await shipper.client.getPackageMoney({ packageId: id });
    const { coordinatorPubkey } = service.current.server;
    expect(escrow.movements.map(({ from, to }) => [from, to].includes(coordinatorPubkey))).toEqual([true, true]);
    await expectExact(service.current, escrow);
  });

  test('of what is not listed is nobody’s to read', async () => {
    const { client, pubkey }: Party = await service.current.party(0);
    const drafted = await client.buildListTx({ ...draft(), shipperPubkey: pubkey });
    for (const packageId of [drafted.packageId, createUuid()]) {
      const refusal = await refusalOf(client.getPackageMoney({ packageId }));
      expect(refusal).toMatchObject({ status: 404, fields: ['packageId'] });
    }
    expect(await refusalOf(client.getTaskMoney({ taskId: createUuid() }))).toMatchObject({ fields: ['taskId'] });
  });
});

describe('however a listing went, its movements add up to what the ledger’s vault holds', () => {
  const service = withService();

  test('packages and digital tasks, open, reclaimed and delivered (S-131)', async () => {
    const plays = fc.array(story, { minLength: 4, maxLength: 4 });
    const { client } = await service.current.party(0);
    const property = fc.asyncProperty(plays, plays, async (ofPackages, ofTasks) => {
      const packages = await Promise.all(ofPackages.map((one) => playPackage(service.current, one)));
      const tasks = await Promise.all(ofTasks.map((one) => playTask(service.current, one)));
      const readings = [
        ...packages.map((played) => ({ ...played, read: () => client.getPackageMoney({ packageId: played.id }) })),
        ...tasks.map((played) => ({ ...played, read: () => client.getTaskMoney({ taskId: played.id }) })),
      ];
      const expectAll = async (isRefunded: (of: (typeof readings)[number]) => boolean) => {
        for (const played of readings) {
          const escrow = await played.read();
          const expected = kinds({ payments: played.payments, isRefunded: isRefunded(played) });
          expect(escrow.movements.map(({ what }) => what)).toEqual(expected);
          const paid = escrow.movements.filter(({ what }) => what === 'payment');
          expect(paid.map(({ legIndex }) => legIndex)).toEqual(paid.map((_, index) => index));
          await expectExact(service.current, escrow);
        }
      };
      await expectAll(({ isDelivered }) => isDelivered);
      // The ledger's clock only goes forward, and what is listed later would be past its deadline at once.
      await service.current.advanceTime(72 * 3_600 + 10);
      for (const { isDelivered, end, reclaim } of readings) if (!isDelivered && end === 'over') await reclaim();
      await expectAll(({ isDelivered, end }) => isDelivered || end === 'over');
    });
    await fc.assert(property, { numRuns: 1, endOnFailure: true });
  });
});
