import { PackageStatus } from '@legwork/program-client';
import { describe, expect } from 'vitest';
import { CANNOT_FORGE, CANNOT_SET_TIME } from './harness/backend.js';
import { testGuards } from './harness/guards.js';
import { DEADLINE, must, SOL } from './harness/delivery.js';
import { Relay } from './harness/relay.js';
import { test } from './harness/relayTest.js';
import { swapped } from './harness/tamper.js';

describe('cancel_package', () => {
  testGuards(async (relay) => {
    const delivery = await relay.listed();
    return {
      instruction: relay.cancel(delivery, delivery.shipper),
      owned: { InvalidAccountOwner: [1, 2] },
      strangers: { Unauthorized: [0], InvalidAccountOwner: [1, 2], InvalidAccount: [3, 4, 5] },
      fixedAccounts: 6,
    };
  });

  test('[P-19] [P-21] shipper, funder and coordinator may cancel; the whole vault returns to the funder', async () => {
    for (const role of ['shipper', 'funder', 'coordinator'] as const) {
      const relay = await Relay.initialised();
      const delivery = await relay.listed(1, { maxBudget: 2n * SOL });
      const signer = role === 'coordinator' ? relay.coordinator : delivery[role];
      await relay.ledger.airdrop(delivery.vault, 5n);
      const before = await relay.lamports(delivery.funder.address);

      must(await relay.ledger.send(relay.cancel(delivery, signer)));

      expect(await relay.lamports(delivery.funder.address)).toBe(before + 2n * SOL + 890_880n + 5n);
      expect(await relay.ledger.account(delivery.vault)).toBeUndefined();
      expect((await relay.package(delivery)).status).toBe(PackageStatus.Cancelled);
    }
  });

  test('[P-19] refuses everybody else, the authority too', async ({ relay }) => {
    const delivery = await relay.listed();
    for (const signer of [relay.authority, await relay.person('stranger'), await relay.courier(0)]) {
      expect((await relay.ledger.send(relay.cancel(delivery, signer))).error).toBe('Unauthorized');
    }
  });

  test('[P-20] refuses a package that is forming, in transit or over', async ({ relay }) => {
    const forming = await relay.forming([SOL / 2n], 0);
    expect((await relay.ledger.send(relay.cancel(forming))).error).toBe('InvalidStatus');
    const inTransit = await relay.inTransit([SOL / 2n], await relay.listed(2));
    expect((await relay.ledger.send(relay.cancel(inTransit))).error).toBe('InvalidStatus');
    must(await relay.ledger.send(await relay.handoff(inTransit, 0, 1), await relay.settle(inTransit, 1)));
    expect((await relay.ledger.send(relay.cancel(inTransit))).error).toBe('InvalidStatus');
    const cancelled = await relay.listed(3);
    must(await relay.ledger.send(relay.cancel(cancelled)));
    expect((await relay.ledger.send(relay.cancel(cancelled))).error).toBe('InvalidStatus');
    expect(await relay.ledger.account(cancelled.vault)).toBeUndefined();
  });

  test('[P-7] refuses the vault of another package and the funder of another package', async ({ relay }) => {
    const delivery = await relay.listed(1);
    const other = await relay.delivery(2, { funder: await relay.person('other funder') });
    must(await relay.ledger.send(relay.list(other)));
    const cancel = relay.cancel(delivery);
    expect((await relay.ledger.send(swapped(cancel, 3, other.vault))).error).toBe('InvalidAccount');
    expect((await relay.ledger.send(swapped(cancel, 4, other.funder.address))).error).toBe('InvalidAccount');
  });

  test.skipIf(CANNOT_FORGE)('[P-43] refuses to refund an executable account', async ({ relay }) => {
    const delivery = await relay.listed();
    await relay.makeProgram(delivery.funder.address);
    const outcome = await relay.ledger.send(relay.cancel(delivery, delivery.shipper));
    expect(outcome.error).toBe('PayeeCannotReceive');
  });

  test.skipIf(CANNOT_SET_TIME)('[P-9] [P-21] stays open while paused and after the deadline', async ({ relay }) => {
    const delivery = await relay.listed();
    await relay.pause();
    await relay.ledger.setClock(DEADLINE + 1n);
    must(await relay.ledger.send(relay.cancel(delivery)));
    expect(await relay.package(delivery)).toMatchObject({ status: PackageStatus.Cancelled });
  });
});
