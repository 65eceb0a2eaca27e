import { PackageStatus } from '@legwork/program-client';
import { describe, expect } from 'vitest';
import { CANNOT_SET_TIME } from './harness/backend.js';
import { testGuards } from './harness/guards.js';
import { DEADLINE, must, SOL, type Delivery } from './harness/delivery.js';
import { Relay } from './harness/relay.js';
import { test } from './harness/relayTest.js';
import { swapped, truncated } from './harness/tamper.js';

const PAYMENTS = [SOL / 2n, SOL / 4n];

interface Stage {
  readonly delivery: Delivery;
  /** How many of its legs are assigned. */
  readonly legs: number;
}

/** A package at every stage that a reclaim can meet. */
const STAGES = {
  listed: async (relay: Relay) => ({ delivery: await relay.listed(), legs: 0 }),
  forming: async (relay: Relay) => ({ delivery: await relay.forming(PAYMENTS), legs: 0 }),
  'partly assigned': async (relay: Relay) => ({ delivery: await relay.forming(PAYMENTS, 1), legs: 1 }),
  'in transit': async (relay: Relay) => ({ delivery: await relay.inTransit(PAYMENTS), legs: 2 }),
  carried: async (relay: Relay) => ({ delivery: await relay.carried(PAYMENTS), legs: 2 }),
  cancelled: async (relay: Relay) => {
    const delivery = await relay.listed();
    must(await relay.ledger.send(relay.cancel(delivery)));
    return { delivery, legs: 0 };
  },
} satisfies Readonly<Record<string, (relay: Relay) => Promise<Stage>>>;

describe.skipIf(CANNOT_SET_TIME)('reclaim_package', () => {
  testGuards(async (relay) => {
    const delivery = await relay.inTransit(PAYMENTS);
    await relay.ledger.setClock(DEADLINE);
    return {
      instruction: await relay.reclaim(delivery, 2, delivery.shipper),
      owned: { InvalidAccountOwner: [1, 2, 5, 8, 9] },
      strangers: { Unauthorized: [0], InvalidAccountOwner: [1, 2, 5, 8], InvalidAccount: [3, 4, 6, 7] },
      fixedAccounts: 8,
    };
  });

  test('[P-52] [P-56] shipper, funder and coordinator may reclaim; what was not paid returns to the funder', async () => {
    for (const role of ['shipper', 'funder', 'coordinator'] as const) {
      const relay = await Relay.initialised();
      const delivery = await relay.inTransit(PAYMENTS);
      must(await relay.ledger.send(await relay.handoff(delivery, 0, 2)));
      const accounts = [delivery.swarm, await relay.leg(delivery, 0), await relay.leg(delivery, 1)];
      let rent = 0n;
      for (const account of accounts) rent += await relay.lamports(account);
      const funder = await relay.lamports(delivery.funder.address);
      const coordinator = await relay.lamports(relay.coordinator.address);
      await relay.ledger.setClock(DEADLINE);

      const signer = role === 'coordinator' ? relay.coordinator : delivery[role];
      must(await relay.ledger.send(await relay.reclaim(delivery, 2, signer)));

      expect(await relay.lamports(delivery.funder.address)).toBe(funder + SOL / 2n + 890_880n);
      expect(await relay.lamports(relay.coordinator.address)).toBe(coordinator + rent);
      for (const account of [delivery.vault, ...accounts]) expect(await relay.ledger.account(account)).toBeUndefined();
      expect(await relay.package(delivery)).toMatchObject({ status: PackageStatus.Reclaimed, paid: SOL / 2n });
    }
  });

  test('[P-53] works while the swarm is forming, with the legs assigned so far', async () => {
    for (const assigned of [0, 1]) {
      const relay = await Relay.initialised();
      const delivery = await relay.forming(PAYMENTS, assigned);
      await relay.ledger.setClock(DEADLINE);
      expect((await relay.ledger.send(await relay.reclaim(delivery, assigned + 1))).error).toBe('InvalidLegCount');
      must(await relay.ledger.send(await relay.reclaim(delivery, assigned)));
      expect(await relay.ledger.account(delivery.vault)).toBeUndefined();
    }
  });

  test.each([
    ['listed', 'InvalidStatus', 'InvalidStatus', 'InvalidStatus'],
    ['forming', 'accepted', 'DeadlineNotReached', 'accepted'],
    ['partly assigned', 'accepted', 'DeadlineNotReached', 'accepted'],
    ['in transit', 'DeadlineNotReached', 'DeadlineNotReached', 'accepted'],
    ['carried', 'DeadlineNotReached', 'DeadlineNotReached', 'LegsComplete'],
    ['cancelled', 'InvalidStatus', 'InvalidStatus', 'InvalidStatus'],
  ] as const)(
    '[P-53] [P-54] %s: shipper and funder get %s early, the coordinator %s, and from the deadline on all get %s',
    async (stage, early, earlyCoordinator, late) => {
      for (const role of ['shipper', 'funder', 'coordinator'] as const) {
        for (const isLate of [false, true]) {
          const relay = await Relay.initialised();
          const { delivery, legs } = await STAGES[stage](relay);
          await relay.ledger.setClock(isLate ? DEADLINE : DEADLINE - 1n);
          const signer = role === 'coordinator' ? relay.coordinator : delivery[role];
          const { error = 'accepted' } = await relay.ledger.send(await relay.reclaim(delivery, legs, signer));
          const expected = isLate ? late : role === 'coordinator' ? earlyCoordinator : early;
          expect([role, isLate, error]).toEqual([role, isLate, expected]);
        }
      }
    },
  );

  test('[P-52] refuses couriers, authority and strangers', async ({ relay }) => {
    const delivery = await relay.inTransit(PAYMENTS);
    await relay.ledger.setClock(DEADLINE);
    for (const signer of [await relay.courier(0), relay.authority, await relay.person('stranger')]) {
      expect((await relay.ledger.send(await relay.reclaim(delivery, 2, signer))).error).toBe('Unauthorized');
    }
  });

  test('[P-53] refuses a package that is listed or over', async ({ relay }) => {
    const listed = await relay.listed(1);
    const cancelled = await relay.listed(2);
    must(await relay.ledger.send(relay.cancel(cancelled)));
    await relay.ledger.setClock(DEADLINE);
    for (const delivery of [listed, cancelled]) {
      expect((await relay.ledger.send(await relay.reclaim(delivery, 0))).error).toBe('InvalidStatus');
    }
  });

  test('[P-54] is refused a second before the deadline', async ({ relay }) => {
    const delivery = await relay.inTransit(PAYMENTS);
    const reclaim = await relay.reclaim(delivery, 2);
    await relay.ledger.setClock(DEADLINE - 1n);
    expect((await relay.ledger.send(reclaim)).error).toBe('DeadlineNotReached');
    await relay.ledger.setClock(DEADLINE);
    must(await relay.ledger.send(reclaim));
  });

  test('[P-55] refuses a package whose legs are all completed: it is settled', async ({ relay }) => {
    const delivery = await relay.carried(PAYMENTS);
    await relay.ledger.setClock(DEADLINE);
    expect((await relay.ledger.send(await relay.reclaim(delivery, 2))).error).toBe('LegsComplete');
    must(await relay.ledger.send(await relay.settle(delivery, 2, delivery.funder)));
  });

  test('[P-49] takes exactly the assigned legs, in index order', async ({ relay }) => {
    const delivery = await relay.inTransit(PAYMENTS);
    await relay.ledger.setClock(DEADLINE);
    const reclaim = await relay.reclaim(delivery, 2);
    expect((await relay.ledger.send(truncated(reclaim, 9))).error).toBe('InvalidLegCount');
    const twice = swapped(reclaim, 9, await relay.leg(delivery, 0));
    expect((await relay.ledger.send(twice)).error).toBe('LegOutOfOrder');
  });

  test('[P-7] refuses swarm, vault and funder of another delivery', async ({ relay }) => {
    const delivery = await relay.inTransit(PAYMENTS);
    const other = await relay.delivery(2, { funder: await relay.person('other funder') });
    must(await relay.ledger.send(relay.list(other)));
    await relay.inTransit(PAYMENTS, other);
    await relay.ledger.setClock(DEADLINE);
    const reclaim = await relay.reclaim(delivery, 2);
    const foreign = [
      [3, other.vault],
      [4, other.funder.address],
      [5, other.swarm],
    ] as const;
    for (const [place, address] of foreign) {
      expect([place, (await relay.ledger.send(swapped(reclaim, place, address))).error]).toEqual([
        place,
        'InvalidAccount',
      ]);
    }
  });

  test('[P-7] refuses the whole swarm of another delivery, legs and all', async ({ relay }) => {
    const delivery = await relay.carried(PAYMENTS);
    const other = await relay.inTransit(PAYMENTS, await relay.listed(2));
    await relay.ledger.setClock(DEADLINE);
    // With the other's open swarm, this delivered package would look reclaimable.
    const mixed = await relay.reclaim({ ...delivery, swarm: other.swarm }, 2);
    expect((await relay.ledger.send(mixed)).error).toBe('InvalidAccount');
  });

  test('[P-9] [P-51] stays open while paused, and is the end', async ({ relay }) => {
    const delivery = await relay.inTransit(PAYMENTS);
    await relay.pause();
    await relay.ledger.setClock(DEADLINE);
    const reclaim = await relay.reclaim(delivery, 2);
    must(await relay.ledger.send(reclaim));
    const attempts = [reclaim, await relay.settle(delivery, 2), relay.cancel(delivery)];
    for (const attempt of attempts) expect((await relay.ledger.send(attempt)).error).toBe('InvalidStatus');
  });
});

test('[P-54] a swarm that the coordinator leaves forming does not hold the budget until the deadline', async ({
  relay,
}) => {
  const delivery = await relay.forming([1n]);
  expect((await relay.ledger.send(relay.cancel(delivery))).error).toBe('InvalidStatus');
  const [funder, coordinator] = [delivery.funder.address, relay.coordinator.address];
  const before = [await relay.lamports(funder), await relay.lamports(coordinator)] as const;
  const rentOfSwarm = await relay.lamports(delivery.swarm);

  must(await relay.ledger.send(await relay.reclaim(delivery, 0, delivery.shipper)));

  expect(await relay.lamports(funder)).toBe(before[0] + SOL + 890_880n);
  expect(await relay.lamports(coordinator)).toBe(before[1] + rentOfSwarm);
  expect(await relay.package(delivery)).toMatchObject({ status: PackageStatus.Reclaimed, paid: 0n });
  const late = await relay.assign(delivery, 0, (await relay.courier(0)).address, 1n);
  expect((await relay.ledger.send(late)).error).toBe('InvalidAccountOwner');
});
