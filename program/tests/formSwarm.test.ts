import { PackageStatus, SwarmStatus } from '@legwork/program-client';
import { describe, expect } from 'vitest';
import { CANNOT_FORGE, CANNOT_SET_TIME } from './harness/backend.js';
import { testGuards } from './harness/guards.js';
import { DEADLINE, must, SOL } from './harness/delivery.js';
import { Relay } from './harness/relay.js';
import { test } from './harness/relayTest.js';
import { signedBy, swapped } from './harness/tamper.js';

describe('form_swarm', () => {
  testGuards(async (relay) => ({
    instruction: relay.form(await relay.listed(), 2, SOL),
    owned: { InvalidAccountOwner: [1, 2] },
    strangers: { Unauthorized: [0], InvalidAccountOwner: [1, 2], InvalidAccount: [3, 4] },
    fixedAccounts: 5,
  }));

  test('[P-27] opens the swarm, counts the formation, and names who paid the rent', async ({ relay }) => {
    const delivery = await relay.listed();
    const vault = await relay.lamports(delivery.vault);

    must(await relay.ledger.send(relay.form(delivery, 3, SOL / 2n)));

    expect(await relay.package(delivery)).toMatchObject({ status: PackageStatus.Forming, formation: 1 });
    expect(await relay.swarm(delivery)).toMatchObject({
      status: SwarmStatus.Forming,
      formation: 1,
      totalLegs: 3,
      assignedLegs: 0,
      completedLegs: 0,
      package: delivery.package,
      rentPayer: relay.coordinator.address,
      totalLamports: SOL / 2n,
      assignedLamports: 0n,
      paidLamports: 0n,
    });
    expect(await relay.lamports(delivery.vault)).toBe(vault);
  });

  test('[P-22] refuses shipper, funder and authority', async ({ relay }) => {
    const delivery = await relay.listed();
    const authority = await relay.person('authority');
    for (const signer of [delivery.shipper, delivery.funder, authority]) {
      const outcome = await relay.ledger.send(signedBy(relay.form(delivery, 1, SOL), 0, signer));
      expect(outcome.error).toBe('Unauthorized');
    }
  });

  test('[P-23] refuses a package that has a swarm or is over', async ({ relay }) => {
    const delivery = await relay.listed();
    must(await relay.ledger.send(relay.form(delivery, 1, SOL)));
    expect((await relay.ledger.send(relay.form(delivery, 1, SOL))).error).toBe('InvalidStatus');
    const cancelled = await relay.listed(2);
    must(await relay.ledger.send(relay.cancel(cancelled)));
    expect((await relay.ledger.send(relay.form(cancelled, 1, SOL))).error).toBe('InvalidStatus');
  });

  test.skipIf(CANNOT_SET_TIME)('[P-24] works until a second before the deadline', async ({ relay }) => {
    const delivery = await relay.listed();
    await relay.ledger.setClock(DEADLINE);
    expect((await relay.ledger.send(relay.form(delivery, 1, SOL))).error).toBe('DeadlinePassed');
    await relay.ledger.setClock(DEADLINE - 1n);
    must(await relay.ledger.send(relay.form(delivery, 1, SOL)));
  });

  test('[P-25] takes one to seven legs', async ({ relay }) => {
    const delivery = await relay.listed();
    for (const legs of [0, 8, 255]) {
      expect((await relay.ledger.send(relay.form(delivery, legs, SOL))).error).toBe('InvalidLegCount');
    }
    must(await relay.ledger.send(relay.form(delivery, 7, SOL)));
    must(await relay.ledger.send(relay.form(await relay.listed(2), 1, SOL)));
  });

  test('[P-26] takes a total above zero and up to the budget', async ({ relay }) => {
    const delivery = await relay.listed();
    expect((await relay.ledger.send(relay.form(delivery, 1, 0n))).error).toBe('InvalidAmount');
    for (const total of [SOL + 1n, 2n ** 64n - 1n]) {
      expect((await relay.ledger.send(relay.form(delivery, 1, total))).error).toBe('BudgetExceeded');
    }
    must(await relay.ledger.send(relay.form(delivery, 1, SOL)));
  });

  test.skipIf(CANNOT_FORGE)('[P-11] refuses a formation number that would start again', async ({ relay }) => {
    const delivery = await relay.listed();
    await relay.change(delivery.package, (data) => data.with(5, 255).with(6, 255));
    expect((await relay.ledger.send(relay.form(delivery, 1, SOL))).error).toBe('ArithmeticOverflow');
  });

  test('[P-4] refuses the swarm address of another package', async ({ relay }) => {
    const delivery = await relay.listed(1);
    const other = await relay.listed(2);
    expect((await relay.ledger.send(swapped(relay.form(delivery, 1, SOL), 3, other.swarm))).error).toBe(
      'InvalidAccount',
    );
  });

  test('[P-5] works when a stranger has sent lamports to the address', async () => {
    for (const gift of [890_880n, SOL]) {
      const relay = await Relay.initialised();
      const delivery = await relay.listed();
      await relay.ledger.airdrop(delivery.swarm, gift);
      must(await relay.ledger.send(relay.form(delivery, 1, SOL)));
      expect(await relay.swarm(delivery)).toMatchObject({ totalLegs: 1, totalLamports: SOL });
    }
  });

  test('[P-9] refuses while paused', async ({ relay }) => {
    const delivery = await relay.listed();
    await relay.pause();
    expect((await relay.ledger.send(relay.form(delivery, 1, SOL))).error).toBe('Paused');
  });
});
