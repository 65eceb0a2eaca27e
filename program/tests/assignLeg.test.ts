import { decodeLeg, LegStatus, PackageStatus, SwarmStatus } from '@legwork/program-client';
import { describe, expect } from 'vitest';
import { CANNOT_FORGE, CANNOT_SET_TIME } from './harness/backend.js';
import { testGuards } from './harness/guards.js';
import { keyOf } from './harness/keys.js';
import { DEADLINE, must, SOL } from './harness/delivery.js';
import { Relay } from './harness/relay.js';
import { test } from './harness/relayTest.js';
import { signedBy, swapped } from './harness/tamper.js';

const HALF = SOL / 2n;

describe('assign_leg', () => {
  testGuards(async (relay) => {
    const delivery = await relay.forming([HALF, HALF], 1);
    const known = await relay.courier(1);
    const other = await relay.forming([HALF, HALF], 0, await relay.listed(2));
    must(await relay.ledger.send(await relay.assign(other, 0, known.address, HALF)));
    return {
      instruction: await relay.assign(delivery, 1, known.address, HALF),
      // A reputation that is not the program's is one to be created, and cannot be.
      owned: { InvalidAccountOwner: [1, 2, 3], AlreadyInitialized: [7] },
      strangers: { Unauthorized: [0], InvalidAccountOwner: [1, 3], InvalidAccount: [2, 4, 5, 6, 7] },
      fixedAccounts: 8,
    };
  });

  test('[P-29] [P-31] assigns legs in order; the last one puts swarm and package on their way', async ({ relay }) => {
    const delivery = await relay.forming([HALF, HALF]);
    const [first, second] = [await relay.courier(0), await relay.courier(1)];

    must(await relay.ledger.send(await relay.assign(delivery, 0, first.address, HALF)));
    expect(await relay.package(delivery)).toMatchObject({ status: PackageStatus.Forming });
    expect(await relay.swarm(delivery)).toMatchObject({
      status: SwarmStatus.Forming,
      assignedLegs: 1,
      assignedLamports: HALF,
      lastCourier: first.address,
    });

    must(await relay.ledger.send(await relay.assign(delivery, 1, second.address, HALF)));
    expect(await relay.package(delivery)).toMatchObject({ status: PackageStatus.InTransit });
    expect(await relay.swarm(delivery)).toMatchObject({
      status: SwarmStatus.Active,
      assignedLegs: 2,
      assignedLamports: SOL,
    });
    expect(decodeLeg(await relay.encoded(await relay.leg(delivery, 1))).data).toMatchObject({
      status: LegStatus.Pending,
      index: 1,
      swarm: delivery.swarm,
      courier: second.address,
      paymentLamports: HALF,
      completedAt: 0n,
    });
  });

  test('[P-28] refuses shipper, funder and authority', async ({ relay }) => {
    const delivery = await relay.forming([SOL]);
    const assign = await relay.assign(delivery, 0, (await relay.courier(0)).address, SOL);
    for (const signer of [delivery.shipper, delivery.funder, await relay.person('authority')]) {
      expect((await relay.ledger.send(signedBy(assign, 0, signer))).error).toBe('Unauthorized');
    }
  });

  test('[P-28] refuses a swarm that is complete, and one that does not exist', async ({ relay }) => {
    const delivery = await relay.inTransit([HALF]);
    const another = await relay.assign(delivery, 1, (await relay.courier(1)).address, HALF);
    expect((await relay.ledger.send(another)).error).toBe('InvalidStatus');
    const listed = await relay.listed(2);
    const early = await relay.assign(listed, 0, (await relay.courier(1)).address, HALF);
    expect((await relay.ledger.send(early)).error).toBe('InvalidAccountOwner');
  });

  test('[P-7] refuses swarm and package of two deliveries', async ({ relay }) => {
    const delivery = await relay.forming([SOL]);
    const other = await relay.forming([SOL], 0, await relay.listed(2));
    const assign = await relay.assign(delivery, 0, (await relay.courier(0)).address, SOL);
    expect((await relay.ledger.send(swapped(assign, 2, other.package))).error).toBe('InvalidAccount');
    expect((await relay.ledger.send(swapped(assign, 3, other.swarm))).error).toBe('InvalidAccount');
    const itsLeg = await relay.leg(other, 0);
    expect((await relay.ledger.send(swapped(assign, 5, itsLeg))).error).toBe('InvalidAccount');
  });

  test('[P-29] refuses every index but the next one', async ({ relay }) => {
    const delivery = await relay.forming([HALF, HALF / 2n, HALF / 2n], 1);
    for (const index of [0, 2, 3, 255]) {
      const assign = await relay.assign(delivery, index, (await relay.courier(5)).address, HALF / 2n);
      expect((await relay.ledger.send(assign)).error).toBe('LegOutOfOrder');
    }
  });

  test('[P-30] refuses a payment of zero, and payments above the total', async ({ relay }) => {
    const delivery = await relay.forming([HALF, HALF / 2n], 1);
    const { address } = await relay.courier(1);
    const attempts = [
      [0n, 'InvalidAmount'],
      [HALF / 2n + 1n, 'BudgetExceeded'],
      [2n ** 64n - 1n, 'BudgetExceeded'],
    ] as const;
    for (const [payment, error] of attempts) {
      expect((await relay.ledger.send(await relay.assign(delivery, 1, address, payment))).error).toBe(error);
    }
  });

  test('[P-31] the last payment must make the sum equal the total', async ({ relay }) => {
    const delivery = await relay.forming([HALF, HALF], 1);
    const { address } = await relay.courier(1);
    expect((await relay.ledger.send(await relay.assign(delivery, 1, address, HALF - 1n))).error).toBe('TotalMismatch');
    must(await relay.ledger.send(await relay.assign(delivery, 1, address, HALF)));
  });

  test('[P-32] refuses a courier that is a program, or an account of one', async ({ relay }) => {
    const delivery = await relay.forming([SOL]);
    const others = [relay.ledger.programAddress, relay.config, delivery.swarm];
    for (const address of others) {
      expect((await relay.ledger.send(await relay.assign(delivery, 0, address, SOL))).error).toBe('InvalidCourier');
    }
  });

  test.skipIf(CANNOT_FORGE)('[P-32] refuses a courier who has become a program', async ({ relay }) => {
    const delivery = await relay.forming([SOL]);
    const { address } = await relay.courier(0);
    await relay.makeProgram(address);
    expect((await relay.ledger.send(await relay.assign(delivery, 0, address, SOL))).error).toBe('InvalidCourier');
  });

  test('[P-32] takes a courier whose wallet has never held anything', async ({ relay }) => {
    const delivery = await relay.forming([SOL]);
    const { address } = await keyOf('penniless courier');
    must(await relay.ledger.send(await relay.assign(delivery, 0, address, SOL)));
    expect(await relay.swarm(delivery)).toMatchObject({ lastCourier: address });
  });

  test('[P-33] refuses two legs in a row for one courier, and takes two apart', async ({ relay }) => {
    const third = SOL / 4n;
    const delivery = await relay.forming([third, third, third], 1);
    const [first, second] = [(await relay.courier(0)).address, (await relay.courier(1)).address];
    expect((await relay.ledger.send(await relay.assign(delivery, 1, first, third))).error).toBe('DuplicateCourier');
    must(await relay.ledger.send(await relay.assign(delivery, 1, second, third)));
    must(await relay.ledger.send(await relay.assign(delivery, 2, first, third)));
    expect(await relay.reputation(first)).toMatchObject({ legsAccepted: 2n });
  });

  test('[P-32] refuses an address that no key has, such as an account still to come', async ({ relay }) => {
    const delivery = await relay.forming([HALF, HALF]);
    const planned = await relay.delivery(2);
    const addresses = [
      delivery.vault,
      await relay.leg(delivery, 0),
      await relay.leg(delivery, 1),
      planned.swarm,
      await relay.leg(planned, 0),
      await relay.taskLeg(await relay.tasks.job(), 0),
      await relay.reputationOf((await relay.courier(1)).address),
    ];
    for (const address of addresses) {
      const { error } = await relay.ledger.send(await relay.assign(delivery, 0, address, HALF));
      expect([address, error]).toEqual([address, 'InvalidCourier']);
    }
  });

  test('[P-34] refuses shipper and coordinator as courier', async ({ relay }) => {
    const delivery = await relay.forming([SOL]);
    for (const insider of [delivery.shipper.address, relay.coordinator.address]) {
      const outcome = await relay.ledger.send(await relay.assign(delivery, 0, insider, SOL));
      expect([insider, outcome.error]).toEqual([insider, 'SelfDealing']);
    }
  });

  test('[P-35] creates the reputation once and counts what the courier accepted', async ({ relay }) => {
    const { address } = await relay.courier(0);
    await relay.inTransit([HALF], await relay.listed(1));
    expect(await relay.reputation(address)).toMatchObject({
      agent: address,
      legsAccepted: 1n,
      legsCompleted: 0n,
      reliabilityScore: 0,
    });
    await relay.inTransit([HALF], await relay.listed(2));
    expect(await relay.reputation(address)).toMatchObject({ legsAccepted: 2n });
  });

  test("[P-4] [P-35] refuses somebody else's reputation, existing or not", async ({ relay }) => {
    await relay.inTransit([HALF], await relay.listed(1));
    const delivery = await relay.forming([HALF], 0, await relay.listed(2));
    const assign = await relay.assign(delivery, 0, (await relay.courier(1)).address, HALF);
    for (const index of [0, 2]) {
      const other = await relay.reputationOf((await relay.courier(index)).address);
      expect((await relay.ledger.send(swapped(assign, 7, other))).error).toBe('InvalidAccount');
    }
  });

  test.skipIf(CANNOT_FORGE)('[P-11] refuses a reputation that cannot count further', async ({ relay }) => {
    await relay.inTransit([HALF], await relay.listed(1));
    const delivery = await relay.forming([HALF], 0, await relay.listed(2));
    const { address } = await relay.courier(0);
    const reputation = await relay.reputationOf(address);
    await relay.change(reputation, (data) => data.fill(255, 36, 44));
    expect((await relay.ledger.send(await relay.assign(delivery, 0, address, HALF))).error).toBe('ArithmeticOverflow');
  });

  test('[P-5] works when strangers have sent lamports to the addresses', async () => {
    for (const gift of [890_880n, SOL]) {
      const relay = await Relay.initialised();
      const delivery = await relay.forming([SOL]);
      const { address } = await relay.courier(0);
      await relay.ledger.airdrop(await relay.leg(delivery, 0), gift);
      await relay.ledger.airdrop(await relay.reputationOf(address), gift);
      must(await relay.ledger.send(await relay.assign(delivery, 0, address, SOL)));
      expect(await relay.reputation(address)).toMatchObject({ legsAccepted: 1n });
    }
  });

  test.skipIf(CANNOT_SET_TIME)(
    '[P-28] a formation begun in time may be completed after the deadline',
    async ({ relay }) => {
      const delivery = await relay.forming([SOL]);
      await relay.ledger.setClock(DEADLINE);
      must(await relay.ledger.send(await relay.assign(delivery, 0, (await relay.courier(0)).address, SOL)));
      expect(await relay.package(delivery)).toMatchObject({ status: PackageStatus.InTransit });
    },
  );

  test('[P-9] refuses while paused', async ({ relay }) => {
    const delivery = await relay.forming([SOL]);
    await relay.pause();
    const assign = await relay.assign(delivery, 0, (await relay.courier(0)).address, SOL);
    expect((await relay.ledger.send(assign)).error).toBe('Paused');
  });
});
